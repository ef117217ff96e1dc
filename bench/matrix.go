package main

import (
	"fmt"
	"strings"
)

// The queries over the tables that DuckDB makes. Each is also written in SQL as a careful user would: cells by integer
// arithmetic if they are equally wide, and several queries over the same rows in one scan.

const (
	boxed = `grid: {lat: lat, lon: lon, south: 40.6, west: -74.1, north: 40.95, east: -73.7, rows: 100, cols: 100}`
	fives = `per_unit: {max_rows: 5}`
)

// sampled returns SQL for a table with at most 5 random rows of each unit, chosen by a hash of the given columns.
func sampled(unit string, columns ...string) string {
	list := strings.Join(columns, ", ")
	return `(SELECT ` + list + `, row_number() OVER (PARTITION BY ` + unit + ` ORDER BY hash(` + unit + `, ` + list +
		`, 7)) AS place FROM TABLE) WHERE place <= 5`
}

var tripQuestions = []query{
	{name: "grid", ours: `histogram: {by: [{` + boxed + `}]}`,
		sql: `SELECT floor((lat - 40.6) / 0.0035)::INT AS r, floor((lon + 74.1) / 0.004)::INT AS c, count(*) FROM TABLE ` +
			`WHERE lat BETWEEN 40.6 AND 40.95 AND lon BETWEEN -74.1 AND -73.7 GROUP BY ALL`},
	{name: "hour-by-weekday",
		ours: `histogram: {by: [{column: pickup, part: hour_of_day}, {column: pickup, part: day_of_week, as: weekday}]}`,
		sql:  `SELECT hour(pickup), dayofweek(pickup), count(*) FROM TABLE GROUP BY ALL`},
	{name: "one-day", where: `[{column: pickup, from: 2013-01-15, for: 1d}]`,
		ours: `histogram: {by: [{column: vendor, values: [CMT, VTS]}, {column: passengers, values: [1, 2, 3, 4, 5, 6]}]}`,
		sql:  `SELECT vendor, passengers, count(*) FROM TABLE WHERE pickup >= '2013-01-15' AND pickup < '2013-01-16' GROUP BY ALL`},
	{name: "most-days", where: `[{column: pickup, from: 2013-01-02, for: 4w}]`,
		ours: `histogram: {by: [{column: vendor, values: [CMT, VTS]}]}`,
		sql:  `SELECT vendor, count(*) FROM TABLE WHERE pickup >= '2013-01-02' AND pickup < '2013-01-30' GROUP BY ALL`},
	{name: "three-dimensions",
		ours: `histogram: {by: [{column: vendor, values: [CMT, VTS]}, {column: passengers, values: [1, 2, 3, 4, 5, 6]}, {column: pickup, part: hour_of_day}]}`,
		sql:  `SELECT vendor, passengers, hour(pickup), count(*) FROM TABLE GROUP BY ALL`},
	{name: "width", ours: `histogram: {by: [{column: fare, from: 0, to: 100, width: 2}]}`,
		sql: `SELECT floor(fare / 2)::INT AS cell, count(*) FROM TABLE WHERE fare >= 0 AND fare <= 100 GROUP BY ALL`},
	{name: "uneven-edges", ours: `histogram: {by: [{column: fare, edges: [0, 2.5, 3, 4, 6, 10, 15, 22, 30, 45, 70]}]}`,
		sql: `SELECT CASE WHEN fare < 2.5 THEN 0 WHEN fare < 3 THEN 1 WHEN fare < 4 THEN 2 WHEN fare < 6 THEN 3 WHEN fare < 10 THEN 4 WHEN fare < 15 THEN 5 ` +
			`WHEN fare < 22 THEN 6 WHEN fare < 30 THEN 7 WHEN fare < 45 THEN 8 ELSE 9 END AS cell, count(*) FROM TABLE WHERE fare >= 0 AND fare <= 70 GROUP BY ALL`},
	{name: "days", ours: `histogram: {by: [{column: pickup, from: 2013-01-01, to: 2013-02-01, every: day}]}`,
		sql: `SELECT pickup::DATE, count(*) FROM TABLE WHERE pickup >= '2013-01-01' AND pickup < '2013-02-01' GROUP BY ALL`},
	{name: "nulls", ours: `histogram: {by: [{column: tip, from: 0, to: 10, width: 1, null: bin}]}`,
		sql: `SELECT least(floor(tip), 9)::INT AS cell, count(*) FROM TABLE WHERE tip IS NULL OR tip BETWEEN 0 AND 10 GROUP BY ALL`},
	{name: "variance", ours: `variance: {column: fare, clamp: [0, 100], by: [{column: passengers, values: [1, 2, 3, 4, 5, 6]}]}`,
		sql: `SELECT passengers, var_pop(least(greatest(fare, 0.0), 100.0)) FROM TABLE GROUP BY ALL`},
	{name: "nearest", ours: `histogram: {by: [{nearest: {` + amongThem + `}}]}`, sql: nearestSQL},
	{name: "kernel", ours: `histogram: {by: [{nearest: {` + amongThem + `, kernel: {bandwidth_m: 150}}}]}`,
		sql: kernelSQL},
	{name: "bounded-integer", privacy: `unit: [driver], ` + fives,
		ours: `histogram: {by: [{column: passengers, values: [1, 2, 3, 4, 5, 6]}]}`,
		sql:  `SELECT passengers, count(*) FROM ` + sampled("driver", "passengers", "fare") + ` GROUP BY ALL`},
	{name: "bounded-text", privacy: `unit: [hack], ` + fives,
		ours: `histogram: {by: [{column: passengers, values: [1, 2, 3, 4, 5, 6]}]}`,
		sql:  `SELECT passengers, count(*) FROM ` + sampled("hack", "passengers", "fare") + ` GROUP BY ALL`},
	{name: "bounded-mean", privacy: `unit: [driver], ` + fives,
		ours: `mean: {column: fare, clamp: [0, 100], by: [{column: passengers, values: [1, 2, 3, 4, 5, 6]}]}`,
		sql: `SELECT passengers, avg(least(greatest(fare, 0.0), 100.0)) FROM ` + sampled("driver", "passengers", "fare") +
			` GROUP BY ALL`},
	{name: "one-query", privacy: `unit: [driver], ` + fives, ours: several(1), sql: severally(1)},
	{name: "five-queries", privacy: `unit: [driver], ` + fives, ours: several(5), sql: severally(5)},
	{name: "twenty-queries", privacy: `unit: [driver], ` + fives, ours: several(20), sql: severally(20)},
}

