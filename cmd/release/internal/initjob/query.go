package initjob

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Query is one query as a person types it, such as
//
//	count
//	histogram branch=Central|North x loan_date=2023-01-01..2024-01-01/month
//	mean fee=0..50 by branch=Central|North
//	quantiles age=0..100/5
//
// [Grammar] explains the form to users.
type Query struct {
	// Kind is count, histogram, quantiles, sum, mean or variance.
	Kind string
	// Value is the column that is summed or averaged, with its range; nil for counts and histograms.
	Value *Cells
	// By are the dimensions.
	By []Cells
	// MinCount is the noisy count from which the mean of a group is shown; 0 if all are shown.
	MinCount int
	// Asked is the query as the user typed it; "" if nobody did.
	Asked string
}

// Cells is a column and how its values are divided into cells.
type Cells struct {
	Column string
	// Values lists the cells by their values.
	Values []string
	// From, To and Step describe cells between edges: the first edge, the last edge, and a width or the name of a calendar
	// step.
	From, To, Step string
	// Field is a time field, such as hour_of_day. Each of its values is a cell.
	Field string
	// File is a public file that lists the cells, and FileColumn the file's column with them.
	File, FileColumn string
	// Edges lists the edges of cells of different widths.
	Edges []string
	// Discover is true if the cells, or the range of a value, are to be found privately.
	Discover bool
	// Missing adds a cell for missing values, and a cell for values in no other cell.
	Missing bool
}

// Grammar explains how queries are typed.
const Grammar = `A query is one of:
  count
  histogram COLUMN=CELLS [x COLUMN=CELLS]…
  quantiles COLUMN=FROM..TO/WIDTH [x COLUMN=CELLS]…
  sum|mean|variance COLUMN=MIN..MAX [by COLUMN=CELLS [x COLUMN=CELLS]…]

CELLS is one of:
  a|b|c              listed values
  FROM..TO/WIDTH     numbers, such as 0..100/5
  FROM..TO/STEP      dates, such as 2024-01-01..2025-01-01/month; STEP is day, week, month, quarter or year
  FIELD              a field of a time: hour_of_day, day_of_week, month, …
  @FILE:COLUMN       the values in a column of a public file
  discover           values found privately, at a share of delta`

// fields are the names of the time fields. Package configs checks them again.
var fields = []string{"minute_of_hour", "hour_of_day", "hour_of_week", "day_of_week", "day_of_month", "week_of_year",
	"month", "quarter"}

// otherKinds maps words of other tools to kinds of queries.
var otherKinds = map[string]string{"median": "quantiles", "percentile": "quantiles", "percentiles": "quantiles",
	"hist": "histogram", "avg": "mean", "average": "mean", "total": "sum", "std": "variance", "stddev": "variance"}

// steps are the names of calendar steps.
var steps = []string{"day", "week", "month", "quarter", "year"}

// Parse parses a query.
func Parse(s string) (Query, error) {
	kind, rest, _ := strings.Cut(strings.TrimSpace(s), " ")
	q := Query{Kind: kind, Asked: strings.TrimSpace(s)}
	rest = strings.TrimSpace(rest)
	switch kind {
	case "count":
		if rest != "" {
			return q, fmt.Errorf("a count has no columns; for counts by a column write histogram %s", rest)
		}
		return q, nil
	case "histogram", "quantiles":
		return q, q.parseBy(rest)
	case "sum", "mean", "variance":
		value, by, grouped := strings.Cut(rest, " by ")
		c, err := parseCells(value)
		if c.Column != "" && (c.From == "" || c.To == "" || c.Step != "") {
			return q, fmt.Errorf("%s needs the range onto which values are moved: %s %s=MIN..MAX", kind, kind, c.Column)
		}
		if err != nil {
			return q, err
		}
		q.Value = &c
		if grouped {
			return q, q.parseBy(by)
		}
		return q, nil
	}
	if ours := otherKinds[strings.ToLower(kind)]; ours != "" {
		return q, fmt.Errorf("%q is not a kind of query: did you mean %s?", kind, ours)
	}
	return q, fmt.Errorf("%q is not a kind of query: write count, histogram, quantiles, sum, mean or variance", kind)
}

func (q *Query) parseBy(s string) error {
	for _, part := range strings.Split(s, " x ") {
		c, err := parseCells(part)
		if err != nil {
			return err
		}
		if _, err := strconv.ParseFloat(c.Step, 64); c.From != "" && err != nil && !slices.Contains(steps, c.Step) {
			return fmt.Errorf("%q: write FROM..TO/WIDTH, such as 0..100/5, or for dates FROM..TO/STEP, such as "+
				"2024-01-01..2025-01-01/month, with a STEP of %s", strings.TrimSpace(part), strings.Join(steps, ", "))
		}
		q.By = append(q.By, c)
	}
	return nil
}

// parseCells reads COLUMN=CELLS.
func parseCells(s string) (Cells, error) {
	column, cells, ok := strings.Cut(strings.TrimSpace(s), "=")
	c := Cells{Column: strings.TrimSpace(column)}
	cells = strings.TrimSpace(cells)
	if !ok || c.Column == "" || cells == "" {
		return c, fmt.Errorf("%q: write COLUMN=CELLS, such as branch=Central|North or age=0..100/5", strings.TrimSpace(s))
	}
	file, fileColumn, named := strings.Cut(strings.TrimPrefix(cells, "@"), ":")
	from, to, ranged := strings.Cut(cells, "..")
	switch {
	case cells == "discover":
		c.Discover = true
	case slices.Contains(fields, cells):
		c.Field = cells
	case strings.HasPrefix(cells, "@"):
		if !named {
			return c, fmt.Errorf("%q: write @FILE:COLUMN", cells)
		}
		c.File, c.FileColumn = file, fileColumn
	case ranged && !strings.Contains(cells, "|"):
		c.From = strings.TrimSpace(from)
		c.To, c.Step, _ = strings.Cut(strings.TrimSpace(to), "/")
	default:
		for _, v := range strings.Split(cells, "|") {
			c.Values = append(c.Values, strings.TrimSpace(v))
		}
	}
	return c, nil
}

// Columns returns the columns that the query reads.
func (q *Query) Columns() (names []string) {
	if q.Value != nil {
		names = append(names, q.Value.Column)
	}
	for _, c := range q.By {
		names = append(names, c.Column)
	}
	return names
}
