package domain

import (
	"fmt"

	"github.com/dprelease/dprelease/queries/problem"
)

// FilterSpec is one public condition on one column, or several conditions that must all be fulfilled. Values are parsed
// as in [Dimension]: In and NotIn as Labels, the others as Edges.
//
// A null or NaN fulfils no condition, not even NotIn. If the bounds are numbers, a text that is not a number fulfils no
// condition either. Positive infinity is above all numbers, negative infinity below; neither is in any list.
type FilterSpec struct {
	Column string
	// The range From <= x < Before, or Min <= x <= Max. Bounds are decimal numbers, or dates and times. A missing bound is
	// nil.
	From, Before *string
	// For replaces Before: it is the length of an interval that begins at From, a number with the unit s, m, h, d or w,
	// such as 7d. If From has no offset, days and weeks are local: a day on which the clocks change has 23 or 25 hours.
	For      string
	NotNull  bool
	In       []string
	NotIn    []string
	Min, Max *string
}

func (f *FilterSpec) checkForm(field string, p *problem.Problems) {
	if f.Column == "" {
		p.Add(field+".column", problem.CodeBadSpec, "a filter needs a column", "")
	}
	if !f.NotNull && len(f.In) == 0 && len(f.NotIn) == 0 && !f.Ranged() {
		p.Add(field, problem.CodeBadSpec, "a filter needs a condition",
			"conditions: from, before, for, not_null, in, not_in, min, max")
	}
	if f.For == "" {
		return
	}
	if _, _, ok := parseDuration(f.For); !ok {
		p.Add(field+".for", problem.CodeBadValue, fmt.Sprintf("%q is not a length of time", f.For),
			"write a whole number and s, m, h, d or w: 1h")
	}
	if f.From == nil || f.Before != nil {
		p.Add(field+".for", problem.CodeBadSpec, "for needs from, at which the interval starts, and no before", "")
	}
}

// Ranged reports whether the filter compares values with a range.
func (f *FilterSpec) Ranged() bool {
	return f.From != nil || f.Before != nil || f.For != "" || f.Min != nil || f.Max != nil
}
