package pipeline

import (
	"testing"

	"github.com/dprelease/dprelease/calibrate"
)

// A reservation is resumed only if its noise allows the plan's weights of units: the threshold is lower if the noise is
// smaller.
func TestAdoptedWeights(t *testing.T) {
	p, diags := planOfText(t, `
version: 1
name: keys
privacy: {epsilon: 8, delta: 1e-6, unit: [id]}
input: {files: [in.csv]}
queries:
  - {name: a, histogram: {by: [{column: k, keys: discover}], optimize: keys}, per_unit: {max_groups: 10, max_rows_per_group: 1}}
  - {name: b, count: {}, per_unit: {max_rows: 1}}
output: {dir: out}
ledger: {store: "sqlite:ledger.db", dataset: d, budget: {epsilon: 20, delta: 1e-5}}
`)
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	for _, c := range []struct {
		keys, count calibrate.Sigma // factors of the charged sigmas
		want        bool
	}{{1, 1, true}, {1.25, 1, true}, {0.75, 4, false}} {
		charge := p.Charge("/out", 1)
		charge.Mechanisms[0].Sigma *= c.keys
		charge.Mechanisms[1].Sigma *= c.count
		if err := calibrate.Verify(charge.Mechanisms, p.noise); err != nil {
			t.Fatal(err)
		}
		if _, err := p.Adopt(charge); (err == nil) != c.want {
			t.Errorf("%v: %v", c, err)
		}
	}
}
