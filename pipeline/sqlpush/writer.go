package sqlpush

import (
	"fmt"
	"strings"
)

// writer writes a SELECT as a tower of stages: each stage has all columns of the one below, and one or more of its own
// that are made of these.
type writer struct {
	dialect
	from  string // the tower so far, a table expression without alias
	names int
	known map[string]string // names of expressions that are stages already
	sure  map[string]bool   // columns that are NULL in no row
	alone bool              // the code of the one dimension is the number of the cell
}

func newWriter(d dialect, from string) *writer {
	return &writer{dialect: d, from: from, known: map[string]string{}, sure: map[string]bool{}}
}

// stage makes a column of an expression over the columns so far and returns its name. A name is returned as it is.
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

// stages makes columns of expressions at once and returns their names.
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

// layer makes columns that are not to be written into the places of their use.
func (w *writer) layer(columns ...string) {
	w.push(columns...)
	w.from = strings.TrimSuffix(w.from, ")") + w.fence() + ")"
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

// filterFound leaves rows out by columns of the tower that were computed. An optimizer that moves conditions down would
// write the expressions of these columns into them, again and again.
func (w *writer) filterFound(conditions ...string) {
	if wall := w.wall(); wall != "" && len(conditions) > 0 {
		w.names++
		name := fmt.Sprint("e", w.names)
		w.push(wall + " AS " + name)
		conditions = append([]string{name + " >= 0"}, conditions...)
	}
	w.filter(conditions...)
}
