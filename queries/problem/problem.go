// Package problem gathers all problems of a query, for the author of the job. Each problem has its path in the job, a
// code and a hint.
package problem

import (
	"errors"
	"fmt"
)

// Error is one problem of a query, for the person who writes the job. It never holds a value of the private table.
type Error struct {
	// Query is the query's name; empty if the problem belongs to no single query.
	Query string
	// Field is the path in the job file, relative to the query: "per_unit", "histogram.by[0].edges". The path
	// "privacy.unit" is relative to the root.
	Field string
	// Code identifies the kind of problem, for programs.
	Code string
	// Message says what is wrong. Hint says what to do; it may be empty.
	Message, Hint string
}

// Error returns the problem in one line.
func (e *Error) Error() string {
	s := fmt.Sprintf("%s: %s: %s", e.Field, e.Code, e.Message)
	if e.Query != "" {
		s = "query " + e.Query + ": " + s
	}
	if e.Hint != "" {
		s += " (" + e.Hint + ")"
	}
	return s
}

// The codes of Error.
const (
	CodeBadSpec        = "bad-query"       // the parts of the spec contradict each other
	CodeBadValue       = "bad-value"       // a label, an edge or a number does not fit the column or key
	CodeDuplicate      = "duplicate"       // two labels, cells or key columns are the same
	CodeMissingBound   = "missing-bound"   // no bound limits the contribution of a unit
	CodeConstant       = "constant-query"  // the adjacency makes the answer public
	CodeLowSensitivity = "low-sensitivity" // the declared sensitivity is below the one that the bounds imply
	CodeTooManyCells   = "too-many-cells"  // the query has more cells than memory can hold
	CodeUnknownColumn  = "unknown-column"  // the input has no column of this name
	CodeColumnType     = "column-type"     // the column's type does not fit its use
	CodeRows           = "row-count"       // the input has another number of rows than was declared
)

// The paths of fields that several packages report.
const (
	FieldUnit        = "privacy.unit"
	FieldBounds      = "per_unit"
	FieldSensitivity = "sensitivity"
)

// Errors returns the problems that err holds. If err is not nil and holds no problem, it becomes a problem itself.
func Errors(err error) (all []*Error) {
	var joined interface {
		error
		Unwrap() []error
	}
	var e *Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &joined):
		for _, one := range joined.Unwrap() {
			all = append(all, Errors(one)...)
		}
		return all
	case errors.As(err, &e):
		return []*Error{e}
	}
	return []*Error{{Code: CodeBadSpec, Message: err.Error()}}
}

// Problems gathers the problems of one query.
type Problems struct {
	Query string
	List  []*Error
}

// Add reports a problem at a field of the query.
func (p *Problems) Add(field, code, message, hint string) {
	p.List = append(p.List, &Error{Query: p.Query, Field: field, Code: code, Message: message, Hint: hint})
}

// Err returns the problems as one error; nil if there is none.
func (p *Problems) Err() error {
	errs := make([]error, len(p.List))
	for i, e := range p.List {
		errs[i] = e
	}
	return errors.Join(errs...)
}

// One returns one problem of a query as an error.
func One(query, field, code, message, hint string) error {
	p := &Problems{Query: query}
	p.Add(field, code, message, hint)
	return p.Err()
}
