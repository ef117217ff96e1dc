package sqlpush

import "slices"

// dialects are those that this package knows, by the names of their drivers in a job.
var dialects = []Dialect{duckdb{}, postgres{}, clickhouse{}, trino{}, spark{}, bigquery{}, snowflake{}}

// DialectOf returns the dialect of a driver of a job.
func DialectOf(driver string) (Dialect, bool) {
	i := slices.IndexFunc(dialects, func(d Dialect) bool { return d.Name() == driver })
	if i < 0 {
		return nil, false
	}
	return dialects[i], true
}

// Dialects are the names of all dialects.
func Dialects() (names []string) {
	for _, d := range dialects {
		names = append(names, d.Name())
	}
	return names
}
