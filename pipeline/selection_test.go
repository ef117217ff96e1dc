package pipeline

import (
	"fmt"
	"math/big"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/configs"
	"github.com/dprelease/dprelease/internal/ledger"
	"github.com/dprelease/dprelease/pipeline/manifest"
)

const discoveringJob = `
version: 1
name: keys
privacy: {epsilon: 1, delta: %s, unit: [person], per_unit: {max_groups: 3}%s}
input: {files: [people.csv]}
queries:
  - {name: a, histogram: {by: [{column: x, keys: discover}]}}
  - {name: b, histogram: {by: [{column: y, keys: discover}]}, weight: 2, per_unit: {max_groups: 7}}
  - {name: c, histogram: {by: [{column: x, values: [p, q]}]}, per_unit: {max_rows: 2}}
output: {dir: out}
ledger: {store: "sqlite:ledger.db", dataset: keys, budget: {epsilon: 2, delta: 0.9}}
`

func discoveringPlan(t *testing.T, delta, more string) (*Plan, configs.Diagnostics) {
	t.Helper()
	return planOfText(t, fmt.Sprintf(discoveringJob, delta, more))
}

func planOfText(t *testing.T, text string) (*Plan, configs.Diagnostics) {
	t.Helper()
	j, diags := configs.Parse(filepath.Join(t.TempDir(), "job.yaml"), []byte(text), configs.ParseOptions{})
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	return New(j, nil)
}

func ratOf(t *testing.T, text string) *big.Rat {
	t.Helper()
	x, ok := new(big.Rat).SetString(text)
	if !ok {
		t.Fatalf("%q is not a number", text)
	}
	return x
}

// The threshold of keys of five units or more is four above the threshold of all keys, under the same noise.
func TestMinUnitsInThePlan(t *testing.T) {
	text := fmt.Sprintf(discoveringJob, "1e-6", "")
	all, diags := planOfText(t, text)
	few, more := planOfText(t, strings.ReplaceAll(text, "keys: discover}]", "keys: discover}], min_units: 5"))
	if len(diags) > 0 || len(more) > 0 {
		t.Fatal(diags, more)
	}
	for i := range 2 {
		a, b := &all.queries[i], &few.queries[i]
		if a.Selection.Mechanism != b.Selection.Mechanism || b.Threshold() != a.Threshold()+4 || b.MinUnits() != 5 {
			t.Errorf("query %d: thresholds of %v, and of %v for keys of %d units", i, a.Threshold(), b.Threshold(), b.MinUnits())
		}
	}
}

// The parts of delta for the noise and the selections sum to at most delta, exactly, and the mechanisms meet the rest.
func TestSharesOfDeltaAddUp(t *testing.T) {
	for _, c := range [][2]string{
		{"1e-6", ""}, {"0.000001", ""}, {"3E-7", ""}, {".1", ""}, {"0.3", ", delta_failure: 0.1"}, {"1e-6",
			", delta_failure: 9.99999e-7"}, {"1e-250", ""},
		{"0.123456789012345678901234567890123456789", ", delta_failure: 0.1"}, {"1e-6", ", delta_failure: 1e-200"},
	} {
		p, diags := discoveringPlan(t, c[0], c[1])
		if len(diags) > 0 {
			t.Errorf("%v: %v", c, diags)
			continue
		}
		share := ratOf(t, p.failure.share)
		left := new(big.Rat).SetFloat64(float64(p.noise.Delta))
		if left.Add(left, share).Cmp(ratOf(t, c[0])) > 0 {
			t.Errorf("%v: %g and %s are more than delta", c, float64(p.noise.Delta), p.failure.share)
		}
		each := new(big.Rat).SetFloat64(float64(p.failure.each))
		if each.Mul(each, big.NewRat(2, 1)).Cmp(share) > 0 {
			t.Errorf("%v: twice %g is more than %s", c, float64(p.failure.each), p.failure.share)
		}
		if err := calibrate.Verify(p.Mechanisms(), p.noise); err != nil {
			t.Errorf("%v: %v", c, err)
		}
		charge := p.Charge("/out", 1)
		if charge.DeltaShare != p.failure.share || ratOf(t, charge.Budget.DeltaCap).Cmp(share) < 0 {
			t.Errorf("%v: charged %q of %q", c, charge.DeltaShare, charge.Budget.DeltaCap)
		}
		for i, keys := range []int64{3, 7, 0} {
			q := p.queries[i]
			if (q.Selection != nil) != (keys > 0) || keys > 0 &&
				(q.Selection.Keys != keys || q.Selection.Mechanism != q.Mechanisms[0] || q.Threshold() <= 1) {
				t.Errorf("%v: query %d selects by %+v", c, i, q.Selection)
			}
		}
	}
	for _, bad := range []string{"1e-6", "2e-6", "0"} {
		if _, diags := discoveringPlan(t, "1e-6", ", delta_failure: "+bad); len(diags) != 1 || diags[0].Code != "bad-value" {
			t.Errorf("delta_failure %s: %v", bad, diags)
		}
	}
}

