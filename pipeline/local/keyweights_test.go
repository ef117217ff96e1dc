package local_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/internal/mechanism/mechanismtest"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/enginetest"
	"github.com/dprelease/dprelease/pipeline/local"
)

// The guarantee of keys that are selected by weights holds by its definition, as in
// TestDeltaOfKeysThatReachTheLeastUnits: x has one key or two, beside keys of no others, of one and of so many that
// they are near the threshold. The engine gives the weights. Keys that x alone has are published with nearly the
// allowed probability.
func TestDeltaOfWeights(t *testing.T) {
	const epsilon, delta, failure = 1, 0.01, 0.004
	for _, adjacency := range []string{"add-remove", "replace-one"} {
		dir := t.TempDir()
		p := enginetest.Plan(t, filepath.Join(dir, "job.yaml"), fmt.Appendf(nil, fewUnitsJob, adjacency, 2, "optimize: keys"))
		s := *p.Queries()[0].Selection
		s.Mechanism.Grid = 0x1p-4 // as fine as 1/100 of sigma; the finest one makes too many outcomes
		near := int64(p.Queries()[0].Threshold() / math.Sqrt2)
		worst, alone := 0.0, 0.0
		for _, x := range []int64{0, 1, near} {
			for _, y := range []int64{0, 1, near} {
				for _, change := range [][2][]int{{nil, {0}}, {nil, {0, 1}}, {{0}, {1}}, {{0}, {0, 1}}} {
					if (len(change[0]) > 0) != (adjacency == "replace-one") {
						continue
					}
					unitsTable(t, dir, []int64{x, y}, change[0]...)
					a := countsOf(t, p, 2)
					unitsTable(t, dir, []int64{x, y}, change[1]...)
					b := countsOf(t, p, 2)
					worst = max(worst, exactDelta(s, epsilon, a, b))
					if adjacency == "add-remove" && x+y == 0 {
						alone = max(alone, 1-outcomes(s, b[0])[0]*outcomes(s, b[1])[0])
					}
				}
			}
		}
		if worst > delta*(1+1e-9) || adjacency == "add-remove" && worst < delta/2 {
			t.Errorf("%s: delta is %g, stated is %g", adjacency, worst, delta)
		}
		if adjacency == "add-remove" && (alone > failure*(1+1e-9) || alone < 0.8*failure) {
			t.Errorf("a key of one unit is published with probability %g, which may be %g", alone, failure)
		}
	}
}

const weightsJob = `version: 1
name: keys
privacy: {epsilon: %s, delta: 1e-6, unit: [person], per_unit: {max_groups: 4, max_rows_per_group: 1}}
input: {files: ["*.csv"], csv: {types: {x: int}}}
queries:
  - {name: keys, histogram: {by: [{column: key, keys: discover}], optimize: keys}}
%soutput: {dir: out}
ledger: {store: "sqlite:ledger.db", dataset: keys, budget: {epsilon: 99, delta: 1e-4, delta_cap: 1e-5}}
`

// Each key has the weights of its persons by the number of their keys, whether other queries share the rows or memory
// is short. A person with more keys than count adds 1 to four of them, which are nobody else's in this table; one such
// person has so many rows that its partition does not fit in memory.
func TestWeightsFollowTheNumberOfKeys(t *testing.T) {
	const most = 4
	r := rand.New(rand.NewPCG(5, 6))
	dir, want, over := t.TempDir(), map[string]int{}, map[string]bool{}
	var b bytes.Buffer
	b.WriteString("person,key,x\n")
	degrees := map[string][]int{} // by key, the numbers of keys of its persons
	for person := range 300 {
		keys := r.Perm(40)[:r.IntN(most+1)]
		for _, key := range keys {
			name := fmt.Sprintf("k%d", key)
			degrees[name] = append(degrees[name], len(keys))
			for range 1 + r.IntN(3) {
				fmt.Fprintf(&b, "%d,%s,%d\n", person, name, r.IntN(9))
			}
		}
		if person%100 == 0 {
			for i := range 5 + 10*person {
				name := fmt.Sprintf("only%d-%d", person, i%(5+person))
				over[name] = true
				fmt.Fprintf(&b, "over%d,%s,%d\n", person, name, i%9)
			}
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "table.csv"), b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	others := "  - {name: means, mean: {column: x, clamp: [0, 8], by: [{column: key, keys: discover}]}, per_unit: {max_groups: 2}}\n" +
		"  - {name: rows, count: {}, per_unit: {max_rows: 3}}\n"
	for _, epsilon := range []string{"1", "30"} {
		for _, more := range []string{"", others} {
			p := enginetest.Plan(t, filepath.Join(dir, "job.yaml"), fmt.Appendf(nil, weightsJob, epsilon, more))
			weights, err := p.Queries()[0].Selection.Weights()
			if err != nil || len(weights) != most || weights[0] == weights[1] {
				t.Fatalf("%d, %v", weights, err)
			}
			for name, of := range degrees {
				want[name] = 0
				for _, d := range of {
					want[name] += int(weights[d-1])
				}
			}
			for _, e := range []*local.Engine{local.New(dataset(t, p), 2), local.NewTight(dataset(t, p), 2, t.TempDir())} {
				a, err := e.Aggregate(t.Context(), p, pipeline.Silent{})
				if err != nil {
					t.Fatal(err)
				}
				names, got := mechanismtest.OpenKeyed(t, a.Exacts[0][0])
				a.Close()
				alone, found := 0, 0
				for i, name := range names {
					name = strings.Trim(name[1:], "\x00")
					switch {
					case over[name] && got[i] == 1<<calibrate.WeightBits:
						alone++
					case over[name] || got[i] != int64(want[name]):
						t.Errorf("epsilon %s: key %s has weight %d, not %d", epsilon, name, got[i], want[name])
					default:
						found++
					}
				}
				if alone != 3*most || found != len(want) {
					t.Errorf("%d keys of persons over the bound, and %d of %d others", alone, found, len(want))
				}
			}
		}
	}
}
