package main

import "slices"

const (
	byRow    = `unit: row`
	category = `by: [{column: category, values_from: {file: %s, column: category}}]`
	value    = `column: value, clamp: [0, 100], `
)

// clamped is SQL for the value of a row, clamped to 0 … 100.
const clamped = `least(greatest(value, 0.0), 100.0)`

// all are the queries in the order in which they run. DuckDB's hash() is its fastest hash; it need not be secret here.
var all = []query{
	{name: "histogram", privacy: byRow, ours: `histogram: {` + category + `}`,
		sql: `SELECT category, count(*) FROM TABLE GROUP BY category`},
	{name: "sum", privacy: byRow, ours: `sum: {` + value + category + `}`,
		sql: `SELECT category, sum(` + clamped + `) FROM TABLE GROUP BY category`},
	{name: "mean", privacy: byRow, ours: `mean: {` + value + category + `}`,
		sql: `SELECT category, avg(` + clamped + `) FROM TABLE GROUP BY category`},
	{name: "bounded-rows", privacy: `unit: [unit], per_unit: {max_rows: 4}`, ours: `histogram: {` + category + `}`,
		sql: `SELECT category, count(*) FROM (SELECT category, row_number() OVER (PARTITION BY unit ` +
			`ORDER BY hash(unit, category, value, 7)) AS place FROM TABLE) WHERE place <= 4 GROUP BY category`},
	{name: "bounded-groups", privacy: `unit: [unit], per_unit: {max_groups: 4, max_rows_per_group: 1}`,
		ours: `histogram: {` + category + `}`,
		sql: `SELECT category, count(*) FROM (SELECT category, row_number() OVER (PARTITION BY unit ` +
			`ORDER BY hash(unit, category, 7)) AS place FROM (SELECT DISTINCT unit, category FROM TABLE)) WHERE place <= 4 GROUP BY category`},
	{name: "csv", privacy: byRow, ours: `histogram: {` + category + `}`, form: asCSV,
		sql: `SELECT category, count(*) FROM TABLE GROUP BY category`},
	{name: "arrow", privacy: byRow, ours: `sum: {` + value + category + `}`, form: asArrow,
		sql: `SELECT category, sum(` + clamped + `) FROM TABLE GROUP BY category`},
	{name: "delta", privacy: byRow, ours: `sum: {` + value + category + `}`, form: asDelta,
		sql: `SELECT category, sum(` + clamped + `) FROM TABLE GROUP BY category`},
	{name: "delta-bounded", privacy: `unit: [unit], per_unit: {max_rows: 4}`, ours: `sum: {` + value + category + `}`,
		form: asDelta,
		sql: `SELECT category, sum(` + clamped + `) FROM (SELECT category, value, row_number() OVER (PARTITION BY unit ` +
			`ORDER BY hash(unit, category, value, 7)) AS place FROM TABLE) WHERE place <= 4 GROUP BY category`},
}

func init() {
	for _, q := range tripQuestions {
		q.file = "trips.parquet"
		all = append(all, q)
	}
	all = slices.Concat(all, webQuestions, peopleQuestions, tableQuestions)
	for i := range all {
		if all[i].privacy == "" {
			all[i].privacy = byRow
		}
		queries[all[i].name] = all[i]
	}
}

var queries = map[string]query{}

func names() []string {
	var out []string
	for _, q := range all {
		out = append(out, q.name)
	}
	return out
}
