package manifest

import (
	"errors"
	"math"
	"slices"

	"github.com/dprelease/dprelease/calibrate"
)

// searchMechanism returns the mechanism of the query's search for a clamp or row bound; nil if it has no search.
func (q *Query) searchMechanism() *Mechanism {
	switch {
	case q.Search != nil:
		return &q.Search.Mechanism
	case q.RowsSearch != nil:
		return &q.RowsSearch.Mechanism
	}
	return nil
}

// searchRuleVersion returns the version of the rule by which the search chose from the histogram.
func (q *Query) searchRuleVersion() int {
	if q.RowsSearch != nil {
		return q.RowsSearch.RuleVersion
	}
	if q.Search != nil {
		return q.Search.RuleVersion
	}
	return 0
}

// charged returns the query's mechanisms as they were charged, before a search changed their sensitivity; nil if the
// query does not state them.
func (q *Query) charged() []Charged {
	switch {
	case q.Search != nil:
		return q.Search.Charged
	case q.RowsSearch != nil:
		return q.RowsSearch.Charged
	}
	return nil
}

// Charged returns the mechanisms of the query as they were charged, in the order of Calibrated; nil if the query has a
// search but does not state them.
func (q *Query) Charged() []calibrate.Mechanism {
	out, charged := q.Calibrated(), q.charged()
	if q.searchMechanism() == nil {
		return out
	}
	if len(charged) != len(q.Mechanisms) {
		return nil
	}
	for i, c := range charged {
		out[i].Sens.L2, out[i].Sigma = c.L2, calibrate.Sigma(c.Sigma)
	}
	return out
}

// checkSearch checks a query whose clamp or row bound was chosen from a noisy histogram. It returns an error unless the
// histogram gives the stated clamp or bound, and the noise of the answers is what was charged, for the sensitivity
// under that clamp or bound. It returns nil if the query has no search.
func (q *Query) checkSearch() error {
	mechanism := q.searchMechanism()
	if mechanism == nil {
		return nil
	}
	if q.Search != nil && q.RowsSearch != nil {
		return errors.New(q.Name + ": a query has one search")
	}
	m := mechanism.calibrated(q.Name)
	if mechanism.Noise != Gaussian || m.Deviation() != mechanism.StandardDeviation || float64(m.Mu()) != mechanism.Mu {
		return errors.New(m.Query +
			": its mu or standard deviation does not follow from its sigma, grid and sensitivity, or its noise is not Gaussian")
	}
	if err := q.checkCharge(mechanism); err != nil {
		return err
	}
	if q.RowsSearch != nil {
		return q.checkRowsSearch(m)
	}
	return q.checkClampSearch(m)
}

// checkCharge returns an error unless the mechanisms have the mu that was charged, and the search its stated fraction.
func (q *Query) checkCharge(search *Mechanism) error {
	charged, drawn := q.Charged(), q.Calibrated()
	if charged == nil {
		return errors.New(q.Name + ": what was charged before its sensitivity was found is not stated")
	}
	mu2 := 0.0
	for i := range q.Mechanisms {
		mu2 += q.Mechanisms[i].Mu * q.Mechanisms[i].Mu
		if drawn[i].ChosenBy != "" && drawn[i].ChosenBy != search.calibrated(q.Name).Query || !drawn[i].Within(charged[i]) ||
			!sameNoiseRatio(drawn[i], charged[i]) {
			return errors.New(drawn[i].Query + ": its noise is not what was charged, for the sensitivity that was found")
		}
	}
	share := q.share()
	if own := search.Mu * search.Mu; !(math.Abs(own/(own+mu2)-share) <= 1e-9*share) {
		return errors.New(q.Name + ": its search did not take the share of the budget that is stated")
	}
	return nil
}

func (q *Query) share() float64 {
	if q.RowsSearch != nil {
		return q.RowsSearch.Share
	}
	return q.Search.Share
}

// sameNoiseRatio reports whether the two mechanisms have the same ratio of sigma to sensitivity, up to rounding.
func sameNoiseRatio(drawn, charged calibrate.Mechanism) bool {
	one, other := float64(drawn.Sigma)/drawn.Sens.L2, float64(charged.Sigma)/charged.Sens.L2
	return math.Abs(one-other) <= 0x1p-50*other
}

// equalRounded reports whether two numbers are equal up to a relative error of 1e-12, since machines may round roots
// differently.
func equalRounded(stated, follows float64) bool { return math.Abs(stated-follows) <= 1e-12*follows }

// checkRowsSearch returns an error unless the row bound follows from the noisy histogram.
func (q *Query) checkRowsSearch(m calibrate.Mechanism) error {
	s := q.RowsSearch
	if !s.Same() || s.Grid != m.Grid || s.Deviation != m.Deviation() || s.Groups != q.Cells ||
		len(s.Most) != len(q.Mechanisms) {
		return errors.New(q.Name + ": its bound on rows is not the one that is chosen from the noisy histogram")
	}
	noise, widest := 0.0, 0.0
	for i, most := range s.Most {
		noise = math.Hypot(noise, q.Mechanisms[i].Sigma/most)
		widest = math.Hypot(widest, s.Charged[i].Sigma/most)
	}
	if !equalRounded(s.Noise[slices.Index(s.Steps, s.MaxRows)], noise) || !equalRounded(s.Noise[len(s.Noise)-1], widest) ||
		!slices.IsSorted(s.Noise) {
		return errors.New(q.Name + ": its noise is not the one for which its bound on rows was chosen")
	}
	return nil
}

// checkClampSearch returns an error unless the clamp follows from the noisy histogram. The rule that chose the clamp
// was given the noise per unit of the clamp: the noise charged for the whole range, divided by the largest absolute
// value in that range or, if values are centred, by half its width.
func (q *Query) checkClampSearch(m calibrate.Mechanism) error {
	s := q.Search
	if !s.Same() || s.Grid != m.Grid || s.Deviation != m.Deviation() {
		return errors.New(q.Name + ": its clamp is not the one that is chosen from the noisy histogram")
	}
	size := max(s.Most, -s.Least)
	if s.Centred {
		size = s.Most - (s.Least + (s.Most-s.Least)/2)
	}
	noise := s.Charged[0].Sigma / math.Ldexp(float64(size), s.Exponent)
	if len(s.Charged) > 1 {
		noise = math.Hypot(noise, s.Charged[1].Sigma)
	}
	if !equalRounded(s.Noise, noise) || s.Groups != q.Cells {
		return errors.New(q.Name + ": its noise is not the one for which its clamp was chosen")
	}
	return nil
}
