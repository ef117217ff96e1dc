package sqlpush

import (
	"testing"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/aggregation"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/problem"
)

// A form of coding that only filters have is refused in an axis, as a form is that no dialect knows.
func TestAxesOfUnknownFormsAreRefused(t *testing.T) {
	span := &domain.Span[int64]{Most: 1}
	for _, r := range []domain.Coding{{}, {NotNull: true}, {IntRange: span}, {FloatRange: &domain.Span[float64]{Most: 1}}} {
		r.Column, r.Type = "x", table.Type{Kind: table.Int}
		c := &refusals{of: &aggregation.Aggregation{}, found: &problem.Problems{}}
		c.axis(&r)
		if len(c.found.List) != 1 {
			t.Errorf("%+v: %v", r, c.found.List)
		}
	}
}
