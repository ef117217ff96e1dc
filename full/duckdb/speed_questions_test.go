package duckdb

import (
	"fmt"
	"strings"
)

// questionsOfTypes returns queries over the columns others: means, variances, histograms by two dimensions, filters and
// marginals.
func questionsOfTypes(table string) []question {
	const (
		rows    = "unit: [unit], per_unit: {max_rows: 4}"
		within  = "sum(CASE WHEN value <= 0 THEN 0 WHEN value >= 50 THEN 50 ELSE value END)"
		clamped = "sum(CASE WHEN v > 858993459200 THEN 858993459200 WHEN v < 0 THEN 0 ELSE v END)"
		scaled  = "CAST(value * CAST(17179869184 AS DOUBLE) AS BIGINT) AS v"
	)
	zones := "values: [1"
	for i := 2; i <= 265; i++ {
		zones += fmt.Sprint(", ", i)
	}
	zones += "]"
	category := "by: [{column: cat, values: [" + strings.Join(labels(), ", ") + "]}]"
	from := " FROM " + table
	day := "{column: %s, from: 2013-01-01, to: 2014-01-01, every: day, last_edge: excluded}"
	return []question{
		{"means", "unit: row", "mean: {column: value, clamp: [0, 50], " + category + "}", []string{
			"SELECT cat, " + within + ", count(*)" + from + " GROUP BY cat",
			"SELECT cat, avg(CASE WHEN value <= 0 THEN 0 WHEN value >= 50 THEN 50 ELSE value END)" + from + " GROUP BY cat",
			"SELECT cat, avg(least(greatest(value, 0), 50))" + from + " GROUP BY cat",
			"SELECT cat, " + clamped + ", count(*) FROM (SELECT cat, " + scaled + from + ") GROUP BY cat",
		}, ""},
		{"mean", "unit: row", "mean: {column: value, clamp: [0, 50]}", []string{
			"SELECT " + within + ", count(*)" + from,
			"SELECT avg(CASE WHEN value <= 0 THEN 0 WHEN value >= 50 THEN 50 ELSE value END)" + from,
			"SELECT avg(least(greatest(value, 0), 50))" + from,
			"SELECT " + clamped + ", count(*) FROM (SELECT " + scaled + from + ")",
		}, ""},
		{"zones", "unit: row", "histogram: {by: [{column: zone, " + zones + "}]}",
			[]string{"SELECT zone, count(*)" + from + " GROUP BY zone"}, ""},
		{"zone-steps", "unit: row", "histogram: {by: [{column: zone, from: 1, to: 266, width: 1, last_edge: excluded}]}",
			[]string{"SELECT zone, count(*)" + from + " GROUP BY zone"}, ""},
		{"zone-tens", "unit: row", "histogram: {by: [{column: zone, from: 0, to: 270, width: 10, last_edge: excluded}]}",
			[]string{"SELECT zone // 10, count(*)" + from + " GROUP BY 1"}, ""},
		{"places", "unit: row", "histogram: {by: [{column: place, " + zones + "}]}",
			[]string{"SELECT place, count(*)" + from + " GROUP BY place"}, ""},
		{"place-steps", "unit: row",
			"histogram: {by: [{column: place, from: 1, to: 266, width: 1, last_edge: excluded, null: bin}]}",
			[]string{"SELECT place, count(*)" + from + " GROUP BY place"}, ""},
		{"riders", "unit: row", "histogram: {by: [{column: riders, values: [0, 1, 2, 3, 4, 5, 6]}]}",
			[]string{"SELECT riders, count(*)" + from + " GROUP BY riders"}, ""},
		{"zone-sums", "unit: row", "sum: {column: value, clamp: [0, 50], by: [{column: zone, " + zones + "}]}",
			[]string{"SELECT zone, " + within + from + " GROUP BY zone",
				"SELECT zone, " + clamped + " FROM (SELECT zone, " + scaled + from + ") GROUP BY zone"}, ""},
		{"zone-step-sums", "unit: row",
			"sum: {column: value, clamp: [0, 50], by: [{column: zone, from: 1, to: 266, width: 1, last_edge: excluded}]}",
			[]string{"SELECT zone, " + within + from + " GROUP BY zone",
				"SELECT zone, " + clamped + " FROM (SELECT zone, " + scaled + from + ") GROUP BY zone"}, ""},
		{"zone-means", "unit: row", "mean: {column: value, clamp: [0, 50], by: [{column: zone, " + zones + "}]}",
			[]string{"SELECT zone, " + within + ", count(*)" + from + " GROUP BY zone",
				"SELECT zone, " + clamped + ", count(*) FROM (SELECT zone, " + scaled + from + ") GROUP BY zone"}, ""},
		{"zone-hours", "unit: row", "histogram: {by: [{column: zone, " + zones + "}, {column: t, part: hour_of_day}]}",
			[]string{"SELECT zone, hour(t), count(*)" + from + " GROUP BY 1, 2"}, ""},
		{"zone-step-hours", "unit: row", "histogram: {by: [{column: zone, from: 1, to: 266, width: 1, last_edge: " +
			"excluded}, {column: t, part: hour_of_day}]}", []string{"SELECT zone, hour(t), count(*)" + from +
			" GROUP BY 1, 2"}, ""},
		{"cat-hours", "unit: row", "histogram: {by: [{column: cat, values: [" + strings.Join(labels()[:1000], ", ") +
			"]}, {column: t, part: hour_of_day}]}", []string{"SELECT cat, hour(t), count(*)" + from + " GROUP BY 1, 2"}, ""},
		{"cat-riders", "unit: row", "histogram: {by: [{column: cat, values: [category0, category1, category2]}, {column: " +
			"riders, values: [0, 1, 2, 3, 4]}]}", []string{"SELECT cat, riders, count(*)" + from + " GROUP BY 1, 2"}, ""},
		{"hours", "unit: row", "histogram: {by: [{column: t, part: hour_of_day}]}",
			[]string{"SELECT hour(t), count(*)" + from + " GROUP BY 1"}, ""},
		{"weekdays", "unit: row", "histogram: {by: [{column: t, part: day_of_week}]}",
			[]string{"SELECT isodow(t), count(*)" + from + " GROUP BY 1", "SELECT dayofweek(t), count(*)" + from +
				" GROUP BY 1"}, ""},
		{"months", "unit: row", "histogram: {by: [{column: t, part: month}]}",
			[]string{"SELECT month(t), count(*)" + from + " GROUP BY 1"}, ""},
		{"date-months", "unit: row", "histogram: {by: [{column: day, part: month}]}",
			[]string{"SELECT month(day), count(*)" + from + " GROUP BY 1"}, ""},
		{"days", "unit: row", "histogram: {by: [" + fmt.Sprintf(day, "day") + "]}",
			[]string{"SELECT day, count(*)" + from + " GROUP BY 1"}, ""},
		{"time-days", "unit: row", "histogram: {by: [" + fmt.Sprintf(day, "t") + "]}",
			[]string{"SELECT CAST(t AS DATE), count(*)" + from + " GROUP BY 1"}, ""},
		{"time-months", "unit: row",
			"histogram: {by: [{column: t, from: 2013-01-01, to: 2014-01-01, every: month, last_edge: excluded}]}",
			[]string{"SELECT month(t), count(*)" + from + " GROUP BY 1"}, ""},
		{"uneven", "unit: row", "histogram: {by: [{column: value, edges: [0, 1, 2, 5, 10, 20, 50, 100]}]}", []string{
			"SELECT CASE WHEN value < 0 THEN NULL WHEN value < 1 THEN 0 WHEN value < 2 THEN 1 WHEN value < 5 THEN 2 WHEN " +
				"value < 10 THEN 3 WHEN value < 20 THEN 4 WHEN value < 50 THEN 5 WHEN value <= 100 THEN 6 END, count(*)" + from +
				" GROUP BY 1",
			"SELECT CASE WHEN value >= 50 THEN 6 WHEN value >= 20 THEN 5 WHEN value >= 10 THEN 4 WHEN value >= 5 THEN 3 WHEN " +
				"value >= 2 THEN 2 WHEN value >= 1 THEN 1 ELSE 0 END, count(*)" + from + " GROUP BY 1",
		}, ""},
		{"ten-edges", "unit: row", "histogram: {by: [{column: value, from: 0, to: 100, width: 10}]}",
			[]string{"SELECT CAST(floor(value / 10) AS INT), count(*)" + from + " GROUP BY 1"}, ""},
		{"quantiles", "unit: row", "histogram: {by: [{column: value, from: 0, to: 100, width: 0.1}], quantiles: [0.5]}",
			[]string{"SELECT CAST(floor(value * 10) AS INT), count(*)" + from + " GROUP BY 1"}, ""},
		{"price-edges", "unit: row", "histogram: {by: [{column: price, from: 0, to: 90, width: 5}]}",
			[]string{"SELECT CAST(floor(price / 5) AS INT), count(*)" + from + " GROUP BY 1",
				"SELECT CAST(floor(CAST(price AS DOUBLE) / 5) AS INT), count(*)" + from + " GROUP BY 1"}, ""},
		{"price-sum", "unit: row", "sum: {column: price, clamp: [0, 50]}",
			[]string{"SELECT sum(least(greatest(price, 0), 50))" + from,
				"SELECT sum(CASE WHEN price < 0 THEN 0 WHEN price > 50 THEN 50 ELSE price END)" + from}, ""},
		{"price-sums", "unit: row", "sum: {column: price, clamp: [0, 50], by: [{column: zone, " + zones + "}]}",
			[]string{"SELECT zone, sum(CASE WHEN price < 0 THEN 0 WHEN price > 50 THEN 50 ELSE price END)" + from +
				" GROUP BY zone"}, ""},
		{"riders-sum", "unit: row", "sum: {column: riders, clamp: [0, 6]}",
			[]string{"SELECT sum(least(greatest(riders, 0), 6))" + from,
				"SELECT sum(CASE WHEN riders < 0 THEN 0 WHEN riders > 6 THEN 6 ELSE riders END)" + from}, ""},
		{"riders-sums", "unit: row", "sum: {column: riders, clamp: [0, 6], by: [{column: zone, " + zones + "}]}",
			[]string{"SELECT zone, sum(least(greatest(riders, 0), 6))" + from + " GROUP BY zone",
				"SELECT zone, sum(CASE WHEN riders < 0 THEN 0 WHEN riders > 6 THEN 6 ELSE riders END)" + from +
					" GROUP BY zone"}, ""},
		{"riders-cats", "unit: row", "mean: {column: riders, clamp: [0, 6], " + category + "}",
			[]string{"SELECT cat, sum(least(greatest(riders, 0), 6)), count(*)" + from + " GROUP BY cat",
				"SELECT cat, sum(CASE WHEN riders < 0 THEN 0 WHEN riders > 6 THEN 6 ELSE riders END), count(*)" + from +
					" GROUP BY cat"}, ""},
		{"cash", "unit: row", "histogram: {by: [{column: cash, values: [true, false]}]}",
			[]string{"SELECT cash, count(*)" + from + " GROUP BY cash"}, ""},
		{"cash-sum", "unit: row", "sum: {column: value, clamp: [0, 50], by: [{column: cash, values: [true, false]}]}",
			[]string{"SELECT cash, " + within + from + " GROUP BY cash", "SELECT cash, " + clamped + " FROM (SELECT cash, " +
				scaled + from + ") GROUP BY cash"}, ""},
		{"variance", "unit: row", "variance: {column: value, clamp: [0, 50]}", []string{
			"SELECT sum(v), sum(v * v), count(*) FROM (SELECT CASE WHEN value <= 0 THEN 0 WHEN value >= 50 THEN 50 ELSE value " +
				"END AS v" + from + ")",
			"SELECT var_pop(least(greatest(value, 0), 50))" + from,
		}, ""},
		{"variances", "unit: row", "variance: {column: value, clamp: [0, 50], by: [{column: zone, " + zones + "}]}", []string{
			"SELECT zone, sum(v), sum(v * v), count(*) FROM (SELECT zone, CASE WHEN value <= 0 THEN 0 WHEN value >= 50 THEN " +
				"50 ELSE value END AS v" + from + ") GROUP BY zone",
			"SELECT zone, var_pop(least(greatest(value, 0), 50))" + from + " GROUP BY zone",
		}, ""},
		{"window", "unit: row", "histogram: {" + category + "}",
			[]string{"SELECT cat, count(*)" + from +
				" WHERE t >= TIMESTAMP '2013-03-01' AND t < TIMESTAMP '2013-04-01' GROUP BY cat"}, ", where: [{column: t, from: " +
				"2013-03-01, before: 2013-04-01}]"},
		{"filtered", "unit: row", "histogram: {" + category + "}",
			[]string{"SELECT cat, count(*)" + from +
				" WHERE value >= 10 AND value <= 90 GROUP BY cat"}, ", where: [{column: value, min: 10, max: 90}]"},
		{"filtered-sums", "unit: row", "sum: {column: value, clamp: [0, 50], " + category + "}",
			[]string{"SELECT cat, " + within + from + " WHERE value >= 10 AND value <= 90 GROUP BY cat",
				"SELECT cat, " + clamped + " FROM (SELECT cat, " + scaled + from +
					" WHERE value >= 10 AND value <= 90) GROUP BY cat"}, ", where: [{column: value, min: 10, max: 90}]"},
		{"crosstabs", "unit: row", "crosstabs: {by: [{column: riders, values: [0, 1, 2, 3, 4, 5, 6]}, {column: cash, " +
			"values: [true, false]}, {column: zone, " + zones + "}], ways: [1, 2]}", []string{
			"SELECT riders, cash, zone, count(*)" + from +
				" GROUP BY GROUPING SETS ((riders), (cash), (zone), (riders, cash), (riders, zone), (cash, zone))",
			"WITH g AS (SELECT riders, cash, zone, count(*) AS n" + from + " GROUP BY 1, 2, 3) SELECT riders, cash, zone, " +
				"sum(n) FROM g GROUP BY GROUPING SETS ((riders), (cash), (zone), (riders, cash), (riders, zone), (cash, zone))",
		}, ""},
		{"vectors", "unit: row", "sum: {columns: [x, y, value], clamp: [-1, 1]}", []string{
			"SELECT sum(least(greatest(x, -1), 1)), sum(least(greatest(y, -1), 1)), sum(least(greatest(value, -1), 1)), count(*)" + from,
			"SELECT sum(CASE WHEN x < -1 THEN -1 WHEN x > 1 THEN 1 ELSE x END), sum(CASE WHEN y < -1 THEN -1 WHEN y > 1 THEN " +
				"1 ELSE y END), sum(CASE WHEN value < -1 THEN -1 WHEN value > 1 THEN 1 ELSE value END), count(*)" + from,
		}, ""},
		{"cat-vectors", "unit: row", "sum: {columns: [x, y], clamp: [-1, 1], by: [{column: zone, " + zones + "}]}", []string{
			"SELECT zone, sum(least(greatest(x, -1), 1)), sum(least(greatest(y, -1), 1)), count(*)" + from + " GROUP BY zone",
			"SELECT zone, sum(CASE WHEN x < -1 THEN -1 WHEN x > 1 THEN 1 ELSE x END), sum(CASE WHEN y < -1 THEN -1 WHEN y > 1 " +
				"THEN 1 ELSE y END), count(*)" + from + " GROUP BY zone",
		}, ""},
		{"grid", "unit: row", "histogram: {by: [{grid: {lat: x, lon: y, south: -1, west: -1, north: 1, east: 1, rows: 64, " +
			"cols: 64}}]}", []string{
			"SELECT CAST(floor((x + 1) * 32) AS INT) AS r, CAST(floor((y + 1) * 32) AS INT) AS c, count(*)" + from +
				" WHERE x >= -1 AND x < 1 AND y >= -1 AND y < 1 GROUP BY 1, 2",
			"SELECT CAST(floor((x + 1) * 32) AS INT) * 64 + CAST(floor((y + 1) * 32) AS INT), count(*)" + from + " GROUP BY 1",
		}, ""},
		{"count", "unit: row", "count: {}", []string{"SELECT count(*)" + from}, ""},
		{"bounded-count", rows, "count: {}", []string{"SELECT sum(least(n, 4)) FROM (SELECT unit, count(*) AS n" + from +
			" GROUP BY unit)"}, ""},
	}
}
