package queries

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dprelease/dprelease/internal/mechanism"
	"github.com/dprelease/dprelease/internal/owntest"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/problem"
)

func readable(quantiles ...string) Spec {
	return Spec{Name: "q", Kind: Histogram, Read: Read{Quantiles: quantiles, CDF: true}, By: []domain.Dimension{
		{Column: "a", Labels: numbered(3), Null: domain.OwnCell}, {Column: "x", Edges: []string{"0", "1", "2.5", "4", "10"},
			Other: domain.OwnCell}, {Column: "b", TimeField: "quarter"},
	}}
}

// refQuantile computes a quantile from exact counts. It adds up whole cells and, in the cell that contains the
// quantile, small steps of the density. The density is the derivative of the cubic curve in kinds/quantiles.go: a
// parabola with given values at both edges, whose mean is the mean density of the cell.
func refQuantile(counts, edges []float64, q float64) float64 {
	total, m := 0.0, len(counts)
	width, mean := make([]float64, m), make([]float64, m)
	for i, c := range counts {
		total += c
		width[i] = edges[i+1] - edges[i]
		mean[i] = c / width[i]
	}
	at := make([]float64, m+1)
	outer := func(i, next int) float64 {
		return min(max(mean[i]+(mean[i]-mean[next])/(width[i]+width[next])*width[i], 0), 2*mean[i])
	}
	at[0], at[m] = outer(0, 1), outer(m-1, m-2)
	for i := 1; i < m; i++ {
		if a, b := width[i-1]+2*width[i], 2*width[i-1]+width[i]; counts[i-1]*counts[i] > 0 {
			at[i] = (a + b) / (a/mean[i-1] + b/mean[i])
		}
	}
	below := 0.0
	for i, c := range counts {
		if c <= 0 || below+c < q*total {
			below += c
			continue
		}
		const steps = 100_000
		for k := range steps {
			p := (float64(k) + 0.5) / steps
			density := at[i]*(1-p)*(1-3*p) + at[i+1]*p*(3*p-2) + mean[i]*6*p*(1-p)
			if below += density * width[i] / steps; below >= q*total {
				return edges[i] + p*width[i]
			}
		}
		return edges[i+1]
	}
	return edges[m]
}

// refReading returns the exact quantile or fraction in a row of a reading, from the counts of the row's group. It is
// NaN if the group has no rows.
func refReading(t *testing.T, name string, part []float64, keys map[string]string) float64 {
	t.Helper()
	total := 0.0
	for _, n := range part {
		total += n
	}
	if total == 0 {
		return math.NaN()
	}
	if name == "quantiles" {
		var p float64
		if _, err := fmt.Sscan(keys["quantile"], &p); err != nil {
			t.Fatal(err)
		}
		return refQuantile(part, []float64{0, 1, 2.5, 4, 10}, p)
	}
	below := 0.0
	for _, n := range part[:slices.Index([]string{"1", "2.5", "4", "10"}, keys["x_below"])+1] {
		below += n / total
	}
	return below
}

// labelsOf returns the labels of a cell by column.
func labelsOf(columns []domain.KeyColumn, cell int) map[string]string {
	keys := map[string]string{}
	for _, k := range columns {
		keys[k.Name] = labelOf(k, cell)
	}
	return keys
}

// Without noise, readings are the exact quantiles and shares of each group, for every order of the dimensions.
func TestReadingsOfExactCounts(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for _, order := range [][]int{{0, 1, 2}, {1, 0, 2}, {0, 2, 1}, {2, 1, 0}} {
		s := readable("0.25", "0.5", "0.9")
		s.By = []domain.Dimension{s.By[order[0]], s.By[order[1]], s.By[order[2]]}
		q := must(t, s)
		counts := make([]float64, q.Size)
		for i := range counts {
			counts[i] = float64(rng.IntN(9)) * float64(rng.IntN(2))
		}
		none := []mechanism.Noisy{noised(t, rng, 0, counts)}
		a, err := q.Finish(t.Context(), none, none)
		if err != nil || len(a.Readings) != 2 {
			t.Fatal(a.Readings, err)
		}
		for _, reading := range a.Readings {
			x := reading.Answer
			if want := 4 * 4 * map[string]int{"quantiles": 3, "cdf": 4}[reading.Name]; x.Cells != want {
				t.Fatalf("%s: %d rows, want %d", reading.Name, x.Cells, want)
			}
			got := fill(x.Estimate, x.Cells)
			for row := range x.Cells {
				keys, part := labelsOf(x.Keys, row), make([]float64, 4)
				for cell, n := range counts {
					of := labelsOf(a.Keys, cell)
					if i := slices.Index([]string{"0", "1", "2.5", "4"}, of["x_from"]); i >= 0 && of["a"] == keys["a"] &&
						of["b"] == keys["b"] {
						part[i] += n
					}
				}
				want := refReading(t, reading.Name, part, keys)
				if !(math.Abs(got[row]-want) <= 1e-3) && !math.IsNaN(want) {
					t.Fatalf("%v %s: row %v is %g, want %g of %v", order, reading.Name, keys, got[row], want, part)
				}
			}
		}
	}
}

