package configs

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/dprelease/dprelease/configs/internal/yamltree"
)

// These are the codes of this package's diagnostics. docs/reference/errors.md explains each of them, and the codes of
// other packages.
const (
	CodeBadValue      = yamltree.CodeBadValue
	CodeContradiction = "contradiction"
	CodeDuplicate     = "duplicate"
	CodeDuplicateKey  = yamltree.CodeDuplicateKey
	CodeMissing       = yamltree.CodeMissing
	CodeMissingBound  = "missing-bound"
	CodeMissingEnv    = yamltree.CodeMissingEnv
	CodeMissingParam  = "missing-param"
	CodeTooMany       = "too-many"
	CodeUnknownKey    = yamltree.CodeUnknownKey
	CodeUnknownParam  = yamltree.CodeUnknownParam
	CodeUnreadable    = "unreadable"
	CodeUnusedParam   = "unused-param"
	CodeWrongType     = yamltree.CodeWrongType
	CodeYAML          = yamltree.CodeYAML
)

// Diagnostic is one problem of a job and its position in the file. Line and Column count from 1. Column counts
// characters.
type Diagnostic struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Code    string `json:"code"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
}

// String returns `file:line:column: code: message`. A hint follows on an indented line.
func (d Diagnostic) String() string {
	s := fmt.Sprintf("%s:%d:%d: %s: %s", d.File, d.Line, d.Column, d.Code, d.Message)
	if d.Hint != "" {
		s += "\n    hint: " + d.Hint
	}
	return s
}

// Diagnostics are the problems of a job, in the order of the file. An empty list is not an error: see Err.
type Diagnostics []Diagnostic

// Error returns all diagnostics, one after the other, without a line break at the end.
func (ds Diagnostics) Error() string {
	lines := make([]string, len(ds))
	for i, d := range ds {
		lines[i] = d.String()
	}
	return strings.Join(lines, "\n")
}

// diagnostic converts a fault in a file to a diagnostic.
func diagnostic(file string, f yamltree.Fault) Diagnostic {
	return Diagnostic{File: file, Line: f.Line, Column: f.Column, Code: f.Code, Message: f.Message, Hint: f.Hint}
}

// diagnosticsOf returns the problems of a file in the order of the file.
func diagnosticsOf(file string, r *yamltree.Report) Diagnostics {
	var out Diagnostics
	found, left := r.Faults()
	for _, f := range found {
		out = append(out, diagnostic(file, f))
	}
	out.Sort()
	if left > 0 {
		last := out[len(out)-1]
		last.Code, last.Message, last.Hint = CodeTooMany, fmt.Sprintf("and %d more problems", left), "mend these first"
		out = append(out, last)
	}
	return out
}

// Err returns the diagnostics as an error. It returns nil if there are none.
func (ds Diagnostics) Err() error {
	if len(ds) == 0 {
		return nil
	}
	return ds
}

// Sort orders diagnostics by file, line and column.
func (ds Diagnostics) Sort() {
	slices.SortStableFunc(ds, func(a, b Diagnostic) int {
		return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column),
			strings.Compare(a.Code, b.Code), strings.Compare(a.Message, b.Message))
	})
}
