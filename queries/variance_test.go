package queries

import (
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/internal/mechanism"
	"github.com/dprelease/dprelease/internal/mechanism/mechanismtest"
	"github.com/dprelease/dprelease/internal/owntest"
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/kinds"
	"github.com/dprelease/dprelease/queries/problem"
	"github.com/dprelease/dprelease/queries/quantize"
	"pgregory.net/rapid"
)

func randomVariance(t *rapid.T) Spec {
	s := randomSpec(t)
	s.Kind = Variance
	s.Value = &quantize.Value{Columns: []string{rapid.SampledFrom([]string{"int", "float", "digits", "uint",
		"flag"}).Draw(t, "column")}}
	ends := rapid.SampledFrom([][2]string{{"0", "3"}, {"-1", "2"}, {"-2.5", "-0.1"}, {"0.1", "0.3"}, {"-7", "1e3"},
		{"1e6", "1000001"}}).Draw(t, "clamp")
	s.Value.Lo, s.Value.Hi = ends[0], ends[1]
	return s
}

// momentsOf returns the exact components of a variance: sums of values and of squares, in quanta, and row counts.
func momentsOf(t testing.TB, q *kinds.Sums, tab *testTable, workers [][]*table.Batch) (components [3][]*big.Int) {
	t.Helper()
	sealed := hiddenOf(t, q, tab, workers)
	if len(sealed) != 3 {
		t.Fatalf("%d components", len(sealed))
	}
	for i, quantum := range []float64{math.Ldexp(1, q.Quantizer.Exponent), math.Ldexp(1, 2*q.Quantizer.Exponent), 1} {
		var got float64
		if got, components[i] = mechanismtest.OpenWide(t, sealed[i]); got != quantum {
			t.Fatalf("component %d has quantum %g, want %g", i, got, quantum)
		}
	}
	return components
}

// refMoments is a simple reference for the components of a variance: the sums of values minus the centre, the sums of
// squares minus half of the largest square, and the row counts.
func refMoments(s Spec, tab *testTable) (components [3][]*big.Int) {
	sums, rows := refSums(s, tab)
	components[0], components[2] = sums, bigInts(rows)
	_, low, high := refBounds(s)
	half := new(big.Int).Rsh(new(big.Int).Sub(high, low), 1)
	centre := new(big.Int).Add(low, half)
	less := new(big.Int).Mul(half, half)
	less.Rsh(less, 1)
	for range rows {
		components[1] = append(components[1], new(big.Int))
	}
	for _, r := range refAnswered(s, tab, func(row []value) ([]int, bool) { return refValue(s, tab, row) }) {
		x := new(big.Int).Sub(big.NewInt(int64(r.content[0])), centre)
		x.Mul(x, x).Sub(x, less)
		components[1][r.cell].Add(components[1][r.cell], x)
	}
	return components
}

// Sums, squares and numbers of rows equal a plain reference, for any order of the rows, batches and workers.
func TestMomentsEqualTheReference(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s, tab := randomVariance(rt), randomTable(rt)
		q := summed(t, s)
		shuffled, workers := dealt(rt, q, tab)
		got, want := momentsOf(t, q, shuffled, workers), refMoments(s, tab)
		for i := range got {
			if !equalInts(got[i], want[i]) {
				rt.Fatalf("%+v, component %d\ngot  %v\nwant %v", s, i, got[i], want[i])
			}
		}
	})
}

// No pair of neighbouring tables differs in any component by more than its stated sensitivity.
func TestMomentsOfNeighbours(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s, tab := randomVariance(rt), randomTable(rt)
		q := summed(t, s)
		other, adj := neighbour(rt, s, tab)
		components, err := q.Components(adj)
		if err != nil || len(components) != 3 {
			rt.Fatal(components, err)
		}
		one, two := momentsOf(t, q, tab, plainly(q, tab)), momentsOf(t, q, other, plainly(q, other))
		for i, unit := range []int{q.Quantizer.Exponent, 2 * q.Quantizer.Exponent, 0} {
			if !within(one[i], two[i], unit, components[i].Sens.L2) {
				rt.Fatalf("%+v, %s, component %d: %v and %v, stated %+v", s, adj, i, one[i], two[i], components[i])
			}
		}
	})
}

// The sensitivity of the sums of squares is attained. Under add-remove, it is the change by a row at an end of the
// range; under replace-one, the change if such a row is replaced by a row at the centre.
func TestSquaresAttainTheirSensitivity(t *testing.T) {
	s := Spec{Name: "q", Kind: Variance, Value: &quantize.Value{Columns: []string{"int"}, Lo: "0", Hi: "4"}}
	q := summed(t, s)
	table := func(n int64) *testTable {
		row := make([]value, len(randomFields))
		row[(&testTable{fields: randomFields}).schema().Index("int")] = value{n: n}
		return &testTable{fields: randomFields, rows: [][]value{row}}
	}
	far, near, none := table(4), table(2), &testTable{fields: randomFields}
	for adj, c := range map[Adjacency]struct {
		one, two *testTable
		want     float64
	}{AddRemove: {far, none, 2}, ReplaceOne: {far, near, 4}} {
		components, err := q.Components(adj)
		if err != nil || !about(components[1].Sens.L2, c.want) {
			t.Fatalf("%s: %+v, %v", adj, components, err)
		}
		one, two := momentsOf(t, q, c.one, plainly(q, c.one)), momentsOf(t, q, c.two, plainly(q, c.two))
		d := new(big.Int).Sub(one[1][0], two[1][0])
		if got, _ := new(big.Float).SetInt(d).Float64(); math.Ldexp(got, 2*q.Quantizer.Exponent) != c.want {
			t.Errorf("%s: changed by %g, want %g", adj, math.Ldexp(got, 2*q.Quantizer.Exponent), c.want)
		}
	}
}

