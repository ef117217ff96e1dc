package sink

import (
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/query"
)

// valueColumn is a column of doubles.
type valueColumn struct {
	name   string
	series query.Series
}

// table is the public result of one query as rows and columns. The columns are read in blocks, never held in memory
// whole.
type table struct {
	Name     string
	cells    int
	keys     []domain.KeyColumn
	values   []valueColumn
	sparse   bool
	nullable bool // values may be missing, written as NaN
	Query    string
	Holds    string // the kind of a table computed from the query's answer, such as quantiles; "" for the answer itself
	estimate int    // index of the estimate in values
}

// tablesOf checks a result and returns its table, and the tables computed from its answer.
func tablesOf(r pipeline.Result) ([]*table, error) {
	tables := []*table{newTable(r)}
	for _, x := range r.Answer.Readings {
		t := newTable(pipeline.Result{Name: r.Name + "." + x.Name, Answer: x.Answer})
		t.Query, t.Holds = r.Name, x.Name
		tables = append(tables, t)
	}
	for _, t := range tables {
		if err := t.problem(); err != "" {
			return nil, refusal("write", t.Name, CodeFormat, err)
		}
	}
	return tables, nil
}

func newTable(r pipeline.Result) *table {
	a := r.Answer
	t := &table{Name: r.Name, Query: r.Name, cells: a.Cells, keys: a.Keys, values: valueColumnsOf(a), sparse: r.Sparse,
		nullable: mayMiss(a)}
	t.estimate = slices.IndexFunc(t.values, func(v valueColumn) bool { return v.name == "estimate" })
	return t
}

// mayMiss reports whether cells may have no value. An answer with further columns is a quotient, which has no value if
// its denominator is not positive. A quantile has no value if there are no rows. The result does not depend on the
// values, so a query always has the same schema.
func mayMiss(a query.Answer) bool { return len(a.Extra) > 0 || isDerived(a) }

// isDerived reports whether a table was computed from another answer, as quantiles are. It then has estimates and
// intervals, but no noisy values.
func isDerived(a query.Answer) bool { return a.Noisy == nil && a.Sigma == nil }

// valueColumnsOf returns the columns after the keys, in order.
func valueColumnsOf(a query.Answer) []valueColumn {
	if isDerived(a) {
		return []valueColumn{{"estimate", a.Estimate}, {"ci95_low", a.Low}, {"ci95_high", a.High}}
	}
	columns := []valueColumn{
		{"noisy", a.Noisy}, {"estimate", a.Estimate}, {"standard_deviation", a.Sigma}, {"ci95_low", a.Low}, {"ci95_high",
			a.High},
	}
	for _, e := range a.Extra {
		columns = append(columns, valueColumn{e.Name, e.Values})
	}
	return columns
}

// problem describes why the table cannot be written; "" if it can be written.
func (t *table) problem() string {
	if !isFileName(t.Name) {
		return "the query's name can't be a file name"
	}
	for _, v := range t.values {
		if v.series == nil {
			return "the answer lacks a column"
		}
	}
	for _, k := range t.keys {
		if labelCount(k.Labels) == 0 || k.Stride < 1 {
			return "a key column has no labels"
		}
	}
	names := t.columns()
	for i, name := range names {
		switch {
		case name == "":
			return "a column has no name"
		case slices.Contains(names[:i], name):
			return "two columns have the same name"
		}
	}
	return ""
}

// columns returns the names of all columns in order.
func (t *table) columns() []string {
	names := make([]string, 0, len(t.keys)+len(t.values))
	for _, k := range t.keys {
		names = append(names, k.Name)
	}
	for _, v := range t.values {
		names = append(names, v.name)
	}
	return names
}

// isMissing reports whether a value is missing. Only a nullable table has missing values.
func (t *table) isMissing(v float64) bool { return t.nullable && math.IsNaN(v) }

// labelCount returns the number of labels; 0 unless exactly one of the slices of l is set.
func labelCount(l domain.Labels) int {
	s, i, f := len(l.Strings), len(l.Ints), len(l.Floats)
	if n := max(s, i, f); n == s+i+f {
		return n
	}
	return 0
}

// labelAt returns the index of a cell's label among the n labels of the key column k.
func labelAt(k domain.KeyColumn, n, cell int) int { return (cell / k.Stride) % n }

// isFileName reports whether a name is a file name without a path on every operating system.
func isFileName(name string) bool {
	return filepath.IsLocal(name) && name != "." && !strings.ContainsAny(name, "/\\:\x00")
}
