package stabilitytest

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"
)

// The queries that tests try by name
//
// Random jobs contain every kind of query sooner or later. This list names each kind, so that the tests of an engine
// show on every commit which kinds it answers: each is tried with several privacy units on random tables, and at least
// one answer to each must not be empty.

// queryKind is one kind of query, with jobs that use it.
type queryKind struct {
	name string
	// columns names the columns of catalog that it uses, separated by blanks.
	columns string
	// queries holds its queries without their names, one per line.
	queries string
	// derived holds keys of input that define derived columns, one per line.
	derived string
	// where and timezone are keys of the job.
	where, timezone string
	// rows is set if the kind is only for jobs in which each row is a unit, with a public number of rows; units if it
	// is only for units of columns. If neither is set, both are tried.
	rows, units bool
	// perUnit, if it is set, is the only way to bound units with which the kind is tried.
	perUnit string
}

const (
	bin     = ", null: bin, other: bin"
	byTexts = `{column: s, values: [a, b, red, "", "a\0b", "é"]` + bin + "}"
	byEdges = "{column: f, edges: [-5, 0, 39.5, 40, 50, 100]" + bin + "}"
)

// questions returns all kinds of queries.
func questions() []queryKind {
	return []queryKind{
		{name: "count", columns: "i", queries: "count: {}"},
		{name: "units over a bound", columns: "i", units: true, queries: "count: {measure: units_over_bound}\ncount: {}"},
		{name: "texts of any bytes", columns: "s c", queries: "histogram: {by: [" + byTexts +
			"]}\nhistogram: {by: [{column: c, values: {first: [a, A], second: [red, blue]}, fold: [case, space, accents]}]}"},
		{name: "numbers and truth values", columns: "i n b o", queries: "histogram: {by: [{column: i, values: [0, 5, 40, " +
			"9223372036854775807], other: bin}]}\nhistogram: {by: [{column: b, values: [true, false], null: bin}, {column: n, " +
			"values: [1, 2]" + bin + "}]}\nhistogram: {by: [{column: o, edges: [-5, 0, 40]}]}"},
		{name: "columns of lookups", columns: "i s", derived: "lookups: [{file: codes.csv, on: {i: key}, add: [area, " +
			"people], types: {people: float}}, {file: codes.csv, on: {s: key}, add: [place, since], types: {since: date}}, " +
			"{file: spans.csv, on: {i: first}, to: last, add: [span]}]",
			queries: "histogram: {by: [{column: span, values: [low, mid, high]" + bin + "}]}\nhistogram: {by: [{column: area, " +
				"values: [red, blue]" + bin + "}]}\nsum: {column: people, clamp: [-5, " +
				"40], by: [{column: place, values: [north, south]" + bin + "}]}\nhistogram: {by: [{column: since, edges: " +
				"[2012-12-31, 2013-01-02]" + bin + "}]}"},
		{name: "computed columns", columns: "i s t", derived: "derive: {part: i % 40 / 4, word: 'lower(s) ?? \"none\"', " +
			"day: date(t), long: len(s) > 1 or i == nil}",
			queries: "histogram: {by: [{column: word, values: [red, a, none]" + bin + "}]}\nsum: {column: part, clamp: [-5, " +
				"40], by: [{column: long, values: [true, false]" + bin + "}]}\nhistogram: {by: [{column: day, from: " +
				"2012-12-30, to: 2013-01-03, every: day" + bin + "}]}"},
		{name: "numbers in texts", columns: "s", queries: "histogram: {by: [{column: s, edges: [0, 1, 40, 40.5, 1e300]" +
			bin + "}]}"},
		{name: "keys of a public file", columns: "s", queries: "histogram: {by: [{column: s, values_from: {file: keys.csv, " +
			"column: key}" + bin + "}]}"},
		{name: "floats at the borders of cells", columns: "f g h", queries: "histogram: {by: [" + byEdges +
			"]}\nhistogram: {by: [{column: g, from: 0, to: 50, width: 5" + bin +
			"}]}\nhistogram: {by: [{column: h, from: 0, to: 1, width: 0.1, last_edge: excluded}]}"},
		{name: "decimals", columns: "m", queries: "histogram: {by: [{column: m, edges: [-1, 0, 0.01, 0.3, 1]" + bin +
			"}]}\nsum: {column: m, clamp: [-1, 0.5]}"},
		{name: "days", columns: "d", queries: "histogram: {by: [{column: d, from: 2012-12-30, to: 2013-01-03, every: day" +
			bin + "}]}\nhistogram: {by: [{column: d, part: day_of_week}]}"},
		{name: "times in New York", columns: "t l", timezone: "America/New_York",
			queries: "histogram: {by: [{column: t, part: hour_of_day" + bin + "}]}\nhistogram: {by: [{column: l, from: " +
				"2012-11-01, to: 2013-05-01, every: month}]}\nhistogram: {by: [{column: t, edges: [\"2013-01-01T00:00:00\", " +
				"\"2013-03-10T03:30:00\", \"2013-11-03T01:30:00\"]}]}"},
		{name: "times in Kathmandu", columns: "t", timezone: "Asia/Kathmandu", queries: "histogram: {by: [{column: t, " +
			"part: minute_of_hour}]}\nhistogram: {by: [{column: t, from: 1969-01-01, to: 2015-01-01, every: year" + bin + "}]}"},
		{name: "places", columns: "lat lon", queries: "histogram: {by: [{grid: {lat: lat, lon: lon, south: 40.7, west: " +
			"-74.02, north: 40.88, east: -73.9, rows: 3, cols: 2}" + bin +
			"}]}\nhistogram: {by: [{nearest: {lat: lat, lon: lon, points: points.csv, id: id, within_m: 100000}" + bin +
			", as: near}]}\nhistogram: {by: [{nearest: {lat: lat, lon: lon, points: points.csv, id: id, within_m: 100000, " +
			"kernel: {bandwidth_m: 5000}}, as: near}]}"},
		{name: "filters", columns: "f i s t",
			where: `{column: f, min: "-5", before: "100"}; {column: s, not_in: ["b", "null"]}; {column: i, not_null: true}`, queries: "histogram: {by: [" + byTexts + "]}\ncount: {}"},
		{name: "two dimensions", columns: "s f", queries: "histogram: {by: [" + byTexts + ", " + byEdges + "]}"},
		{name: "quantiles and distributions", columns: "f", queries: "histogram: {by: [{column: f, edges: [-5, 0, 40, " +
			"100]}], quantiles: [0.25, 0.5], cdf: true}"},
		{name: "ordered strategies", columns: "f i", queries: "histogram: {by: [{column: f, from: 0, to: 50, width: 5}], " +
			"optimize: cdf}\nhistogram: {by: [{column: i, edges: [-5, 0, 10, 40, 100]}], optimize: cells}"},
		{name: "cells that share noise", columns: "s", units: true, queries: "histogram: {by: [" + byTexts +
			"], noise: auto}, per_unit: {max_groups: 6, max_rows_per_group: 1}"},
		{name: "crosstabs", columns: "s b d", queries: "crosstabs: {by: [" + byTexts + ", {column: b, values: [true, " +
			"false]}, {column: d, from: 2012-12-30, to: 2013-01-03, every: day}], ways: [1, 2]}\ncrosstabs: {by: [" + byTexts +
			", {column: b, values: [true, false]}], ways: [1], optimize: tables}"},
		{name: "levels", columns: "s d", queries: "crosstabs: {by: [{column: d, from: 2012-12-30, to: 2013-01-03, every: " +
			"day, levels: [year, day]}, " + byTexts + "], optimize: tables}\ncrosstabs: {by: [{column: s, values_from: {file: " +
			"places.csv, column: place}, levels: [country, region, place]}, {column: d, part: month}], known: [{level: " +
			"region, file: people.csv, column: people}]}"},
		{name: "sums", columns: "f i s", queries: "sum: {column: f, clamp: [-0.5, 0.5]}\nsum: {column: i, clamp: [-5, 40], " +
			"by: [" + byTexts + "]}"},
		{name: "means", columns: "f n s", queries: "mean: {column: f, clamp: [0, 50]}\nmean: {column: n, clamp: [-5, 40], " +
			"by: [" + byTexts + "]}"},
		{name: "means of a public number of rows", columns: "f", rows: true,
			queries: "mean: {column: f, clamp: [0, 50], rows: 5, null: centre, nan: centre}"},
		{name: "variances", columns: "f i s", queries: "variance: {column: f, clamp: [0, 50]}\nvariance: {column: i, " +
			"clamp: [-5, 40], by: [" + byTexts + "]}"},
		{name: "vectors", columns: "x y z v s", queries: "sum: {columns: [x, y, z], clip_l2: 40}\nmean: {column: v, " +
			"length: 3, clip_l2: 1, by: [" + byTexts + "]}\nsum: {column: v, length: 3, clamp: [-5, 40]}"},
		{name: "clamps that are found", columns: "f i s", queries: "sum: {column: f, clamp: discover, range: [-5, " +
			"40]}\nmean: {column: i, clamp: discover, range: [0, 50], by: [" + byTexts + "]}"},
		{name: "bounds on rows that are found", columns: "f s", units: true, queries: "count: {}, per_unit: {max_rows: " +
			"discover, max_rows_up_to: 12, max_groups: 4, max_rows_per_group: 3}\nsum: {column: f, clamp: [0, 50], by: [" +
			byTexts + "]}, per_unit: {max_rows: discover, max_rows_up_to: 12, max_groups: 4, max_rows_per_group: 3}"},
		{name: "rows that columns choose", columns: "i t f s", units: true, perUnit: "max_rows: 2, sample_by: [i, t]",
			queries: "count: {}\nhistogram: {by: [" + byTexts + "]}\nsum: {column: f, clamp: [0, 50], by: [" + byTexts +
				"]}\nmean: {column: i, clamp: [-5, 40]}\ncrosstabs: {by: [" + byTexts + ", " + byEdges + "], ways: [1, 2]}"},
		{name: "keys that are found", columns: "s c i", queries: "histogram: {by: [{column: s, keys: discover}]}, " +
			"per_unit: {max_groups: 3, max_rows_per_group: 1}\nhistogram: {by: [{column: i, keys: discover}, {column: c, " +
			"values: [a, b]}]}, per_unit: {max_groups: 2, max_rows_per_group: 1}"},
		{name: "keys by weights", columns: "s c i f", units: true, queries: "histogram: {by: [{column: s, keys: " +
			"discover}], optimize: keys}, per_unit: {max_groups: 3, max_rows_per_group: 1}\nsum: {column: f, clamp: [0, 50], " +
			"by: [{column: s, keys: discover}]}, per_unit: {max_groups: 2, max_rows_per_group: 2}\nhistogram: {by: [{column: " +
			"i, keys: discover}, {column: c, values: [a, b]}], optimize: keys}, per_unit: {max_groups: 5, max_rows_per_group: " +
			"1}"},
		{name: "keys of two units and more", columns: "s f i", queries: "histogram: {by: [{column: s, keys: discover}], " +
			"min_units: 2}, per_unit: {max_groups: 3, max_rows_per_group: 1}\nmean: {column: f, clamp: [0, 50], by: [{column: " +
			"s, keys: discover}]}, per_unit: {max_groups: 2, max_rows_per_group: 2}\nhistogram: {by: [{column: i, keys: " +
			"discover}], min_units: 2}, per_unit: {max_groups: 2, max_rows_per_group: 1}"},
		{name: "sums by keys that are found", columns: "s f i", queries: "histogram: {by: [{column: s, keys: discover}]}, " +
			"per_unit: {max_groups: 3, max_rows_per_group: 1}\nsum: {column: f, clamp: [0, 50], by: [{column: s, keys: " +
			"discover}]}, per_unit: {max_groups: 2, max_rows_per_group: 2}"},
		{name: "means by keys that are found", columns: "s i", queries: "histogram: {by: [{column: s, keys: discover}]}, " +
			"per_unit: {max_groups: 3, max_rows_per_group: 1}\nmean: {column: i, clamp: [-5, 40], by: [{column: s, keys: " +
			"discover}]}, per_unit: {max_groups: 2, max_rows_per_group: 2}"},
		{name: "variances by keys that are found", columns: "s f", queries: "histogram: {by: [{column: s, keys: " +
			"discover}]}, per_unit: {max_groups: 3, max_rows_per_group: 1}\nvariance: {column: f, clamp: [0, 50], by: " +
			"[{column: s, keys: discover}]}, per_unit: {max_groups: 2, max_rows_per_group: 2}"},
	}
}

