package manifest

import (
	"errors"
	"math"
	"slices"
)

// searching is the mechanism of the search; nil if nothing is found.
func (q *Query) searching() *Mechanism {
	switch {
	case q.Search != nil:
		return &q.Search.Mechanism
	case q.RowsSearch != nil:
		return &q.RowsSearch.Mechanism
	}
	return nil
}

// searchedRows says whether the bound is the one that the noisy histogram gives, and whether the noise is the one for which it was chosen.
func (q *Query) searchedRows() error {
	s := q.RowsSearch
	if s == nil {
		return nil
	}
	m := s.Mechanism.calibrated(q.Name)
	switch {
	case m.Deviation() != s.Mechanism.StandardDeviation || float64(m.Mu()) != s.Mechanism.Mu || s.Grid != m.Grid || s.Deviation != m.Deviation():
		return errors.New(m.Query + ": its mu, grid or standard deviation does not follow from its sigma and sensitivity")
	case !s.Same() || len(s.Most) != len(q.Mechanisms):
		return errors.New(q.Name + ": its bound on rows is not the one that is chosen from the noisy histogram")
	}
	noise := 0.0
	for i, most := range s.Most {
		noise = math.Hypot(noise, q.Mechanisms[i].Sigma/most)
	}
	if s.Noise[slices.Index(s.Steps, s.MaxRows)] != noise {
		return errors.New(q.Name + ": its noise is not the one for which its bound on rows was chosen")
	}
	return nil
}

// searched says whether the clamp is the one that the noisy histogram gives.
func (q *Query) searched() error {
	s := q.Search
	if s == nil {
		return nil
	}
	m := s.Mechanism.calibrated(q.Name)
	switch {
	case m.Deviation() != s.Mechanism.StandardDeviation || float64(m.Mu()) != s.Mechanism.Mu || s.Grid != m.Grid || s.Deviation != m.Deviation():
		return errors.New(m.Query + ": its mu, grid or standard deviation does not follow from its sigma and sensitivity")
	case !s.Same():
		return errors.New(q.Name + ": its clamp is not the one that is chosen from the noisy histogram")
	}
	size := math.Max(math.Abs(s.Clamp[0]), math.Abs(s.Clamp[1]))
	if s.Centred {
		size = (s.Clamp[1] - s.Clamp[0]) / 2
	}
	noise := q.Mechanisms[0].Sigma / size
	if len(q.Mechanisms) > 1 {
		noise = math.Hypot(noise, q.Mechanisms[1].Sigma)
	}
	// Under replace-one sensitivities are not quite in proportion to the clamp.
	if !(noise > s.Noise/3 && noise < s.Noise*3) {
		return errors.New(q.Name + ": its noise is not the one for which its clamp was chosen")
	}
	return nil
}
