package sqlpush

import (
	"fmt"
	"strings"
)

// writer builds a SELECT from nested stages: each stage has all columns of the stage below it, and new columns that are
// computed from these.
type writer struct {
	dialect
	from      string // the table expression, without alias, of the nested stages so far
	names     int
	known     map[string]string // names of columns, by the expressions that they hold
	neverNull map[string]bool   // columns without NULL
	keepsRows bool              // several queries of different cells need the rows: none is dropped
	oneAxis   bool              // there is one dimension, so its codes are the numbers of cells
}

func newWriter(d dialect, from string) *writer {
	return &writer{dialect: d, from: from, known: map[string]string{}, neverNull: map[string]bool{}}
}

// stage adds a column for an expression over the columns so far and returns its name. If x is a column's name or a
// number, it returns x.
func (w *writer) stage(x string) string {
	if isName(x) {
		return x
	}
	if name := w.known[x]; name != "" {
		return name
	}
	w.names++
	name := fmt.Sprint("e", w.names)
	w.layer(x + " AS " + name)
	w.known[x] = name
	return name
}

// stages adds columns for several expressions in one stage and returns their names.
func (w *writer) stages(exprs []string) (names []string) {
	var columns []string
	for _, x := range exprs {
		w.names++
		names = append(names, fmt.Sprint("e", w.names))
		columns = append(columns, x+" AS "+names[len(names)-1])
	}
	w.layer(columns...)
	return names
}

// layer adds columns in a stage that the optimizer must not inline.
func (w *writer) layer(columns ...string) {
	w.push(columns...)
	w.from = strings.TrimSuffix(w.from, ")") + w.fence() + ")"
}

// push adds a stage with columns, which the optimizer may inline.
func (w *writer) push(columns ...string) {
	w.names++
	s := fmt.Sprint("s", w.names)
	w.from = "(SELECT " + s + ".*, " + strings.Join(columns, ", ") + "\n FROM " + w.from + " AS " + s + ")"
}

// filter adds a stage that drops the rows for which a condition is not true.
func (w *writer) filter(conditions ...string) {
	if len(conditions) == 0 {
		return
	}
	w.names++
	w.from = fmt.Sprintf("(SELECT * FROM %s AS s%d\n WHERE %s)", w.from, w.names, strings.Join(conditions, " AND "))
}

// filterFound does the same as filter, for conditions on columns that are expensive to compute. The stage keeps the
// optimizer from moving the conditions below these columns, where it would compute them again.
func (w *writer) filterFound(conditions ...string) {
	if wall := w.wall(); wall != "" && len(conditions) > 0 {
		w.names++
		name := fmt.Sprint("e", w.names)
		w.push(wall + " AS " + name)
		conditions = append([]string{name + " >= 0"}, conditions...)
	}
	w.filter(conditions...)
}