// bounds lists the privacy units with which each kind is tried: a row, and units of columns with each way to bound
// their contributions.
var bounds = []struct{ unit, adjacency, perUnit string }{
	{"", "add-remove", ""},
	{"u", "add-remove", "max_rows: 2"},
	{"u w", replaceOne, "max_groups: 2, max_rows_per_group: 2"},
	{"w", "add-remove", "max_rows: 3, max_groups: 2, max_rows_per_group: 2"},
}

// jobs returns the jobs that use a kind of query. If each row is a unit, the bounds in the queries are left out.
func (q queryKind) jobs() (jobs []*Job) {
	for _, b := range bounds {
		if q.units && b.unit == "" || q.rows && b.unit != "" {
			continue
		}
		j := &Job{Unit: strings.Fields(b.unit), Adjacency: b.adjacency, PerUnit: b.perUnit, Timezone: q.timezone,
			Formats: "csv"}
		if q.rows {
			j.Adjacency, j.Rows = replaceOne, 5
		}
		if q.perUnit != "" {
			j.PerUnit = q.perUnit
		}
		for _, name := range append(slices.Clone(j.Unit), strings.Fields(q.columns)...) {
			c := catalog[index(catalog, name)]
			c.Optional = true
			j.Columns = append(j.Columns, c)
		}
		if q.where != "" {
			j.Where = strings.Split(q.where, "; ")
		}
		if q.derived != "" {
			j.Derived = strings.Split(q.derived, "\n")
		}
		for i, text := range strings.Split(q.queries, "\n") {
			if at := strings.Index(text, ", per_unit: "); at >= 0 && b.unit == "" {
				text = text[:at]
			}
			j.Queries = append(j.Queries, fmt.Sprintf("name: q%d, %s", i, text))
		}
		jobs = append(jobs, j)
	}
	return jobs
}

