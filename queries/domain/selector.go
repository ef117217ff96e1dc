package domain

import (
	"math"
	"slices"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/internal/columnar"
	"github.com/dprelease/dprelease/queries/problem"
)

// CompiledFilters applies filters to batches. It is not safe for use by several goroutines.
type CompiledFilters struct {
	conditions []Condition
	keep       []bool
}

// Condition passes the rows of one column that have the code want.
type Condition struct {
	AxisCoder
	Want int32
	rule ruler // nil if bounds do not tell
}

// Apply leaves in a batch's Keep the rows that pass all tests, of those that were kept before; nil if all are. Keep is
// valid until Apply is called again. No error depends on a row's value.
func (s *CompiledFilters) Apply(b *table.Batch) error {
	if b.Keep != nil && len(b.Keep) != b.Rows {
		return columnar.ErrShape
	}
	if len(s.conditions) == 0 && b.Keep == nil {
		return nil
	}
	s.keep = columnar.Resize(s.keep, b.Rows)
	all := b.Keep == nil // rows are kept so far
	if !all {
		copy(s.keep, b.Keep)
	}
	for i := range s.conditions {
		if err := s.conditions[i].apply(b, s.keep, all); err != nil {
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

// apply leaves in keep the rows that pass, of all rows or of those in it.
func (t *Condition) apply(b *table.Batch, keep []bool, all bool) error {
	if r, ok := t.Values.(intRange); ok && all && t.Want == 0 {
		c, err := columnar.Of(b, t.At, t.Kind)
		if err != nil {
			return err
		}
		if c.Codes == nil && c.Ends == nil && c.Valid == nil {
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

// notNull passes all values but NaN, with the code 0.
type notNull struct{ floats bool }

func newNotNull(t table.Type) (valueCoder, []*problem.Error) {
	if t.Kind == table.Invalid {
		err := problem.BadType(t)
		err.Field = ".column"
		return nil, []*problem.Error{err}
	}
	return notNull{t.Kind == table.Float}, nil
}

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

// ruler can tell from bounds that no value between them passes a test.
type ruler interface{ excludes(table.Bounds) bool }