// The 95 % interval of a variance contains the true variance in at least 94 % of 4,000 runs, which are the groups of
// one query. If the count is at least 15 standard deviations of its noise, and the true variance is not 0, it is at
// most 96 %. The tolerance is 6.1 standard errors: the test fails by chance with probability 1e-9. No interval exceeds
// the range.
func TestIntervalsOfVariancesCover(t *testing.T) {
	owntest.Slow(t)
	if testing.Short() {
		t.Skip("it runs in one goroutine, which takes long with the race detector")
	}
	const runs, half, sigmaSum, sigmaSquare, sigmaCount = 4_000, 5, 25, 60, 5
	q := summed(t, Spec{Name: "q", Kind: Variance, By: []domain.Dimension{{Column: "g", Labels: numbered(runs)}},
		Value: &quantize.Value{Columns: []string{"x"}, Lo: "10", Hi: "20"}})
	rng := rand.New(rand.NewPCG(7, 8))
	slack := 6.1 * math.Sqrt(0.95*0.05/runs)
	sizes := []float64{1, 75, 1e6}
	if os.Getenv("DPRELEASE_LONG") != "" {
		sizes = []float64{1, 10, 75, 200, 1e4, 1e6}
	}
	for _, rows := range sizes {
		// mean and mean square, minus the centre
		for _, m := range [][2]float64{{0, 0}, {0, 25}, {4, 16}, {4, 20}, {-5, 25}, {2, 9}} {
			sums, squares, counts := make([]float64, runs), make([]float64, runs), make([]float64, runs)
			for i := range sums {
				sums[i], squares[i], counts[i] = rows*m[0], rows*(m[1]-half*half/2.0), rows
			}
			components := []mechanism.Noisy{noised(t, rng, sigmaSum, sums), noised(t, rng, sigmaSquare, squares),
				noised(t, rng, sigmaCount, counts)}
			a, err := q.Finish(t.Context(), components, components)
			if err != nil {
				t.Fatal(err)
			}
			truth := m[1] - m[0]*m[0]
			noisy, low, high, sigma := fill(a.Noisy, runs), fill(a.Low, runs), fill(a.High, runs), fill(a.Sigma, runs)
			covered, error2, stated2 := 0.0, 0.0, 0.0
			for i := range noisy {
				if low[i] <= truth && truth <= high[i] {
					covered += 1.0 / runs
				}
				if low[i] < 0 || high[i] > half*half || noisy[i] < low[i] || noisy[i] > high[i] {
					t.Fatalf("%g rows, %v: %g in [%g, %g]", rows, m, noisy[i], low[i], high[i])
				}
				over, _ := q.HalfWidth([]calibrate.Mechanism{{Sigma: sigmaSum}, {Sigma: sigmaSquare}, {Sigma: sigmaCount}})
				if most := over / rows * 1.001; rows == 1e6 && high[i]-low[i] > 2*most {
					t.Fatalf("half-width %g, at most %g is stated", (high[i]-low[i])/2, most)
				}
				error2, stated2 = error2+(noisy[i]-truth)*(noisy[i]-truth)/runs, stated2+sigma[i]*sigma[i]/runs
			}
			if exact := rows >= 75 && truth > 0; covered < 0.94-slack || exact && covered > 0.96+slack {
				t.Errorf("%g rows, mean %g, mean square %g: covered %g", rows, m[0], m[1], covered)
			}
			// Far from the ends of the range the deviation is as stated: a mean of 4,000 squares has a standard error
			// of 2.2 %.
			if rows == 1e6 && truth > 1 && truth < 24 && math.Abs(error2/stated2-1) > 0.15 {
				t.Errorf("mean square error %g, stated %g", error2, stated2)
			}
		}
	}
}

func TestVarianceIsRefused(t *testing.T) {
	for name, c := range map[string]struct {
		s    Spec
		want string
	}{
		"vector":   {Spec{Value: &quantize.Value{Columns: []string{"x", "y"}, Lo: "0", Hi: "1"}}, "variance"},
		"clip":     {Spec{Value: &quantize.Value{Columns: []string{"x"}, ClipL2: "1"}}, "variance"},
		"rows":     {Spec{Value: &quantize.Value{Columns: []string{"x"}, Lo: "0", Hi: "1", Rows: 5}}, "variance.rows"},
		"declared": {Spec{Declared: 5, Value: &quantize.Value{Columns: []string{"x"}, Lo: "0", Hi: "1"}}, "sensitivity"},
		"too far":  {Spec{Value: &quantize.Value{Columns: []string{"x"}, Lo: "0", Hi: "1e200"}}, "variance.clamp"},
		"nothing":  {Spec{}, "variance"},
	} {
		c.s.Name, c.s.Kind = "q", Variance
		_, err := New(c.s)
		if es := problem.Errors(err); len(es) != 1 || es[0].Field != c.want {
			t.Errorf("%s: %v", name, err)
		}
	}
}
