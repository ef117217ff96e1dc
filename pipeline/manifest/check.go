package manifest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"reflect"
	"regexp"
	"slices"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/queries/query"
)

// Checking a manifest against itself
//
// A manifest states each mechanism's sensitivity, sigma and grid. All its other numbers and the sentence follow from
// these and from the job's epsilon, delta, unit and adjacency, so anyone with the file can recompute them. Only the
// ledger shows whether the mechanisms were charged.

// Meets returns an error unless the stated noise meets the stated guarantee, by definition (Balle & Wang 2018, Theorem
// 8), and all derived numbers are correct.
func (m *Manifest) Meets() error {
	for i := range m.Queries {
		if err := m.Queries[i].known(); err != nil {
			return err
		}
	}
	ms := m.Mechanisms()
	g := calibrate.Guarantee{Epsilon: calibrate.Epsilon(m.Privacy.Epsilon), Delta: m.noiseDelta()}
	if err := calibrate.Verify(ms, g); err != nil {
		return err
	}
	if err := m.selects(); err != nil {
		return err
	}
	if mu := float64(calibrate.ComposedMu(ms)); mu != m.Privacy.Mu {
		return fmt.Errorf("the mechanisms have mu %g together, and the manifest says %g", mu, m.Privacy.Mu)
	}
	for i := range m.Queries {
		if err := m.Queries[i].follows(); err != nil {
			return err
		}
	}
	if err := m.promises(ms); err != nil {
		return err
	}
	return m.measures(ms)
}

// known returns an error if the query has no mechanism, or one that this version cannot check.
func (q *Query) known() error {
	if len(q.Mechanisms) == 0 {
		return errors.New(q.Name + ": it has no mechanism")
	}
	for i := range q.Mechanisms {
		m := &q.Mechanisms[i]
		pure := m.Noise == string(calibrate.Geometric) || m.Noise == string(calibrate.LaplaceNoise)
		if m.Noise != Gaussian && !pure {
			return errors.New(q.Name + ": its noise is of a distribution that this version does not know")
		}
		if s := m.Sensitivity; pure != (s.L1 != 0) || pure == (s.L2 != 0) || pure != (m.Scale != 0) {
			return errors.New(q.Name + ": its sensitivity or scale is not one of its noise")
		}
	}
	return nil
}

// follows recomputes the numbers of a query that its mechanisms determine. It returns an error if a stated number
// differs from the recomputed one. The half-width of a mean also depends on the query's bounds, and is not recomputed.
func (q *Query) follows() error {
	for i := range q.Mechanisms {
		p := &q.Mechanisms[i]
		m := p.calibrated(q.Name)
		if m.Deviation() != p.StandardDeviation || float64(m.Mu()) != p.Mu {
			return errors.New(m.Query + ": its mu or standard deviation does not follow from sigma, grid and sensitivity")
		}
	}
	if err := q.checkSearch(); err != nil {
		return err
	}
	if q.Strategy != nil {
		return q.tablesFollow()
	}
	if h := q.HalfWidth; h != nil && len(q.Mechanisms) == 1 && (*h != q.halfWidth() || q.OverRows) {
		return errors.New(q.Name + ": its half-width does not follow from its mechanism")
	}
	return nil
}

// noiseDelta returns the delta that the noise must meet: the job's delta minus the part for selecting keys, computed in
// decimals.
func (m *Manifest) noiseDelta() calibrate.Delta {
	if m.Privacy.DeltaFailure == "0" {
		return calibrate.Delta(m.Privacy.Delta)
	}
	_, delta := m.asked()
	if LeftForNoise(delta, "0") != m.Privacy.Delta {
		return 0
	}
	return calibrate.Delta(LeftForNoise(delta, m.Privacy.DeltaFailure))
}

