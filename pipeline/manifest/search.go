package manifest

import (
	"errors"
	"math"
)

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
