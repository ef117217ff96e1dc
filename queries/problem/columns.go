package problem

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dprelease/dprelease/internal/spelling"
	"github.com/dprelease/dprelease/io/table"
)

// UnknownColumn reports that schema s has no column with this name. The hint names similar columns, or all columns.
func UnknownColumn(name, field string, s table.Schema, p *Problems) {
	names := make([]string, len(s.Fields))
	for i, f := range s.Fields {
		names[i] = f.Name
	}
	hint := "columns: " + strings.Join(names, ", ")
	if near := nearNames(name, names); len(near) > 0 {
		hint = "did you mean " + strings.Join(near, " or ") + "?"
	}
	p.Add(field, CodeUnknownColumn, "the input has no column "+name, hint)
}

// nearNames returns up to three names that are similar to name (at most a third of the letters differ), nearest first.
func nearNames(name string, names []string) []string {
	distance := map[string]int{}
	var near []string
	for _, n := range names {
		d := spelling.Distance(strings.ToLower(name), strings.ToLower(n))
		if d <= (len(name)+2)/3 {
			distance[n] = d
			near = append(near, n)
		}
	}
	slices.SortStableFunc(near, func(a, b string) int { return distance[a] - distance[b] })
	return near[:min(len(near), 3)]
}

// TypesOfTexts is the part of a hint that says where a job types the columns of text files.
const TypesOfTexts = "input.csv.types and input.jsonl.columns type columns"

// BadType returns the problem that a column of type t cannot be used. Its Hint is empty if queries can read the type,
// but not for this use.
func BadType(t table.Type) *Error {
	e := &Error{Code: CodeColumnType, Message: fmt.Sprintf("a column of type %s cannot be used here", t)}
	if t.Kind == table.Invalid {
		e.Hint = "convert it before: in a database by a CAST in input.sql.query, in a file when it is written"
	}
	return e
}
