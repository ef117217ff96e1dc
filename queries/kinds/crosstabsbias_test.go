package kinds

import (
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/dprelease/dprelease/internal/owntest"
	"github.com/dprelease/dprelease/queries/query"
	"github.com/dprelease/dprelease/queries/strategy"
)

// If estimates are made non-negative, their margins by one dimension stay almost unbiased, even if most cells of the
// table are nearly empty: the bias is less than a tenth of the margin's standard deviation. The mean over n releases
// has a standard error of 1/sqrt(n) standard deviations. The test adds 5 standard errors to its bounds, which one of
// 10^6 margins exceeds by chance.
func TestNonnegativeTablesHaveNoBias(t *testing.T) {
	owntest.Slow(t)
	releases := 1000
	if testing.Short() {
		releases = 100
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 4 {
		var sizes []int
		for range 3 + r.IntN(2) {
			sizes = append(sizes, 2+r.IntN(14))
		}
		var workload []strategy.Set
		for a := strategy.Set(1); a < 1<<len(sizes); a++ {
			if a.Len() <= 2 {
				workload = append(workload, a)
			}
		}
		w := newNoisyTables(t, r, sizes, workload, false)
		sums, squares := map[[2]int]float64{}, [2]float64{}
		cells := map[[2]int]float64{} // biases of cells by two dimensions
		var empty, held [2]float64    // squared errors in cells of two dimensions without rows, and with rows: noisy, estimates
		for range releases {
			y := w.draw(r)
			x := y.clone()
			x.nonnegative(1)
			for k, a := range w.of {
				for i := range x.Values[k] {
					before, after := y.Values[k][i]-w.exact[k][i], x.Values[k][i]-w.exact[k][i]
					if a.Len() > 1 {
						cells[[2]int{k, i}] += after / w.deviations[k] / float64(releases)
						of := &held
						if w.exact[k][i] == 0 {
							of = &empty
						}
						of[0] += before * before
						of[1] += after * after
						continue
					}
					sums[[2]int{k, i}] += (x.Values[k][i] - w.exact[k][i]) / w.deviations[k]
					squares[0] += before * before
					squares[1] += after * after
				}
			}
		}
		worst, n := 0.0, float64(releases)
		for _, s := range sums {
			worst = max(worst, math.Abs(s/n))
		}
		t.Logf("sizes %v: worst bias of a margin %.3f of its deviation; error %.3f of the noisy ones'", sizes, worst,
			math.Sqrt(squares[1]/squares[0]))
		low, high := 0.0, 0.0
		for _, x := range cells {
			low, high = min(low, x), max(high, x)
		}
		t.Logf("bias of cells by two dimensions: %.2f to %.2f of their deviation", low, high)
		if most := query.LargeCellBias*math.Sqrt(float64(slices.Min(sizes))) + 5/math.Sqrt(n); max(-low, high) > most {
			t.Errorf("sizes %v: the bias of a cell is from %.2f to %.2f of its deviation", sizes, low, high)
		}
		gain := []float64{math.Sqrt(empty[1] / empty[0]), math.Sqrt(held[1] / held[0])}
		t.Logf("error of cells by two dimensions: without rows %.3f, with rows %.3f of the noisy ones'", gain[0], gain[1])
		if empty[0] > 0 && gain[0] > query.EmptyCellError || gain[1] > query.FullCellError {
			t.Errorf("sizes %v: the error is %.3f of the noisy one in cells without rows, %.3f in others", sizes, gain[0], gain[1])
		}
		if worst > 0.1+5/math.Sqrt(n) {
			t.Errorf("sizes %v: a margin's bias is %.3f of its deviation", sizes, worst)
		}
		if squares[1] > 1.05*squares[0] {
			t.Errorf("sizes %v: the margins' squared error grew by %.3f", sizes, squares[1]/squares[0])
		}
	}
}

// If hardly any row has some value of a column, the count of this value becomes too large, by at most
// [query.RareValueBias] of its standard deviation, and the counts of other values too small by at most as much. The
// total stays unbiased. So does every value of a column if each of its values has at least two standard deviations of
// rows. The bounds allow for chance as in the test above.
func TestMarginsOfRareValues(t *testing.T) {
	releases, n := 400, 20.0
	if os.Getenv("DPRELEASE_LONG") != "" {
		releases, n = 10_000, 100
	}
	r := rand.New(rand.NewPCG(3, 4))
	rare := 0
	for range 3 {
		sizes := []int{2 + r.IntN(3), 3 + r.IntN(5), 6 + r.IntN(5)}
		w := newNoisyTables(t, r, sizes, []strategy.Set{1, 2, 4, 3, 5, 6}, true)
		off, total, square := map[[2]int]float64{}, 0.0, 0.0
		for range releases {
			x := w.draw(r)
			x.nonnegative(1)
			for k := range 3 {
				sum := 0.0
				for i, exact := range w.exact[k] {
					off[[2]int{k, i}] += (x.Values[k][i] - exact) / w.deviations[k] / float64(releases)
					sum += x.Values[k][i] - exact
				}
				total += sum / float64(releases)
				square += sum * sum / float64(releases) / 3
			}
		}
		if bias := total / 3 / math.Sqrt(square); math.Abs(bias) > 5/n {
			t.Errorf("sizes %v: totals are off by %.3f of their error", sizes, bias)
		}
		for k := range 3 {
			most := query.MarginBias
			if slices.Min(w.exact[k]) < 2*w.deviations[k] {
				most = query.RareValueBias
				rare++
			}
			for i, exact := range w.exact[k] {
				bias := off[[2]int{k, i}]
				t.Logf("column %d, value %d: %.1f deviations, off by %.3f", k, i, exact/w.deviations[k], bias)
				if math.Abs(bias) > most+5/n {
					t.Errorf("sizes %v, column %d, value %d: %.1f deviations, off by %.3f", sizes, k, i, exact/w.deviations[k], bias)
				}
			}
		}
	}
	if rare < 3 {
		t.Errorf("%d columns have rare values", rare)
	}
}

// noisyTables draws noisy versions of the marginals of an invented table, most of whose rows are in few cells. If rare
// is set, each value of a column has a fifth of the rows of the value before it.
type noisyTables struct {
	margins    *strategy.Marginals
	sizes      []int
	of         []strategy.Set
	exact      [][]float64
	answers    [][]float64 // of residual i, by coordinate
	variances  []float64
	deviations []float64 // deviations[k] is the standard deviation of a cell of table k
}

func newNoisyTables(t *testing.T, r *rand.Rand, sizes []int, of []strategy.Set, rare bool) *noisyTables {
	t.Helper()
	m, err := strategy.NewMarginals(sizes, of)
	if err != nil {
		t.Fatal(err)
	}
	w := &noisyTables{margins: m, sizes: sizes, of: of}
	all := uint64(1)<<len(sizes) - 1
	joint := &tables{Sizes: sizes}
	counts := make([]int64, joint.cells(all))
	elsewhere := []int{20, 100_000}[r.IntN(2)] // one value in this many is replaced by a random one
	if rare {
		elsewhere = 100_000
	}
	for range 40_000 {
		cell := 0
		common := r.IntN(1000)
		for _, d := range sizes {
			i := common % d
			if rare {
				for i = 0; i+1 < d && r.IntN(5) == 0; {
					i++
				}
			}
			if r.IntN(elsewhere) == 0 {
				i = r.IntN(d)
			}
			cell = cell*d + i
		}
		counts[cell]++
	}
	exact := make([]float64, len(counts))
	for i, n := range counts {
		exact[i] = float64(n)
	}
	weights := make([]float64, len(of))
	for k := range weights {
		weights[k] = 1
	}
	d, err := m.Solve(strategy.LossCells, weights, [][]float64{m.Added()})
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range m.Residuals() {
		measured := m.Measure(s, strategy.Set(all), counts)
		y := make([]float64, measured.Len())
		for j := range y {
			y[j] = bigFloat(measured.At(j).Big()) * m.Quantum(s)
		}
		w.answers, w.variances = append(w.answers, y), append(w.variances, d.Variances[i]*40*40)
	}
	for _, a := range of {
		w.exact = append(w.exact, joint.sum(all, exact, uint64(a)))
		w.deviations = append(w.deviations, math.Sqrt(m.Variance(a, w.variances)))
	}
	return w
}

func (w *noisyTables) draw(r *rand.Rand) *tables {
	t := &tables{Sizes: w.sizes}
	noisy := map[strategy.Set][]float64{}
	for i, s := range w.margins.Residuals() {
		y := make([]float64, len(w.answers[i]))
		for j, x := range w.answers[i] {
			y[j] = x + r.NormFloat64()*math.Sqrt(w.variances[i])
		}
		noisy[s] = y
	}
	for d := range w.sizes {
		t.Deviations = append(t.Deviations, math.Sqrt(w.margins.Variance(strategy.SetOf(d), w.variances)))
	}
	for _, a := range w.of {
		t.Of = append(t.Of, uint64(a))
		t.Values = append(t.Values, w.margins.Reconstruct(a, func(s strategy.Set) []float64 { return noisy[s] }))
	}
	return t
}

func (t *tables) clone() *tables {
	c := *t
	c.Values = nil
	for _, v := range t.Values {
		c.Values = append(c.Values, append([]float64{}, v...))
	}
	return &c
}

func bigFloat(x *big.Int) float64 {
	f, _ := new(big.Float).SetInt(x).Float64()
	return f
}