// asked returns the epsilon and the delta of the job in the manifest.
func (m *Manifest) asked() (epsilon, delta string) {
	var job struct {
		Privacy struct {
			Epsilon json.Number `json:"epsilon"`
			Delta   json.Number `json:"delta"`
		} `json:"privacy"`
	}
	_ = json.Unmarshal(m.Job, &job) // if a key is missing, its field stays empty
	return job.Privacy.Epsilon.String(), job.Privacy.Delta.String()
}

// askedUpstream returns what the job in the manifest states about a producer that bounds units; nil if nothing.
func (m *Manifest) askedUpstream() *Upstream {
	var job struct {
		Privacy struct {
			Unit json.RawMessage `json:"unit"`
		} `json:"privacy"`
	}
	var u Upstream
	_ = json.Unmarshal(m.Job, &job) // if a key is missing, its field stays empty
	if !bytes.HasPrefix(job.Privacy.Unit, []byte("{")) || json.Unmarshal(job.Privacy.Unit, &u) != nil {
		return nil
	}
	return &u
}

// askedTables returns the names of the tables in the job; none if it has only one.
func (m *Manifest) askedTables() []string {
	var job struct {
		Input struct {
			Tables map[string]json.RawMessage `json:"tables"`
		} `json:"input"`
	}
	_ = json.Unmarshal(m.Job, &job) // if a key is missing, its field stays empty
	return slices.Sorted(maps.Keys(job.Input.Tables))
}

// selects returns an error unless the part of delta for key selections covers all of them, and each threshold follows
// from its noise.
func (m *Manifest) selects() error {
	taken, asked := new(big.Rat), m.askedKeys()
	for i := range m.Queries {
		q := &m.Queries[i]
		if err := m.keysOf(q); err != nil {
			return err
		}
		if q.Selection == nil {
			continue
		}
		if err := q.selects(); err != nil {
			return err
		}
		if max(q.Selection.MinUnits, 1) != max(asked[q.Name].MinUnits, 1) {
			return errors.New(q.Name + ": its min_units is not the job's")
		}
		if q.Selection.Weighted != (asked[q.Name].Optimize == "keys") {
			return errors.New(q.Name + ": whether its keys are selected by weights is not as in the job")
		}
		part := new(big.Rat)
		if part.SetFloat64(q.Selection.Delta) != nil {
			taken.Add(taken, part)
		}
	}
	stated, err := calibrate.ParseDecimal(m.Privacy.DeltaFailure)
	if err != nil {
		return errors.New("delta_failure is not a number")
	}
	if taken.Cmp(stated.Rat()) > 0 {
		return fmt.Errorf("the selections take more of delta than the %s that the manifest says", m.Privacy.DeltaFailure)
	}
	return nil
}

// askedSelection holds the settings of the job in a manifest for selecting keys with a histogram.
type askedSelection struct {
	MinUnits int64  `json:"min_units"`
	Optimize string `json:"optimize"`
}

// askedKeys returns, by query name, the job's settings for key selection.
func (m *Manifest) askedKeys() map[string]askedSelection {
	var job struct {
		Queries []struct {
			Name      string         `json:"name"`
			Histogram askedSelection `json:"histogram"`
		} `json:"queries"`
	}
	_ = json.Unmarshal(m.Job, &job) // if a key is missing, its field stays empty
	asked := map[string]askedSelection{}
	for i := range job.Queries {
		asked[job.Queries[i].Name] = job.Queries[i].Histogram
	}
	return asked
}

// keysOf returns an error if q uses the keys of another query that did not select keys.
func (m *Manifest) keysOf(q *Query) error {
	if q.KeysOf == "" {
		return nil
	}
	i := slices.IndexFunc(m.Queries, func(other Query) bool { return other.Name == q.KeysOf && other.Selection != nil })
	switch {
	case i < 0 || q.Selection != nil:
		return errors.New(q.Name + ": the query that it names has not selected its keys")
	case m.Queries[i].Cells == 0 && q.Cells != 0 || m.Queries[i].Cells != 0 && q.Cells%m.Queries[i].Cells != 0:
		return errors.New(q.Name + ": its cells are not the keys that " + q.KeysOf + " selected")
	}
	return nil
}

