package sqlpush

import (
	"fmt"
	"strings"
)

// writer writes a SELECT as a tower of stages: each stage has all columns of the one below, and one or more of its own that are made of these.
type writer struct {
	Dialect
	from  string // the tower so far, a table expression without alias
	names int
	known map[string]string // names of expressions that are stages already
	sure  map[string]bool   // columns that are NULL in no row
}

func newWriter(d Dialect, from string) *writer {
	return &writer{Dialect: d, from: from, known: map[string]string{}, sure: map[string]bool{}}
}

// stage makes a column of an expression over the columns so far and returns its name. A name is returned as it is.
func (w *writer) stage(expr string) string {
	if isName(expr) {
		return expr
	}
	if name := w.known[expr]; name != "" {
		return name
	}
	w.names++
	name := fmt.Sprint("e", w.names)
	w.Layer(expr + " AS " + name)
	w.known[expr] = name
	return name
}

// Stage is stage.
func (w *writer) Stage(expr string) string { return w.stage(expr) }

// Stages makes columns of expressions at once and returns their names.
func (w *writer) Stages(exprs []string) (names []string) {
	var columns []string
	for _, x := range exprs {
		w.names++
		names = append(names, fmt.Sprint("e", w.names))
		columns = append(columns, x+" AS "+names[len(names)-1])
	}
	w.Layer(columns...)
	return names
}

// Layer makes columns that are not to be written into the places of their use.
func (w *writer) Layer(columns ...string) {
	w.push(columns...)
	w.from = strings.TrimSuffix(w.from, ")") + w.fence() + ")"
}

func isName(s string) bool {
	return !strings.ContainsFunc(s, func(c rune) bool { return (c < 'a' || c > 'z') && (c < '0' || c > '9') })
}

// push puts columns onto the tower.
func (w *writer) push(columns ...string) {
	w.names++
	s := fmt.Sprint("s", w.names)
	w.from = "(SELECT " + s + ".*, " + strings.Join(columns, ", ") + "\n FROM " + w.from + " AS " + s + ")"
}

// filter leaves rows out of the tower.
func (w *writer) filter(conditions ...string) {
	if len(conditions) == 0 {
		return
	}
	w.names++
	w.from = fmt.Sprintf("(SELECT * FROM %s AS s%d\n WHERE %s)", w.from, w.names, strings.Join(conditions, " AND "))
}