// AskEverything tries every kind of query with the lab's engine, on some random pairs of tables in files of random
// writers. The answers must equal the answers of the lab's twin, and the answers on a pair must be within the
// sensitivities. If a writer cannot write a table, or no row counts in an answer, further pairs are drawn; the test
// fails if these do not help.
func AskEverything(t *testing.T, l *Lab, pairs int) {
	t.Helper()
	const most = 20 // the largest number of draws for one compared pair
	for n, q := range questions() {
		t.Run(q.name, func(t *testing.T) {
			lab := *l
			lab.TB = t
			asked := &asked{Lab: &lab, counts: map[string]bool{}}
			s := Search{Seed: Seed(t), Writers: Writers()}
			for k, job := range q.jobs() {
				if err := job.prepare(&lab); err != nil {
					t.Fatalf("%v\n%s", err, job.YAML("t.csv"))
				}
				asked.compared = 0
				for i := 0; i < most*pairs && (asked.compared < pairs || !asked.all()); i++ {
					if f := asked.compare(s.Case(job, uint64(n<<8|k), uint64(i))); f != nil {
						t.Fatal(f)
					}
				}
				if asked.compared < pairs {
					t.Errorf("%d pairs of %d were compared", asked.compared, pairs)
				}
			}
			for query, counts := range asked.counts {
				if !counts {
					t.Errorf("%s: all answers are empty", query)
				}
			}
		})
	}
}

