package kinds

import (
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/dprelease/dprelease/internal/owntest"
	"github.com/dprelease/dprelease/queries/query"
	"github.com/dprelease/dprelease/queries/strategy"
)

// Tables of three dimensions can be made non-negative and rounded without harm to their margins. The bias of a margin
// by one dimension is less than a tenth of its standard deviation; the test adds 5 standard errors of the mean over the
// releases, which one of 10^6 margins exceeds by chance. Compared with the noisy tables, the error of all tables by two
// dimensions together is at most a tenth larger, and the error of the tables by three dimensions is smaller.
func TestTablesOfThreeDimensionsHoldTheirMargins(t *testing.T) {
	owntest.Slow(t)
	releases := 12
	if os.Getenv("DPRELEASE_LONG") != "" {
		releases = 400
	}
	r := rand.New(rand.NewPCG(41, 2))
	for _, sizes := range [][]int{{8, 9, 9}, {2, 9, 6, 5}, {4, 6, 6, 8}} {
		var workload []strategy.Set
		for a := strategy.Set(1); a < 1<<len(sizes); a++ {
			if a.Len() <= 3 {
				workload = append(workload, a)
			}
		}
		w := newNoisyTables(t, r, sizes, workload, false)
		bias := map[[2]int]float64{}
		cells := map[[2]int]float64{} // biases of cells by two dimensions
		var before, after [4]float64  // squared errors by number of dimensions
		for release := range releases {
			y := w.draw(r)
			x := y.clone()
			x.nonnegative([]float64{0, 1}[release%2])
			if far := x.disagree(); x.least() < 0 || far > 1e-6*sumOf(x.Values[0]) {
				t.Fatalf("sizes %v: least %g, apart by %g", sizes, x.least(), far)
			}
			for k, a := range w.of {
				for i, exact := range w.exact[k] {
					was, is := (y.Values[k][i]-exact)/w.deviations[k], (x.Values[k][i]-exact)/w.deviations[k]
					before[a.Len()] += was * was
					after[a.Len()] += is * is
					if a.Len() == 2 {
						cells[[2]int{k, i}] += is / float64(releases)
					}
					if a.Len() == 1 {
						bias[[2]int{k, i}] += is / float64(releases)
					}
				}
			}
		}
		worst := 0.0
		for _, x := range bias {
			worst = max(worst, math.Abs(x))
		}
		low, high := 0.0, 0.0
		for _, x := range cells {
			low, high = min(low, x), max(high, x)
		}
		t.Logf("bias of cells by two dimensions: %.2f to %.2f of their deviation", low, high)
		if most := query.LargeCellBias*math.Sqrt(6) + 5/math.Sqrt(float64(releases)); max(-low, high) > most {
			t.Errorf("sizes %v: the bias of a cell is from %.2f to %.2f of its deviation", sizes, low, high)
		}
		t.Logf("sizes %v: worst bias of a margin by one dimension %.3f; errors by two dimensions %.3f, by three %.3f of the noisy ones'",
			sizes, worst, math.Sqrt(after[2]/before[2]), math.Sqrt(after[3]/before[3]))
		if worst > 0.1+5/math.Sqrt(float64(releases)) || after[2] > 1.21*before[2] || after[3] > before[3] {
			t.Errorf("sizes %v: bias %.3f; squared errors %v, noisy %v", sizes, worst, after, before)
		}
	}
}

// Only tables of three and more dimensions that have two dimensions in common belong to one cluster.
func TestClustersOfTables(t *testing.T) {
	const a, b, c, d, e, f = 1, 2, 4, 8, 16, 32
	for _, x := range []struct{ of, want []uint64 }{
		{[]uint64{a, a | b, b | c}, nil},
		{[]uint64{a | b | c, c | d | e}, []uint64{a | b | c, c | d | e}},
		{[]uint64{a | b | c, b | c | d, e | f}, []uint64{a | b | c | d}},
		{[]uint64{a | b | c, d | e | f, b | c | e | f}, []uint64{a | b | c | d | e | f}},
	} {
		got := clustersOf(x.of)
		slices.Sort(got)
		if !slices.Equal(got, x.want) {
			t.Errorf("%b: %b, want %b", x.of, got, x.want)
		}
	}
}

