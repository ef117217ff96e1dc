package sqlpush

import (
	"slices"

	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/sqlpush/internal/refusals"
	"github.com/dprelease/dprelease/queries/domain"
)

// abilities are what a dialect does exactly of a plan.
func (in *input) abilities(p *pipeline.Plan) refusals.Abilities {
	return refusals.Abilities{
		Exactly: in.exactly() != nil, Times: in.unitOfTimes(), Keys: in.keys().Digest != nil,
		Folds:      func(f *domain.FoldRule) bool { _, ok := in.fold("x", f); return ok },
		Characters: func(column string) bool { return in.characters(p, column) },
	}
}

// characters says that a column has texts of characters.
func (in *input) characters(p *pipeline.Plan, name string) bool {
	for _, view := range p.Views() {
		if !in.columns[p.Columns()[view[slices.Index(p.Logical(), name)]]].Characters {
			return false
		}
	}
	return true
}