// selects returns an error unless the query's threshold follows from its noise and its part of delta.
func (q *Query) selects() error {
	if len(q.Mechanisms) == 1 {
		p := &q.Mechanisms[0]
		s := calibrate.KeySelection{Keys: q.Selection.MaxGroups, Failure: calibrate.Delta(q.Selection.Delta),
			MinUnits: q.Selection.MinUnits, Weighted: q.Selection.Weighted, Mechanism: p.calibrated(q.Name)}
		if units, err := s.Threshold(); err == nil && float64(units)*p.Grid == q.Selection.Threshold {
			return nil
		}
	}
	return errors.New(q.Name + ": its threshold is not the one that its part of delta needs")
}

// measures returns an error unless rho, the table of epsilons and the other measures follow from the mechanisms.
func (m *Manifest) measures(ms []calibrate.Mechanism) error {
	got, want := &m.Privacy.Measures, MeasuresOf(ms, m.Privacy.DeltaFailure)
	switch {
	case got.Mu2 != want.Mu2 || got.Rho != want.Rho || got.Pure != want.Pure:
		return errors.New("the privacy block's mu2, rho or pure_part do not follow from the mechanisms")
	case !maps.EqualFunc(got.EpsilonAt, want.EpsilonAt, provenOf):
		return errors.New("the privacy block's epsilon_at does not follow from the mechanisms")
	}
	return nil
}

// provenOf reports whether a stated epsilon is at least the smallest epsilon that can be proven, and exceeds it by at
// most one part in 10^9.
func provenOf(stated, proven float64) bool { return stated >= proven && stated <= proven*(1+1e-9) }

var inStatement = regexp.MustCompile(`^Whatever else is known, this release as a whole is \(([^,]*), ([^)]*)\)-`)

// promises returns an error unless the text of the statement follows from the mechanisms and the job.
func (m *Manifest) promises(ms []calibrate.Mechanism) error {
	p := Promise{Mu: calibrate.ComposedMu(ms), Adjacency: query.Adjacency(m.Privacy.Adjacency)}
	if share := m.Privacy.DeltaFailure; share != "0" {
		p.DeltaFailure, p.MinUnits = share, m.leavesOut()
	}
	epsilon, delta := m.asked()
	if stated := inStatement.FindStringSubmatch(m.Privacy.Statement); len(stated) > 0 {
		p.Epsilon, p.Delta = stated[1], stated[2]
	}
	if !sameDecimal(p.Epsilon, epsilon, m.Privacy.Epsilon) || !sameDecimal(p.Delta, delta, m.Privacy.Delta) {
		return errors.New("epsilon and delta of the job, of the privacy block and of its statement are not the same")
	}
	p.Upstream = m.Privacy.Upstream
	if stated := m.askedUpstream(); !reflect.DeepEqual(stated, p.Upstream) {
		return errors.New("the promise of the table's producer is not the one in the job")
	}
	if p.Tables = m.Privacy.Tables; !slices.Equal(m.askedTables(), p.Tables) {
		return errors.New("the tables of the units are not those in the job")
	}
	text, column := "", p
	if p.Upstream != nil {
		text = p.String()
	} else if column.Unit = m.Privacy.Unit; slices.Equal(m.Privacy.Unit, UnitColumns(nil)) {
		text = p.String() // the text for a unit of rows; column gives the text for a column called "row"
	}
	if got := m.Privacy.Statement; got != text && got != column.String() {
		return errors.New("the statement does not follow from the mechanisms, the unit and the adjacency")
	}
	return nil
}

// sameDecimal reports whether a and b are the same decimal, and x is that decimal rounded down to a float64.
func sameDecimal(a, b string, x float64) bool {
	d, err1 := calibrate.ParseDecimal(a)
	e, err2 := calibrate.ParseDecimal(b)
	return err1 == nil && err2 == nil && d.Cmp(e) == 0 && d.Down() == x
}