// The epsilons that a statement names are proven for the deltas that it writes, less the share of delta: no nearest
// float64 of either.
func TestStatedEpsilons(t *testing.T) {
	for _, share := range []string{"1e-7", "3e-7", "7e-7", "9e-7", "1.1e-7", "1e-9"} {
		p, diags := discoveringPlan(t, "1e-6", ", delta_failure: "+share)
		if len(diags) > 0 {
			t.Fatal(diags)
		}
		stated := manifest.MeasuresOf(p.Mechanisms(), p.failure.share).EpsilonAt
		for _, delta := range []string{"1e-5", "1e-6"} {
			left := new(big.Rat).Sub(ratOf(t, delta), ratOf(t, share))
			below, _ := new(big.Float).SetPrec(53).SetMode(big.ToNegativeInf).SetRat(left).Float64()
			want, err := calibrate.Compose(p.Mechanisms(), calibrate.Delta(below))
			if err != nil || stated[delta] != float64(want.Epsilon) {
				t.Errorf("share %s: epsilon %g at %s, want %g (%v)", share, stated[delta], delta, float64(want.Epsilon), err)
			}
		}
		if epsilon, there := stated["1e-9"]; there {
			t.Errorf("share %s: epsilon %g at a delta of 1e-9, of which nothing is left", share, epsilon)
		}
	}
}

// A reservation is resumed only if its noise meets the rest of delta after the selections and its part is the plan's.
// Keys are then selected at the threshold of the reserved noise.
func TestAdoptedSelection(t *testing.T) {
	p, diags := discoveringPlan(t, "1e-6", ", delta_failure: 9e-7")
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	scaled := func(factor float64) ledger.Charge {
		c := p.Charge("/out", 1)
		for i := range c.Mechanisms {
			c.Mechanisms[i].Sigma *= calibrate.Sigma(factor)
		}
		return c
	}
	larger := scaled(1.25)
	adopted, err := p.Adopt(larger)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 2 {
		if q := adopted.queries[i]; q.Selection.Mechanism != larger.Mechanisms[i] ||
			q.Threshold() <= p.queries[i].Threshold() {
			t.Errorf("query %d selects by %+v", i, q.Selection)
		}
	}
	smaller := scaled(0.999)
	if err := calibrate.Verify(smaller.Mechanisms, p.guarantee); err != nil {
		t.Fatal("the test wants noise that would do for all of delta:", err)
	}
	if _, err := p.Adopt(smaller); err == nil {
		t.Error("noise that needs all of delta was taken up beside a share")
	}
	other := scaled(1)
	other.DeltaShare = ""
	if _, err := p.Adopt(other); err == nil {
		t.Error("a reservation without a share of delta was taken up")
	}
}

// A manifest is checked with the part of delta for its selections.
func TestStatedSelections(t *testing.T) {
	for _, c := range [][2]string{{"1e-6", ""}, {"0.3", ", delta_failure: 0.1"}, {"1e-6", ", delta_failure: 9.99999e-7"},
		{"1e-250", ""}, {"1e-6", ", delta_failure: 1e-200"}} {
		p, diags := discoveringPlan(t, c[0], c[1])
		if len(diags) > 0 {
			t.Fatal(diags)
		}
		m := p.NewRun().Manifest(manifest.Program{})
		if err := m.Meets(); err != nil {
			t.Errorf("%v: %v", c, err)
		}
	}
	p, _ := discoveringPlan(t, "1e-6", "")
	for name, change := range map[string]func(*manifest.Manifest){
		"more of delta": func(m *manifest.Manifest) { m.Queries[0].Selection.Delta *= 2 },
		"other units":   func(m *manifest.Manifest) { m.Queries[0].Selection.MinUnits = 5 },
		"more units": func(m *manifest.Manifest) {
			m.Queries[0].Selection.MinUnits, m.Queries[0].Selection.Threshold = 2, m.Queries[0].Selection.Threshold+1
		},
		"lower threshold":  func(m *manifest.Manifest) { m.Queries[1].Selection.Threshold-- },
		"a larger share":   func(m *manifest.Manifest) { m.Privacy.DeltaFailure = "5e-7" },
		"a smaller share":  func(m *manifest.Manifest) { m.Privacy.DeltaFailure = "9e-8" },
		"no share":         func(m *manifest.Manifest) { m.Privacy.DeltaFailure = "0" },
		"a share in words": func(m *manifest.Manifest) { m.Privacy.DeltaFailure = "a tenth" },
	} {
		m := p.NewRun().Manifest(manifest.Program{})
		change(&m)
		if m.Meets() == nil {
			t.Errorf("%s: nothing was found", name)
		}
	}
	few, diags := planOfText(t, strings.ReplaceAll(fmt.Sprintf(discoveringJob, "1e-6", ""), "keys: discover}]",
		"keys: discover}], min_units: 5"))
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	m := few.NewRun().Manifest(manifest.Program{})
	if err := m.Meets(); err != nil {
		t.Error(err)
	}
	if s := m.Queries[0].Selection; s != nil { // the threshold of keys of two units, as for another job
		s.MinUnits, s.Threshold = 2, s.Threshold-3
	}
	if m.Meets() == nil {
		t.Error("fewer units than the job's: nothing was found")
	}
	weighted, diags := planOfText(t, strings.ReplaceAll(fmt.Sprintf(discoveringJob, "1e-6", ""), "keys: discover}]",
		"keys: discover}], optimize: keys"))
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	m = weighted.NewRun().Manifest(manifest.Program{})
	if err := m.Meets(); err != nil {
		t.Error(err)
	}
	if m.Queries[0].Selection.Weighted = false; m.Meets() == nil {
		t.Error("counts in place of weights: nothing was found")
	}
}