// several returns a job with n histograms of the fare, with the same unit and bounds. Query number i has ten cells of
// width 10 + i.
func several(n int) string {
	var list []string
	for i := range n {
		list = append(list, fmt.Sprintf(`histogram: {by: [{column: fare, from: 0, to: %d, width: %d}]}`, 10*(10+i), 10+i))
	}
	return strings.Join(list, separator)
}

// severally returns the SQL for the queries of several, over one sample.
func severally(n int) string {
	var cells, names, sets []string
	for i := range n {
		name := fmt.Sprintf("c%d", i)
		cells, names, sets = append(cells, fmt.Sprintf("floor(fare / %d)::INT AS %s", 10+i, name)), append(names,
			name), append(sets, "("+name+")")
	}
	return `SELECT ` + strings.Join(names, ", ") + `, count(*) FROM (SELECT ` + strings.Join(cells, ", ") + ` FROM ` +
		sampled("driver", "fare") + `) ` +
		`GROUP BY GROUPING SETS (` + strings.Join(sets, ", ") + `)`
}

var webQuestions = []query{
	{name: "status", file: "web.parquet", ours: `histogram: {by: [{column: status, values: [200, 301, 404, 500]}]}`,
		sql: `SELECT status, count(*) FROM TABLE GROUP BY ALL`},
	{name: "hour-in-zone", file: "web.parquet", zone: "America/New_York",
		ours: `histogram: {by: [{column: at, part: hour_of_day}]}`,
		sql:  `SELECT hour("at" AT TIME ZONE 'America/New_York'), count(*) FROM TABLE GROUP BY ALL`},
	{name: "pages", file: "web.parquet",
		ours: `histogram: {by: [{column: url, values_from: {file: pages.csv, column: url}}]}`,
		sql:  `SELECT url, count(*) FROM TABLE GROUP BY ALL`},
	{name: "discover", file: "web.parquet", privacy: `unit: [person], per_unit: {max_groups: 5}`,
		ours: `histogram: {by: [{column: url, keys: discover}]}`,
		sql: `SELECT url, count(*) FROM (SELECT url, row_number() OVER (PARTITION BY person ORDER BY hash(person, url, 7)) AS place ` +
			`FROM (SELECT DISTINCT person, url FROM TABLE)) WHERE place <= 5 GROUP BY url HAVING count(*) > 1`},
	{name: "v2-delta", file: "web-v2.parquet",
		ours: `sum: {column: bytes, clamp: [0, 1000000], by: [{column: status, values: [200, 301, 404, 500]}]}`,
		sql:  `SELECT status, sum(least(bytes, 1000000)) FROM TABLE GROUP BY ALL`},
	{name: "million-text-units", file: "web.parquet", privacy: `unit: [person], ` + fives,
		ours: `histogram: {by: [{column: status, values: [200, 301, 404, 500]}]}`,
		sql:  `SELECT status, count(*) FROM ` + sampled("person", "status", "bytes") + ` GROUP BY ALL`},
	{name: "web-csv", file: "web.csv", ours: `histogram: {by: [{column: status, values: ["200", "301", "404", "500"]}]}`,
		sql: `SELECT status, count(*) FROM TABLE GROUP BY ALL`},
	{name: "web-csv-gz", file: "web.csv.gz",
		ours: `histogram: {by: [{column: status, values: ["200", "301", "404", "500"]}]}`,
		sql:  `SELECT status, count(*) FROM TABLE GROUP BY ALL`},
	{name: "one-of-200-columns", file: "survey.parquet",
		ours: `histogram: {by: [{column: q77, values: [0, 1, 2, 3, 4]}, {column: region, from: 0, to: 50, width: 1}]}`,
		sql:  `SELECT q77, region, count(*) FROM TABLE GROUP BY ALL`},
	{name: "survey-20", file: "survey.parquet", ours: surveyed(20), sql: surveyedSQL(20)},
}

