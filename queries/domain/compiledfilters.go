package domain

import (
	"math"
	"slices"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/internal/columnar"
)

// CompiledFilters applies filters to the batches of one schema. It must not be used by several goroutines at the same
// time.
type CompiledFilters struct {
	tests []Test
	keep  []bool
}

// Condition keeps rows whose value has the code Want.
type Condition struct {
	Coding
	Want int32
}

// Test evaluates a condition on batches.
type Test struct {
	*AxisCoder
	*Condition
}

// Test returns the evaluation of a condition for batches with the columns of l. The columns must have been checked.
func (c *Condition) Test(l BatchColumns) Test { return Test{c.axisCoder(l), c} }

// Apply updates b.Keep: a row stays in it only if it fulfils all conditions. If Keep is nil, all rows are in it before.
// Keep is valid until the next call. No error depends on a row's value.
func (s *CompiledFilters) Apply(b *table.Batch) error {
	if b.Keep != nil && len(b.Keep) != b.Rows {
		return columnar.ErrShape
	}
	if len(s.tests) == 0 && b.Keep == nil {
		return nil
	}
	s.keep = columnar.Resize(s.keep, b.Rows)
	all := b.Keep == nil // whether no condition has dropped a row yet
	if !all {
		copy(s.keep, b.Keep)
	}
	for i := range s.tests {
		if err := s.tests[i].apply(b, s.keep, all); err != nil {
			return err
		}
		all = false
	}
	b.Keep = nil
	if slices.Contains(s.keep, false) {
		b.Keep = s.keep
	}
	return nil
}

// apply sets keep[i] to whether row i fulfils the condition. If all is false, keep[i] stays false for rows that earlier
// conditions have dropped.
func (t *Test) apply(b *table.Batch, keep []bool, all bool) error {
	if r, ok := t.Values.(intRange); ok && all && t.Want == 0 {
		c, err := columnar.Of(b, t.At, t.Kind)
		if err != nil {
			return err
		}
		if c.Codes == nil && c.Valid == nil {
			r.contains(c.Values.Ints[:len(keep)], keep)
			return nil
		}
	}
	codes, err := t.OfRows(b)
	if err != nil {
		return err
	}
	codes = codes[:len(keep)]
	if all {
		for i, code := range codes {
			keep[i] = code == t.Want
		}
		return nil
	}
	for i, code := range codes {
		keep[i] = keep[i] && code == t.Want
	}
	return nil
}

// notNull maps every value except NaN to 0.
type notNull struct{ floats bool }

func (n notNull) Codes(v table.Values, from int, dst []int32) {
	clear(dst)
	if !n.floats {
		return
	}
	for i := range dst {
		if math.IsNaN(v.Floats[from+i]) {
			dst[i] = columnar.Dropped
		}
	}
}
