package pipeline

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"slices"

	"github.com/dprelease/dprelease/calibrate"
)

// Mechanisms returns the mechanisms that a manifest states, in order, as the ledger names them.
func (m *Manifest) Mechanisms() []calibrate.Mechanism {
	var out []calibrate.Mechanism
	for i := range m.Queries {
		q := &m.Queries[i]
		for _, p := range q.Parts {
			part := p.Name
			if p.Name == q.Name && len(q.Parts) == 1 {
				part = ""
			}
			out = append(out, calibrate.Mechanism{
				Query: partName(q.Name, part), Sigma: calibrate.Sigma(p.Sigma), Grid: p.Grid,
				Sens: calibrate.Sensitivity{L2: p.Sensitivity.L2, Why: p.Sensitivity.Why},
			})
		}
	}
	return out
}

// Meets says whether the noise that a manifest states meets the guarantee that it states, by the definition (Balle & Wang 2018, Theorem
// 8), and whether the numbers that follow from others do follow.
func (m *Manifest) Meets() error {
	ms := m.Mechanisms()
	g := m.Privacy.guarantee()
	g.Delta = m.noiseDelta()
	if err := calibrate.Verify(ms, g); err != nil {
		return err
	}
	if err := m.selects(); err != nil {
		return err
	}
	if mu := float64(calibrate.ComposedMu(ms)); mu != m.Privacy.Mu {
		return fmt.Errorf("the mechanisms have mu %g together, and the manifest says %g", mu, m.Privacy.Mu)
	}
	for i, n := 0, 0; i < len(m.Queries); i++ {
		for _, p := range m.Queries[i].Parts {
			if ms[n].Deviation() != p.StandardDeviation || float64(ms[n].Mu()) != p.Mu {
				return errors.New(ms[n].Query + ": its mu or standard deviation does not follow from sigma, grid and sensitivity")
			}
			n++
		}
	}
	return m.repeats(ms)
}

// noiseDelta is the delta that the noise has to meet: what selecting keys may fail is taken off, in the decimals of the job.
func (m *Manifest) noiseDelta() calibrate.Delta {
	if m.Privacy.DeltaFailure == 0 || m.Privacy.PrivacyStatement == nil {
		return calibrate.Delta(m.Privacy.Delta)
	}
	var job struct {
		Privacy struct {
			Delta json.Number `json:"delta"`
		} `json:"privacy"`
	}
	_ = json.Unmarshal(m.Job, &job) // what is not there is no number
	delta := job.Privacy.Delta.String()
	if deltaLess(delta, "0") != m.Privacy.Delta {
		return 0
	}
	return calibrate.Delta(deltaLess(delta, m.Privacy.Guarantee.DeltaFailure))
}

// selects says whether the selections take no more of delta than is stated, at the thresholds that this needs.
func (m *Manifest) selects() error {
	taken := new(big.Rat)
	for i := range m.Queries {
		q := &m.Queries[i]
		if q.Selection == nil {
			continue
		}
		if err := q.selects(); err != nil {
			return err
		}
		part := new(big.Rat)
		if part.SetFloat64(q.Selection.Delta) != nil {
			taken.Add(taken, part)
		}
	}
	stated := new(big.Rat)
	if s := m.Privacy.PrivacyStatement; s != nil {
		share, err := calibrate.ParseDecimal(s.Guarantee.DeltaFailure)
		if err != nil {
			return errors.New("the privacy block's delta_failure is no number")
		}
		stated = share.Rat()
	} else if stated.SetFloat64(m.Privacy.DeltaFailure) == nil {
		return errors.New("delta_failure is no number")
	}
	if f, _ := stated.Float64(); f != m.Privacy.DeltaFailure || taken.Cmp(stated) > 0 {
		return fmt.Errorf("the selections take more of delta than the %g that the manifest says, or the privacy block says otherwise", m.Privacy.DeltaFailure)
	}
	return nil
}

// selects says whether the query's threshold is what its noise and its part of delta need.
func (q *ManifestQuery) selects() error {
	if len(q.Parts) == 1 {
		p := q.Parts[0]
		s := calibrate.Selection{Keys: q.Selection.MaxGroups, Failure: calibrate.Delta(q.Selection.Delta), Mechanism: calibrate.Mechanism{
			Query: q.Name, Sigma: calibrate.Sigma(p.Sigma), Grid: p.Grid, Sens: calibrate.Sensitivity{L2: p.Sensitivity.L2, Why: p.Sensitivity.Why},
		}}
		if units, err := s.Threshold(); err == nil && float64(units)*p.Grid <= q.Selection.Threshold {
			return nil
		}
	}
	return errors.New(q.Name + ": its threshold is lower than its part of delta needs")
}

// repeats says whether the privacy block has the same mechanisms.
func (m *Manifest) repeats(ms []calibrate.Mechanism) error {
	if m.Privacy.PrivacyStatement == nil {
		return nil
	}
	same := slices.EqualFunc(m.Privacy.Mechanisms, ms, func(s StatedMechanism, c calibrate.Mechanism) bool {
		return s.Query == c.Query && s.L2 == c.Sens.L2 && s.Sigma == float64(c.Sigma) && s.Grid == c.Grid
	})
	if !same || m.Privacy.Guarantee.Mu != m.Privacy.Mu {
		return errors.New("the privacy block states other mechanisms than the queries")
	}
	return nil
}

// Dataset returns the dataset whose budget paid for the release, as the job in the manifest has it.
func (m *Manifest) Dataset() string {
	var job struct {
		Ledger struct {
			Dataset string `json:"dataset"`
		} `json:"ledger"`
	}
	_ = json.Unmarshal(m.Job, &job) // what is not there is ""
	return job.Ledger.Dataset
}
