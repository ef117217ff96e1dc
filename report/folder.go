package report

import (
	"github.com/dprelease/dprelease/queries"
	"github.com/dprelease/dprelease/queries/domain"
)

// RowTable is a table whose rows are held: each key has a label a row.
func RowTable(query, holds string, rows int, keys []domain.KeyColumn, names []string, values [][]float64) *Table {
	t := &Table{Query: query, Holds: holds, Cells: rows, Keys: keys}
	for i, name := range names {
		t.Values = append(t.Values, Column{name, heldSeries(values[i])})
	}
	t.Uniform = len(names) == len(columnTexts) && uniform(t.column("standard_deviation"), rows)
	return t
}

// heldSeries yields values that are held.
func heldSeries(values []float64) queries.Series {
	return func(start int, dst []float64) { copy(dst, values[start:]) }
}

// uniform says whether a series has one value. Of a long one the ends are looked at: the series whose values differ are short.
func uniform(s queries.Series, n int) bool {
	if s == nil || n == 0 {
		return n == 0
	}
	values := make([]float64, min(n, 2*block))
	half := (len(values) + 1) / 2
	s(0, values[:half])
	s(n-(len(values)-half), values[half:])
	for _, x := range values {
		if x != values[0] {
			return false
		}
	}
	return true
}