// The 95 % intervals of quantiles and shares hold the true ones in at least 95 % of 4,000 runs, less 6.1 standard
// errors (false alarm 1e-9), from very few rows to many. The runs are the groups of one query.
func TestIntervalsOfReadingsCover(t *testing.T) {
	owntest.Slow(t)
	const runs = 4000
	s := Spec{Name: "q", Kind: Histogram, Read: Read{Quantiles: []string{"0.1", "0.5", "0.95"}, CDF: true},
		By: []domain.Dimension{
			{Column: "g", Labels: numbered(runs)}, {Column: "x", Edges: []string{"0", "1", "2", "3", "4", "5", "6", "7", "8"}},
		}}
	q := must(t, s)
	rng := rand.New(rand.NewPCG(4, 4))
	slack := 6.1 * math.Sqrt(0.95*0.05/runs)
	edges := []float64{0, 1, 2, 3, 4, 5, 6, 7, 8}
	for _, part := range [][]float64{
		{0, 0, 1, 0, 0, 0, 0, 0}, {1, 2, 3, 4, 4, 3, 2, 1}, {10, 20, 30, 40, 40, 30, 20, 10}, {0, 0, 500, 0, 0, 0, 0,
			500}, {1000, 900, 800, 0, 0, 100, 50, 3},
		{0, 0, 0, 0, 0, 0, 0, 1e6},
	} {
		counts := make([]float64, 0, q.Size)
		for range runs {
			counts = append(counts, part...)
		}
		noisy := []mechanism.Noisy{noised(t, rng, 12, counts)}
		a, err := q.Finish(t.Context(), noisy, noisy)
		if err != nil {
			t.Fatal(err)
		}
		total := 0.0
		for _, n := range part {
			total += n
		}
		for _, reading := range a.Readings {
			x := reading.Answer
			rows := x.Cells / runs
			low, high := fill(x.Low, x.Cells), fill(x.High, x.Cells)
			for k := range rows {
				// A quantile in cells without rows may be anywhere in them.
				from, to := 0.0, 0.0
				if reading.Name == "quantiles" {
					p := x.Keys[len(x.Keys)-1].Labels.Floats[k]
					from = refQuantile(part, edges, p)
					to = from
				} else {
					for _, n := range part[:k+1] {
						from += n / total
					}
					to = from
				}
				covered := 0.0
				for g := range runs {
					i := g*rows + k
					if low[i] <= to+1e-9 && from-1e-9 <= high[i] {
						covered += 1.0 / runs
					}
				}
				if covered < 0.95-slack {
					t.Errorf("%v, %s %d: covered %g", part, reading.Name, k, covered)
				}
			}
		}
	}
}

func TestReadingsAreRefused(t *testing.T) {
	edges := domain.Dimension{Column: "x", Edges: []string{"0", "1"}}
	days := domain.Dimension{Column: "x", Edges: []string{"2013-01-01", "2013-01-02"}}
	second := domain.Dimension{Column: "y", Edges: []string{"0", "1"}}
	for name, c := range map[string]struct {
		read Read
		by   []domain.Dimension
		want string
	}{
		"no number": {Read{Quantiles: []string{"half"}}, []domain.Dimension{edges}, "histogram.quantiles[0]"},
		"one":       {Read{Quantiles: []string{"0.5", "1"}}, []domain.Dimension{edges}, "histogram.quantiles[1]"},
		"twice":     {Read{Quantiles: []string{"0.5", "0.50"}}, []domain.Dimension{edges}, "histogram.quantiles[1]"},
		"no edges":  {Read{CDF: true}, []domain.Dimension{{Column: "x", Labels: numbered(2)}}, "histogram.cdf"},
		"days":      {Read{CDF: true}, []domain.Dimension{days}, "histogram.cdf"},
		"two":       {Read{Quantiles: []string{"0.5"}}, []domain.Dimension{edges, second}, "histogram.quantiles"},
		"taken": {Read{Quantiles: []string{"0.5"}}, []domain.Dimension{edges, {Column: "quantile", Labels: numbered(2)}},
			"histogram.quantiles"},
		"discovered": {Read{CDF: true}, []domain.Dimension{edges, {Column: "y", Discover: true}}, "histogram"},
	} {
		_, err := New(Spec{Name: "q", Kind: Histogram, By: c.by, Read: c.read})
		if es := problem.Errors(err); len(es) != 1 || es[0].Field != c.want {
			t.Errorf("%s: %v", name, err)
		}
	}
}
