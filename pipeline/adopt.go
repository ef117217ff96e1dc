package pipeline

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/internal/ledger"
	"github.com/dprelease/dprelease/queries/query"
)

// Adopt returns the plan with the mechanisms that an earlier attempt at the same run charged, instead of its own. The
// charged mechanisms must have the plan's sensitivities, and their composition must meet the plan's guarantee, minus
// the part of delta for key selection. Their names may differ, because renaming a query does not change the run
// fingerprint.
func (p *Plan) Adopt(c ledger.Charge) (*Plan, error) {
	mismatch := &ledger.MismatchError{Run: c.Run, Number: c.Number, What: "mechanisms"}
	named := p.renamed(c.Mechanisms)
	sameQuestion := slices.EqualFunc(named, p.Mechanisms(), func(x, y calibrate.Mechanism) bool {
		return x.Sens.L2 == y.Sens.L2 && x.Noise == y.Noise && x.RuleVersion == y.RuleVersion &&
			partOf(x.Query) == partOf(y.Query)
	})
	if !sameQuestion || c.Account != p.Account() || c.DeltaShare != p.failure.share ||
		calibrate.Verify(c.Mechanisms, p.noise) != nil {
		return nil, mismatch
	}
	adopted, rest := *p, c.Mechanisms
	adopted.queries = slices.Clone(p.queries)
	for i := range adopted.queries {
		q := &adopted.queries[i]
		n := len(q.Mechanisms)
		named := q.Mechanisms
		q.Mechanisms, rest, q.names = slices.Clone(rest[:n]), rest[n:], make([]string, n)
		for j := range q.Mechanisms {
			q.names[j], q.Mechanisms[j].Query, q.Mechanisms[j].Sens.Why = q.Mechanisms[j].Query, named[j].Query,
				named[j].Sens.Why
		}
		if q.Search != nil {
			q.Search, rest = q.Search.Adopt(rest[0], q.Mechanisms), rest[1:]
		}
		if q.adoptSelection() != nil || q.describe(p.adjacency) != nil {
			return nil, mismatch
		}
	}
	return &adopted, nil
}

// renamed returns the charged mechanisms, with the plan's names for the components of crosstabs. These names are made
// of names of dimensions. Renaming a dimension does not change the run fingerprint, so the components are matched by
// position.
func (p *Plan) renamed(charged []calibrate.Mechanism) []calibrate.Mechanism {
	out, first := slices.Clone(charged), 0
	for i := range p.queries {
		q := &p.queries[i]
		for j, m := range q.All() {
			if q.Kind == query.Crosstab && first+j < len(out) {
				out[first+j].Query = m.Query
			}
		}
		first += len(q.All())
	}
	return out
}

// partOf returns the name of a component from the name of its mechanism: "sum" for "mean/sum", in which "mean" is the
// query's name. See manifest.MechanismName.
func partOf(mechanism string) string {
	_, component, _ := strings.Cut(mechanism, "/")
	return component
}

// Charged returns the mechanism of a component under the name that the ledger recorded.
func (q *Planned) Charged(component int) calibrate.Mechanism {
	m := q.Mechanisms[component]
	if component < len(q.names) {
		m.Query = q.names[component]
	}
	return m
}

// adoptSelection recomputes the threshold for selecting private keys from the adopted mechanism's noise. It keeps the
// plan's weights of keys, because shards may have added up weighted rows already. It returns an error if this noise
// requires smaller weights.
func (q *Planned) adoptSelection() error {
	if q.Selection == nil {
		return nil
	}
	s := *q.Selection
	s.Mechanism = q.Mechanisms[0]
	_, err := s.Threshold()
	if err == nil && s.Weighted {
		err = allowsWeights(&s, q.Selection)
	}
	q.Selection = &s
	return err
}

// allowsWeights returns an error if the selection s requires smaller weights of keys than planned.
func allowsWeights(s, planned *calibrate.KeySelection) error {
	weights, err := planned.Weights()
	if err != nil {
		return err
	}
	most, err := s.Weights()
	if err != nil {
		return err
	}
	for i, w := range weights {
		if w > most[i] {
			return fmt.Errorf("the noise allows no weight of %d for %d keys", w, i+1)
		}
	}
	return nil
}
