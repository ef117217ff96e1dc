package domain

import (
	"math"

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
	for i := range s.keep {
		s.keep[i] = b.Keep == nil || b.Keep[i]
	}
	for i := range s.conditions {
		if err := s.conditions[i].apply(b, s.keep); err != nil {
			return err
		}
	}
	b.Keep = nil
	for _, k := range s.keep {
		if !k {
			b.Keep = s.keep
			break
		}
	}
	return nil
}

func (t *Condition) apply(b *table.Batch, keep []bool) error {
	codes, err := t.OfRows(b)
	if err != nil {
		return err
	}
	for i, code := range codes[:len(keep)] {
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
