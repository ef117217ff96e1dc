package base

import (
	"fmt"
	"slices"

	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/internal/answers"
	"github.com/dprelease/dprelease/queries/problem"
	"github.com/dprelease/dprelease/queries/query"
)

// CheckDiscovered reports what is wrong with dimensions of which some discover their keys. The answer has some columns beside those of every answer.
func CheckDiscovered(s query.Spec, axes []domain.Axis, columns []string, p *problem.Problems) {
	names := answers.OwnColumns(s, columns)
	for _, a := range axes {
		if a.Nearest != nil && a.Nearest.BandwidthM != 0 {
			p.Add(a.Field+".nearest.kernel", problem.CodeBadSpec, "a kernel spreads rows over cells, and keys that are discovered are counted whole", "leave kernel out, or list the keys")
		}
		if a.Domain != nil {
			for _, k := range a.Domain.Keys(a.Name(), a.Extra.Names) {
				names = append(names, k.Name)
			}
		}
	}
	for i, d := range s.By {
		field := s.DimensionField(i)
		if !d.Discover {
			continue
		}
		domain.CheckForm(d, field, p)
		if d.Null == domain.OwnCell || d.Other == domain.OwnCell {
			p.Add(field, problem.CodeBadSpec, "there is no cell for the rows without a key if keys are discovered", "use drop")
		}
		if slices.Contains(names, d.KeyName()) {
			p.Add(field, problem.CodeDuplicate, fmt.Sprintf("the answer would have two columns %q", d.KeyName()), "name this one with as: NAME")
		}
		names = append(names, d.KeyName())
	}
}
