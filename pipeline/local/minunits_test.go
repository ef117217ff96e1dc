package local_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/internal/ledger/ledgertest"
	"github.com/dprelease/dprelease/internal/mechanism"
	"github.com/dprelease/dprelease/internal/mechanism/mechanismtest"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/enginetest"
	"github.com/dprelease/dprelease/pipeline/local"
)

const fewUnitsJob = `version: 1
name: keys
privacy: {epsilon: 1, delta: 0.01, delta_failure: 0.004, unit: [person], adjacency: %s, per_unit: {max_groups: %d}}
input: {files: [table.csv]}
queries:
  - {name: keys, histogram: {by: [{column: key, keys: discover}], %s}}
output: {dir: out}
ledger: {store: "sqlite:ledger.db", dataset: keys, budget: {epsilon: 9, delta: 0.9, delta_cap: 0.5}}
`

// unitsTable writes a table in which key i has others[i] units that have no other key, with one row each. The person x
// has two rows of each key in of.
func unitsTable(t *testing.T, dir string, others []int64, of ...int) {
	t.Helper()
	var b bytes.Buffer
	b.WriteString("person,key\n")
	for key, n := range others {
		for i := range n {
			fmt.Fprintf(&b, "p%d of %d,k%d\n", i, key, key)
		}
	}
	for _, key := range of {
		fmt.Fprintf(&b, "x,k%d\nx,k%d\n", key, key)
	}
	if err := os.WriteFile(filepath.Join(dir, "table.csv"), b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

// countsOf returns the counts of keys k0, k1, … in the engine's answers; 0 if a key was dropped.
func countsOf(t *testing.T, p *pipeline.Plan, keys int) []int64 {
	t.Helper()
	a, err := local.New(dataset(t, p), 1).Aggregate(t.Context(), p, pipeline.Silent{})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	names, n := mechanismtest.OpenKeyed(t, a.Exacts[0][0])
	counts := make([]int64, keys)
	for i, name := range names {
		var key int
		if _, err := fmt.Sscanf(strings.Trim(name[1:], "\x00"), "k%d", &key); err != nil {
			t.Fatalf("%q: %v", name, err)
		}
		counts[key] = n[i]
	}
	return counts
}

// outcomes returns the distribution of the published value of a key with a count: nothing, or g·(K + i) for i from 0
// on; exact except for the last digits of the tail.
func outcomes(s calibrate.KeySelection, count int64) []float64 {
	units, _ := s.Threshold()
	m := s.Mechanism
	exact := float64(count)
	if s.Weighted {
		exact = math.Ldexp(exact, -calibrate.WeightBits)
	}
	tail := func(u int64) float64 { // P(g·floor(exact/g + sigma/g·Z + ½) >= g·u)
		return math.Erfc((m.Grid*(float64(u)-0.5)-exact)/float64(m.Sigma)/math.Sqrt2) / 2
	}
	last := units + int64(14*float64(m.Sigma)/m.Grid)
	if count == 0 {
		out := make([]float64, last-units+2)
		out[0] = 1
		return out
	}
	out := []float64{1 - tail(units)}
	for u := units; u < last; u++ {
		out = append(out, tail(u)-tail(u+1))
	}
	return append(out, tail(last))
}

// divergence returns the least delta for which two products of distributions are (epsilon, delta)-indistinguishable, by
// the definition, in one direction.
func divergence(x, y [][]float64, epsilon float64) float64 {
	if len(x) == 1 {
		x, y = append(x, []float64{1}), append(y, []float64{1})
	}
	sum, factor := 0.0, math.Exp(epsilon)
	for i := range x[0] {
		for j := range x[1] {
			sum += max(0, x[0][i]*x[1][j]-factor*y[0][i]*y[1][j])
		}
	}
	return sum
}

// exactDelta returns the larger divergence of two tables of counts; counts of 0 are keys that were dropped.
func exactDelta(s calibrate.KeySelection, epsilon float64, a, b []int64) float64 {
	of := func(counts []int64) (out [][]float64) {
		for _, n := range counts {
			out = append(out, outcomes(s, n))
		}
		return out
	}
	return max(divergence(of(a), of(b), epsilon), divergence(of(b), of(a), epsilon))
}

// The guarantee holds by its definition: for neighbouring tables around the pre-threshold and around the threshold, the
// exact probabilities of the published results are (epsilon, delta)-indistinguishable. The counts are those of the
// engine. A threshold that is lower by N - 1, as if keys of one unit were the rarest, does not suffice (for N above 2,
// so that the difference is visible), and a key of N units is published with nearly the allowed probability.
func TestDeltaOfKeysThatReachTheLeastUnits(t *testing.T) {
	const epsilon, delta, failure = 1, 0.01, 0.004
	for _, least := range []int64{1, 2, 5, 100} {
		for groups := int64(1); groups <= 2; groups++ {
			for _, adjacency := range []string{"add-remove", "replace-one"} {
				t.Run(fmt.Sprintf("N=%d,k=%d,%s", least, groups, adjacency), func(t *testing.T) {
					dir := t.TempDir()
					p := enginetest.Plan(t, filepath.Join(dir, "job.yaml"), fmt.Appendf(nil, fewUnitsJob, adjacency, groups,
						fmt.Sprintf("min_units: %d", least)))
					s := *p.Queries()[0].Selection
					threshold := int64(p.Queries()[0].Threshold())
					counts := []int64{least - 1, least, threshold}
					worst := 0.0
					measure := func(others []int64, before, after []int) {
						unitsTable(t, dir, others, before...)
						a := countsOf(t, p, len(others))
						unitsTable(t, dir, others, after...)
						b := countsOf(t, p, len(others))
						worst = max(worst, exactDelta(s, epsilon, a, b))
					}
					for _, x := range counts {
						if groups == 1 && adjacency == "add-remove" {
							measure([]int64{x}, nil, []int{0})
							continue
						}
						for _, y := range counts {
							if adjacency == "add-remove" {
								measure([]int64{x, y}, nil, []int{0, 1})
							} else {
								measure([]int64{x, y}, []int{0}, []int{1})
							}
						}
					}
					if worst > delta*(1+1e-9) {
						t.Errorf("delta is %g, stated is %g", worst, delta)
					}
					alone := 1 - outcomes(s, least)[0]
					if most := -math.Expm1(math.Log1p(-failure) / float64(groups)); alone > most*(1+1e-9) || alone < 0.8*most {
						t.Errorf("a key of %d units is published with probability %g, which may be %g", least, alone, most)
					}
					if lower := s; least > 2 {
						lower.MinUnits = 1
						reached := make([]int64, groups)
						for i := range reached {
							reached[i] = least
						}
						if got := exactDelta(lower, epsilon, make([]int64, groups), reached); got <= delta {
							t.Errorf("the threshold of keys of one unit would do: delta %g", got)
						}
					}
				})
			}
		}
	}
}

// Keys with fewer units than the job's minimum are dropped before the answers are hidden, and so are the sums by them,
// in memory and spilled, for units of rows and of columns. All other answers are unchanged. Units are counted after
// bounding. The threshold must be the one for such keys.
func TestKeysOfFewUnitsAreLeftOut(t *testing.T) {
	dir := keysTable(t)
	for unit, bounds := range map[string][2]string{"row": {"", ""},
		"[person]": {", per_unit: {max_groups: 3, max_rows_per_group: 2}", ", per_unit: {max_rows_per_group: 1}"}} {
		t.Run(unit, func(t *testing.T) {
			answers := func(job string, tight bool) (*pipeline.Aggregates, map[string]int64, []map[string]*big.Int) {
				p := enginetest.Plan(t, filepath.Join(dir, "job.yaml"), fmt.Appendf(nil, job, unit, bounds[0], bounds[1]))
				e := local.New(dataset(t, p), 2)
				if tight {
					e = local.NewTight(dataset(t, p), 2, t.TempDir())
				}
				a, err := e.Aggregate(t.Context(), p, pipeline.Silent{})
				if err != nil {
					t.Fatal(err)
				}
				counts, named := heldOf(t, a)
				return a, counts, named
			}
			all, counts, named := answers(keysJob, false)
			all.Close()
			digests := map[string]bool{}
			maps.DeleteFunc(counts, func(key string, n int64) bool {
				digest := sha256.Sum256([]byte(key))
				digests[string(digest[:])] = n >= 3
				return n < 3
			})
			if len(counts) < 6 || len(digests) < len(counts)+100 {
				t.Fatalf("%d of %d keys are left", len(counts), len(digests))
			}
			for i := range named {
				maps.DeleteFunc(named[i], func(name string, _ *big.Int) bool { return !digests[name[4:36]] })
			}
			job := strings.Replace(keysJob, "keys: discover}]}%s", "keys: discover}], min_units: 3}%s", 1)
			for _, tight := range []bool{false, true} {
				a, left, held := answers(job, tight)
				if !maps.Equal(left, counts) {
					t.Errorf("tight %v: other counts are left", tight)
				}
				for i := range named {
					if !maps.EqualFunc(named[i], held[i], func(x, y *big.Int) bool { return x.Cmp(y) == 0 }) {
						t.Errorf("tight %v: component %d has other numbers", tight, i)
					}
				}
				refusesOtherUnits(t, a)
				a.Close()
			}
		})
	}
}

// refusesOtherUnits tries to select keys at the threshold of other numbers of units.
func refusesOtherUnits(t *testing.T, a *pipeline.Aggregates) {
	t.Helper()
	m := calibrate.Mechanism{Query: "q", Sens: calibrate.Sensitivity{L2: 2, Why: "test"}, Sigma: 4, Grid: 0.25}
	for _, n := range []int64{0, 2, 4} {
		s := calibrate.KeySelection{Mechanism: m, Keys: 3, Failure: 0.01, MinUnits: n}
		if _, err := mechanism.SelectKeys(t.Context(), a.Exacts[1][0], ledgertest.ShareReceipt(t, "0.2", m),
			s, 2); !errors.Is(err,
			mechanism.ErrKeys) {
			t.Errorf("keys of fewer than 3 units are left out, and selected with the threshold of %d: %v", n, err)
		}
	}
}