// Tables that already hold non-negative integers do not change.
func TestIntegersOfThreeDimensionsStay(t *testing.T) {
	x := &tables{Sizes: []int{3, 4, 5, 2}, Deviations: []float64{1, 1, 1, 1}}
	all := make([]float64, 120)
	r := rand.New(rand.NewPCG(3, 9))
	for i := range all {
		if r.IntN(3) > 0 {
			all[i] = float64(r.IntN(40))
		}
	}
	for a := range uint64(16) {
		x.Of, x.Values = append(x.Of, a), append(x.Values, x.sum(15, all, a))
	}
	was := x.clone()
	x.nonnegative(1)
	for k := range was.Values {
		if !slices.Equal(x.Values[k], was.Values[k]) {
			t.Errorf("table %b: %v became %v", x.Of[k], was.Values[k], x.Values[k])
		}
	}
}

// byScores gives the same result as giving units to columns one by one: each unit to the column with the largest score,
// among the columns that still miss units.
func TestUnitsGoToTheBestColumns(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 13))
	for range 2000 {
		n, step := 1+r.IntN(8), float64(1+r.IntN(5))
		scores, missing := make([]float64, n), make([]float64, n)
		for c := range scores {
			scores[c] = []float64{float64(r.IntN(4)), 20 * r.NormFloat64()}[r.IntN(2)]
			missing[c] = float64(r.IntN(12))
		}
		units := r.IntN(60)
		want := make([]float64, n)
		for range units {
			best := -1
			for c := range scores {
				if missing[c] > want[c] && (best < 0 || scores[c]-step*want[c] > scores[best]-step*want[best]) {
					best = c
				}
			}
			if best < 0 {
				break
			}
			want[best]++
		}
		got, better, sum := byScores(scores, missing, float64(units), step), 0.0, 0.0
		for c := range got { // columns of equal scores may be exchanged
			sum += got[c] - want[c]
			better += (scores[c]+step/2)*(want[c]-got[c]) - step/2*(want[c]*want[c]-got[c]*got[c])
			if got[c] > missing[c] {
				t.Fatalf("missing %v, given %v", missing, got)
			}
		}
		if sum != 0 || math.Abs(better) > 1e-6 {
			t.Fatalf("scores %v, missing %v, %d units, step %g: %v, want %v", scores, missing, units, step, got, want)
		}
	}
	for _, units := range []float64{1e9, 1e15} { // at once
		got := byScores([]float64{3, 0, 5}, []float64{units, units, units}, units, 2)
		if sum := got[0] + got[1] + got[2]; sum != units || math.Abs(got[0]-got[1]) > 3 {
			t.Errorf("%g units: %v", units, got)
		}
	}
}

// giveUnits drops units that no column misses, and works for rows that fitting has failed for (NaN or infinite).
func TestUnitsOfRowsThatCannotBeFitted(t *testing.T) {
	for _, x := range []struct{ row, missing, want []float64 }{
		{[]float64{math.NaN(), math.NaN()}, []float64{2, 5}, []float64{2, 3}},
		{[]float64{math.Inf(1), 0.5}, []float64{9, 0}, []float64{5, 0}},
		{[]float64{2.5, 2.5}, []float64{1, 1}, []float64{1, 1}},
		{[]float64{2.5, 2.5}, []float64{0, 0}, []float64{0, 0}},
	} {
		goals := []goal{{lack: make([]float64, 2), first: []int{0}, step: 1}}
		if got := giveUnits(x.row, 5, x.missing, goals, 0); !slices.Equal(got, x.want) {
			t.Errorf("row %v: %v, want %v", x.row, got, x.want)
		}
	}
}
