package report

import (
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/query"
)

// HeldTable returns a table whose rows are in memory. keys[i].Labels has one label for each row, and values[j] has one
// number for each row.
func HeldTable(query, holds string, rows int, keys []domain.KeyColumn, names []string, values [][]float64) *Table {
	t := &Table{Query: query, Holds: holds, Cells: rows, Keys: keys}
	for i, name := range names {
		t.Values = append(t.Values, Column{name, heldSeries(values[i])})
	}
	t.Uniform = len(names) == len(columnTexts) && uniform(t.column("standard_deviation"), rows)
	return t
}

// heldSeries returns a series over values in memory.
func heldSeries(values []float64) query.Series {
	return func(start int, dst []float64) { copy(dst, values[start:]) }
}
