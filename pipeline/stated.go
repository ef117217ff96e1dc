package pipeline

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/big"
	"regexp"
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
		q := &m.Queries[i]
		if err := q.follows(ms[n : n+len(q.Parts)]); err != nil {
			return err
		}
		n += len(q.Parts)
	}
	if err := m.repeats(ms); err != nil {
		return err
	}
	if err := m.recomputes(ms); err != nil {
		return err
	}
	return m.accurate(ms)
}

// accurate says whether the accuracy that the privacy block states follows from the mechanisms. That of a mean depends on its bounds too,
// and is not worked out again.
func (m *Manifest) accurate(ms []calibrate.Mechanism) error {
	if m.Privacy.PrivacyStatement == nil {
		return nil
	}
	stated := m.Privacy.Accuracy
	if len(stated) != len(m.Queries) {
		return errors.New("the privacy block states the accuracy of other queries")
	}
	for i, n := 0, 0; i < len(m.Queries); i++ {
		q, a := &m.Queries[i], stated[i]
		sd := q.scaled(ms[n].Deviation())
		if a.Query != q.Name || a.SD != sd || len(q.Parts) == 1 && (a.CI95 != calibrate.Z95*sd || a.OverRows) {
			return errors.New(q.Name + ": the accuracy that the privacy block states does not follow from its mechanisms")
		}
		n += len(q.Parts)
	}
	return nil
}

// follows says whether what is stated of a query follows from its mechanisms.
func (q *ManifestQuery) follows(ms []calibrate.Mechanism) error {
	for i, p := range q.Parts {
		if ms[i].Deviation() != p.StandardDeviation || float64(ms[i].Mu()) != p.Mu {
			return errors.New(ms[i].Query + ": its mu or standard deviation does not follow from sigma, grid and sensitivity")
		}
	}
	if len(ms) == 0 || q.Mu != float64(calibrate.ComposedMu(ms)) || q.Sigma != q.scaled(float64(ms[0].Sigma)) || q.Sensitivity.L2 != q.scaled(ms[0].Sens.L2) {
		return errors.New(q.Name + ": its mu, sigma or sensitivity does not follow from those of its mechanisms")
	}
	return nil
}

// scaled turns the unit of the first mechanism into that of the answer, as Planned.scaled does: grids are exact.
func (q *ManifestQuery) scaled(x float64) float64 {
	if q.Grid == q.Parts[0].Grid {
		return x
	}
	return math.Nextafter(x*(q.Grid/q.Parts[0].Grid), math.Inf(1))
}

// noiseDelta is the delta that the noise has to meet: what selecting keys may fail is taken off, in the decimals of the job.
func (m *Manifest) noiseDelta() calibrate.Delta {
	if m.Privacy.DeltaFailure == 0 || m.Privacy.PrivacyStatement == nil {
		return calibrate.Delta(m.Privacy.Delta)
	}
	_, delta := m.asked()
	if deltaLess(delta, "0") != m.Privacy.Delta {
		return 0
	}
	return calibrate.Delta(deltaLess(delta, m.Privacy.Guarantee.DeltaFailure))
}

// asked returns epsilon and delta as the job in the manifest has them.
func (m *Manifest) asked() (epsilon, delta string) {
	var job struct {
		Privacy struct {
			Epsilon json.Number `json:"epsilon"`
			Delta   json.Number `json:"delta"`
		} `json:"privacy"`
	}
	_ = json.Unmarshal(m.Job, &job) // what is not there is no number
	return job.Privacy.Epsilon.String(), job.Privacy.Delta.String()
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
		if units, err := s.Threshold(); err == nil && float64(units)*p.Grid == q.Selection.Threshold {
			return nil
		}
	}
	return errors.New(q.Name + ": its threshold is not the one that its part of delta needs")
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

var inStatement = regexp.MustCompile(`^Whatever else is known, this release as a whole is \(([^,]*), ([^)]*)\)-`)

// recomputes says whether the sentences and the other measures of the guarantee are what the mechanisms and the job give.
func (m *Manifest) recomputes(ms []calibrate.Mechanism) error {
	s := m.Privacy.PrivacyStatement
	if s == nil {
		return nil
	}
	if err := m.recomputesSentence(ms); err != nil {
		return err
	}
	want := guaranteeOf(ms, s.Guarantee.DeltaFailure)
	switch got := s.Guarantee; {
	case got.Mu2 != want.Mu2 || got.Rho != want.Rho || got.PurePart != want.PurePart:
		return errors.New("the privacy block's mu2, rho or pure_part do not follow from the mechanisms")
	case !maps.EqualFunc(got.EpsilonAt, want.EpsilonAt, provenOf):
		return errors.New("the privacy block's epsilon_at does not follow from the mechanisms")
	}
	return nil
}

// provenOf says whether a stated epsilon is proven, and not larger than it has to be but for what a later version may prove better.
func provenOf(stated, proven float64) bool { return stated >= proven && stated <= proven*(1+1e-9) }

func (m *Manifest) recomputesSentence(ms []calibrate.Mechanism) error {
	p := promise{mu: calibrate.ComposedMu(ms), adjacency: m.Privacy.Adjacency}
	if share := m.Privacy.Guarantee.DeltaFailure; share != "0" {
		p.deltaFailure = share
	}
	epsilon, delta := m.asked()
	stated := inStatement.FindStringSubmatch(m.Privacy.Statement)
	if len(stated) > 0 {
		p.epsilon, p.delta = stated[1], stated[2]
	}
	if !sameDecimal(p.epsilon, epsilon, m.Privacy.Epsilon) || !sameDecimal(p.delta, delta, m.Privacy.Delta) {
		return errors.New("epsilon and delta of the job, of the privacy block and of its statement are not the same")
	}
	text, column := "", p
	if column.unit = m.Privacy.Unit; slices.Equal(m.Privacy.Unit, unitColumns(nil)) {
		text = p.String() // a row, if it is not a column of that name
	}
	if got := m.Privacy.Statement; got != text && got != column.String() || m.Privacy.UnitSentence != got {
		return errors.New("the statement does not follow from the mechanisms, the unit and the adjacency")
	}
	return nil
}

// sameDecimal says whether two texts are the same decimal, and x the largest float64 that is not above it.
func sameDecimal(a, b string, x float64) bool {
	d, err1 := calibrate.ParseDecimal(a)
	e, err2 := calibrate.ParseDecimal(b)
	return err1 == nil && err2 == nil && d.Cmp(e) == 0 && d.Down() == x
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