// surveyed returns a job with queries for the answers to n questions of the survey.
func surveyed(n int) string {
	var list []string
	for i := range n {
		list = append(list, fmt.Sprintf(`histogram: {by: [{column: q%d, values: [0, 1, 2, 3, 4]}]}`, 9*i))
	}
	return strings.Join(list, separator)
}

// surveyedSQL returns the SQL for the queries of surveyed, in one scan.
func surveyedSQL(n int) string {
	var columns, sets []string
	for i := range n {
		column := fmt.Sprintf("q%d", 9*i)
		columns, sets = append(columns, column), append(sets, "("+column+")")
	}
	return `SELECT ` + strings.Join(columns, ", ") + `, count(*) FROM TABLE GROUP BY GROUPING SETS (` +
		strings.Join(sets, ", ") + `)`
}

// tableQuestions are queries of the table visits that use the region of the person.
var tableQuestions = []query{{
	name: "joined", file: "visits.parquet", privacy: `unit: [person], ` + fives, from: "visits",
	tables: `persons: {files: [%d-persons.parquet], unit: [id]}, ` +
		`visits: {files: [%d-visits.parquet], unit: [person], join: [{table: persons, add: [region]}]}`,
	ours: `histogram: {by: [{column: region, values: [region 0, region 1, region 2, region 3, region 4, region 5, region 6, region 7], ` +
		`null: bin}, {column: kind, values: [0, 1, 2, 3, 4]}]}`,
	sql: `SELECT region, kind, count(*) FROM (SELECT region, kind, row_number() OVER (PARTITION BY person ` +
		`ORDER BY hash(person, region, kind, 7)) AS place FROM TABLE LEFT JOIN PERSONS ON person = id) WHERE place <= 5 GROUP BY ALL`,
}}

// peopleQuestions are the same queries for each type of identifier.
var peopleQuestions = func() []query {
	var list []query
	for _, unit := range []struct{ name, columns string }{
		{"unit-int32", "id"}, {"unit-uuid-16-bytes", "uuid"}, {"unit-short-text", "short"}, {"unit-long-text", "long"},
		{"unit-two-integers", "branch, customer"}, {"unit-text-and-integer", "branch_name, customer"},
	} {
		list = append(list, query{
			name: unit.name, file: "people.parquet", privacy: `unit: [` + unit.columns + `], ` + fives,
			ours: `histogram: {by: [{column: status, values: [200, 301, 404, 500]}]}`,
			sql:  `SELECT status, count(*) FROM ` + sampled(unit.columns, "status") + ` GROUP BY ALL`,
		})
	}
	return list
}()