// EachKind calls try with a case of each kind of query and each way to bound units, in a subtest with the kind's name.
func EachKind(t *testing.T, l *Lab, try func(t *testing.T, c *Case)) {
	t.Helper()
	for n, q := range questions() {
		t.Run(q.name, func(t *testing.T) {
			lab := *l
			lab.TB = t
			s := Search{Seed: Seed(t), Writers: Writers()[:1]}
			for k, job := range q.jobs() {
				if err := job.prepare(&lab); err != nil {
					t.Fatalf("%v\n%s", err, job.YAML("t.csv"))
				}
				try(t, s.Case(job, uint64(n<<8|k), 0))
			}
		})
	}
}

// asked collects the comparisons of one kind of query.
type asked struct {
	*Lab
	compared int
	// counts maps each mechanism to whether a row counted in one of its answers.
	counts map[string]bool
}

// all reports whether, for each mechanism so far, a row counted in one of its answers.
func (a *asked) all() bool {
	for _, counts := range a.counts {
		if !counts {
			return false
		}
	}
	return true
}

// compare runs the engine and its twin on both tables of a case. It returns the first violation; nil if there is none.
func (a *asked) compare(c *Case) *Finding {
	var answers [2][]Answer
	for i := range answers {
		var err error
		switch answers[i], err = c.answers(a.Lab, c.Job, i); {
		case errors.As(err, &unwritten{}):
			return nil
		case err != nil:
			return &Finding{What: fmt.Sprintf("table %d: %v", i, err), Case: c}
		}
		for k, m := range c.Job.plan.Mechanisms() {
			a.counts[m.Query] = a.counts[m.Query] || !answers[i][k].empty()
		}
	}
	a.compared++
	return c.Within(c.Job.plan, answers)
}

// empty reports whether no row counted in an answer.
func (a Answer) empty() bool {
	return len(a.Keys) == 0 && len(a.Named) == 0 && !slices.ContainsFunc(a.Cells,
		func(n *big.Int) bool { return n.Sign() != 0 })
}
