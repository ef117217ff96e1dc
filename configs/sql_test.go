package configs

import (
	"strings"
	"testing"
)

// Parameters cannot write SQL, and no printed statement holds a value of the environment.
func TestReferencesInSQL(t *testing.T) {
	parse := func(where, day string) (*Job, Diagnostics) {
		text := `
version: 1
name: trips
params: {day: {type: text}}
privacy: {epsilon: 1, delta: 1e-6, unit: [cab], per_unit: {max_rows: 5}}
input: {sql: {driver: postgres, dsn: "${env:DSN}", ` + where + `}, where: [{column: day, in: ["${day}"]}]}
queries: [{name: all, count: {}}]
output: {dir: out}
ledger: {store: "sqlite:l.db", dataset: trips, budget: {epsilon: 10, delta: 1e-5}}
`
		env := func(string) (string, bool) { return canary, true }
		return Parse("job.yaml", []byte(text), ParseOptions{Params: map[string]string{"day": day}, Env: env})
	}
	for _, x := range []struct{ where, day, table, query string }{
		{`table: "trips_${day}"`, "2013_01", "trips_2013_01", ""},
		{`table: "city.${day}"`, "monday", "city.monday", ""},
		{`query: "SELECT '$${day}' AS day"`, "1", "", "SELECT '${day}' AS day"},
	} {
		job, diags := parse(x.where, x.day)
		if len(diags) > 0 || job.Input.SQL.Table != x.table || job.Input.SQL.Query != x.query {
			t.Errorf("%s: %v", x.where, diags)
		}
	}
	for _, x := range [][2]string{
		{`query: "SELECT * FROM trips WHERE day = ${day}"`, "1 UNION ALL SELECT * FROM trips"},
		{`query: "SELECT * FROM trips WHERE day = ${day}"`, "1"},
		{`query: "SELECT * FROM trips WHERE key = '${env:KEY}'"`, "1"},
		{`table: "${env:TABLE}"`, "1"},
		{`table: "trips_${day}"`, "a b"},
		{`table: "${day}.trips"`, "a.b"},
		{`table: "trips_${day}"`, "-1"},
	} {
		_, diags := parse(x[0], x[1])
		if len(diags) != 1 || diags[0].Code != CodeBadValue || diags[0].Hint == "" ||
			strings.Contains(diags.Error(), canary) {
			t.Errorf("%v: %v", x, diags)
		}
	}
}

// A parameter is a word of a connection string or of the place of the ledger, and cannot be a setting, a server or a
// folder. No message holds its value or the string.
func TestParametersOfConnections(t *testing.T) {
	parse := func(dsn, store, value string) Diagnostics {
		text := `
version: 1
name: trips
params: {db: {type: text}}
privacy: {epsilon: 1, delta: 1e-6, unit: [cab], per_unit: {max_rows: 5}}
input: {sql: {driver: postgres, dsn: ` + dsn + `, table: trips}}
queries: [{name: all, count: {}}]
output: {dir: out}
ledger: {store: ` + store + `, dataset: trips, budget: {epsilon: 10, delta: 1e-5}}
`
		env := func(string) (string, bool) { return "postgres://u:" + canary + "@server/x", true }
		_, diags := Parse("job.yaml", []byte(text), ParseOptions{Params: map[string]string{"db": value}, Env: env})
		return diags
	}
	const file = `"sqlite:l.db"`
	for _, value := range []string{"trips_2013", "2013-01", "A"} {
		for _, store := range []string{file, `"sqlite:${db}.db"`, `"postgres://server/${db}"`, `"${env:LEDGER}"`} {
			if diags := parse(`"postgres://server/${db}"`, store, value); len(diags) > 0 {
				t.Errorf("%q, %s: %v", value, store, diags)
			}
		}
	}
	for _, value := range []string{
		"x?host=elsewhere" + canary, "x&options=-c%20search_path=other" + canary, "elsewhere" + canary +
			":5432", "x host=elsewhere", "../other" + canary, "x'", "", "@elsewhere", "x%3Fhost", "ü",
	} {
		const known = `"postgres://server/trips?application_name=${env:DSN}"`
		for _, of := range [][2]string{
			{`"postgres://server/${db}"`, file}, {`"${env:DSN}${db}"`, file}, {`"${db}.duckdb"`, file},
			{known, `"postgres://server/${db}"`}, {known, `"sqlite:${db}/l.db"`}, {known, `"${env:LEDGER}${db}"`},
		} {
			diags := parse(of[0], of[1], value)
			if len(diags) != 1 || diags[0].Code != CodeBadValue || diags[0].Hint == "" ||
				strings.Contains(diags.Error(), canary) {
				t.Errorf("%s, %s with %q: %v", of[0], of[1], value, diags)
			}
		}
	}
}

// Data checks need a program that reads the rows: not a server, nor DuckDB if the job leaves the rows to it.
func TestRefusalNeedsRows(t *testing.T) {
	for of, contradicts := range map[string]bool{
		"driver: duckdb": false, "driver: duckdb\nengine: auto": false, "driver: duckdb\nengine: database": true,
		"driver: postgres, dsn: x": true, "driver: postgres, dsn: x\nengine: local": false,
	} {
		driver, engine, _ := strings.Cut(of, "\n")
		_, diags := Parse("job.yaml", []byte(`version: 1
name: n
privacy: {epsilon: 1, delta: 1e-6, unit: row}
input: {sql: {`+driver+`, table: t}}
queries: [{name: q, count: {}}]
data_checks: refuse
output: {dir: out}
ledger: {store: "sqlite:l.db", dataset: d, budget: {epsilon: 5, delta: 1e-4}}
`+engine+"\n"), ParseOptions{})
		if found := len(diags) == 1 && diags[0].Code == CodeContradiction; found != contradicts || !found && len(diags) > 0 {
			t.Errorf("%s: %v", of, diags)
		}
	}
}
