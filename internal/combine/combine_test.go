package combine

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/internal/owntest"
	"github.com/dprelease/dprelease/pipeline/manifest"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/kinds"
	"github.com/dprelease/dprelease/queries/strategy"
)

// The number of runs of each case, and the range of the fraction of intervals that contain the exact value. The range
// is 4.5 standard deviations of this fraction to each side of 0.95, so a case fails by chance once in 150,000 times.
const (
	runs        = 10_000
	least, most = 0.94, 0.96
)

// In 95 of 100 releases, the intervals of sums and of ratios contain the exact ones: for cells with independent noise
// or common noise, for marginals with cells in both the numerator and the denominator, for Laplace noise, and for cells
// of two releases.
func TestIntervalsCover(t *testing.T) {
	for name, world := range map[string]func(*rand.Rand) (noisy, exact []Term, of, exactOf []Term){
		"cells": func(r *rand.Rand) (_, _, _, _ []Term) {
			exact := []float64{400, 30, 0, 250}
			return terms(cellsOf(r, exact, 10, 0, false), exact, []float64{1, 0.5, -2, 0}, []float64{0, 1, 1, 1})
		},
		"common noise": func(r *rand.Rand) (_, _, _, _ []Term) {
			exact := []float64{400, 30, 0, 250}
			return terms(cellsOf(r, exact, 10, 400, false), exact, []float64{1, 1, 0, 0}, []float64{1, 1, 1, 1})
		},
		"marginals": func(r *rand.Rand) (_, _, _, _ []Term) {
			noisy, exact := marginalsOf(r)
			return []Term{{noisy[0], []float64{1, 0, 1, 0, 0, 0}}, {noisy[1], []float64{0, 1, 0}}},
				[]Term{{exact[0], []float64{1, 0, 1, 0, 0, 0}}, {exact[1], []float64{0, 1, 0}}},
				[]Term{{noisy[1], []float64{1, 1, 1}}}, []Term{{exact[1], []float64{1, 1, 1}}}
		},
		"Laplace": func(r *rand.Rand) (_, _, _, _ []Term) {
			exact := []float64{400, 30, 0, 250}
			return terms(cellsOf(r, exact, 10, 0, true), exact, []float64{1, 0.5, 0, 0}, []float64{0, 0, 0, 1})
		},
		"a difference of two releases, per the earlier one": func(r *rand.Rand) (_, _, _, _ []Term) {
			return twoReleases(r, false, []float64{1, 0, 1, 0}, []float64{-1, 0, -1, 0}, nil, []float64{1, 0, 1, 0})
		},
		"a share of two releases": func(r *rand.Rand) (_, _, _, _ []Term) {
			return twoReleases(r, false, []float64{0, 1, 1, 0}, []float64{0, 0.5, 1, 0}, []float64{1, 1, 1, 1}, []float64{1, 1, 1, 1})
		},
		"a share of a Gaussian and a geometric release": func(r *rand.Rand) (_, _, _, _ []Term) {
			return twoReleases(r, true, []float64{0, 1, 1, 0}, []float64{0, 1, 1, 0}, []float64{1, 1, 1, 1}, []float64{1, 1, 1, 1})
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(7, uint64(len(name))))
			sums, ratios, stated := 0, 0, 0
			for range runs {
				noisy, exact, of, exactOf := world(r)
				sum, err := Sum(noisy)
				if err != nil {
					t.Fatal(err)
				}
				want, _ := Sum(exact)
				if sum.Low <= want.Value && want.Value <= sum.High {
					sums++
				}
				ratio, err := Ratio(noisy, of)
				if err != nil {
					t.Fatal(err)
				}
				below, _ := Sum(exactOf)
				if want := want.Value / below.Value; ratio.Stated {
					if stated++; ratio.Low <= want && want <= ratio.High {
						ratios++
					}
				}
			}
			t.Logf("sums %.4f, ratios %.4f of %d stated", float64(sums)/runs, float64(ratios)/float64(stated), stated)
			if share := float64(sums) / runs; share < least || share > most {
				t.Errorf("intervals of sums cover %.4f", share)
			}
			if share := float64(ratios) / float64(stated); stated < runs || share < least || share > most {
				t.Errorf("intervals of %d ratios cover %.4f", stated, share)
			}
		})
	}
}

// For Laplace and geometric noise, intervals contain the exact value at least as often as stated. This includes a ratio
// whose numerator has nearly all cells of its denominator. Sums of few cells with geometric noise take few values if
// epsilon is large; their intervals contain the exact value more often.
func TestHeavyIntervalsCover(t *testing.T) {
	owntest.Slow(t)
	r := rand.New(rand.NewPCG(17, 19))
	const cells = 200
	exact, most, all := make([]float64, cells), make([]float64, cells), make([]float64, cells)
	for i := range exact {
		exact[i], all[i] = 1000, 1
		if i < cells-1 {
			most[i] = 1
		}
	}
	covered := 0
	for range runs {
		noisy := cellsOf(r, exact, 10, 0, true)
		ratio, err := Ratio([]Term{{noisy, most}}, []Term{{noisy, all}})
		if err != nil {
			t.Fatal(err)
		}
		if want := float64(cells-1) / cells; ratio.Low <= want && want <= ratio.High {
			covered++
		}
	}
	if share := float64(covered) / runs; share < least || share > 0.96 {
		t.Errorf("a ratio of shared Laplace cells is covered in %.4f", share)
	}
	for _, epsilon := range []float64{0.1, 1, 2.5} {
		for _, n := range []int{1, 2, 5} {
			covered := 0
			for range runs {
				sum, err := Sum([]Term{{geometricCells(r, make([]float64, n), epsilon), all[:n]}})
				if err != nil {
					t.Fatal(err)
				}
				if sum.Low <= 0 && 0 <= sum.High {
					covered++
				}
			}
			if share := float64(covered) / runs; share < least || epsilon == 0.1 && share > 0.965 {
				t.Errorf("epsilon %v: the sum of %d geometric cells is covered in %.4f", epsilon, n, share)
			}
		}
	}
}

// If the divisor of a ratio is near 0, the ratio is rarely stated, and at most 5 of 100 releases state an interval that
// misses the exact ratio. If it is at least four standard deviations above 0, 95 % of the stated intervals contain the
// exact ratio, with Laplace noise up to 96.5 %. For the tolerance see runs.
func TestRatiosByFewCover(t *testing.T) {
	of, to := []float64{0, 1}, []float64{1, 0}
	for name, laplace := range map[string]bool{"Gaussian": false, "Laplace": true} {
		for _, exact := range [][]float64{
			{0.1, 0}, {1, 0.5}, {10, 5}, {10, 100}, {20, 10}, {20, 200}, {30, 20}, {40, 20}, {50, 100},
		} {
			r := rand.New(rand.NewPCG(23, uint64(exact[0])))
			stated, covered := 0, 0
			for range runs {
				noisy := cellsOf(r, exact, 10, 0, laplace)
				ratio, err := Ratio([]Term{{noisy, of}}, []Term{{noisy, to}})
				if err != nil {
					t.Fatal(err)
				}
				if want := exact[1] / exact[0]; ratio.Stated {
					if stated++; ratio.Low <= want && want <= ratio.High {
						covered++
					}
				}
			}
			share, missed := float64(covered)/float64(stated), float64(stated-covered)/runs
			t.Logf("%s, %v per %v: %.4f of %d stated intervals hold, %.4f of all runs miss", name, exact[1], exact[0],
				share, stated, missed)
			if missed > 1-least {
				t.Errorf("%s, %v per %v: %.4f of all releases state an interval that misses", name, exact[1], exact[0], missed)
			}
			if tails := map[bool]float64{true: 0.015}[laplace]; exact[0] >= 40 && (share < least || share > most+tails) {
				t.Errorf("%s, %v per %v: intervals of %d ratios cover %.4f", name, exact[1], exact[0], stated, share)
			}
		}
	}
}

// geometric draws the number of failures before a success of probability 1 − p.
func geometric(r *rand.Rand, p float64) float64 {
	return math.Floor(math.Log(1-r.Float64()) / math.Log(p))
}

// terms returns two weighted sums, by weights and by of, of a noisy table and of its exact answers.
func terms(noisy *Table, exact, weights, of []float64) (_, _, _, _ []Term) {
	without := &Table{Rows: len(exact), noisy: exact, deviation: make([]float64, len(exact)), query: "exact"}
	return []Term{{noisy, weights}}, []Term{{without, weights}}, []Term{{noisy, of}}, []Term{{without, of}}
}

// twoReleases returns the numerator and the denominator of a ratio, each a weighted sum of cells of a later and an
// earlier release. The earlier release has half the noise of the later one, and common noise. If pure is set, it
// instead has geometric noise with the same standard deviation as the later one.
func twoReleases(r *rand.Rand, pure bool, later, earlier, ofLater, ofEarlier []float64) (noisy, exact, of, exactOf []Term) {
	now, before := []float64{400, 30, 60, 250}, []float64{350, 40, 20, 240}
	a, b := cellsOf(r, now, 10, 0, false), cellsOf(r, before, 5, 25, false)
	if pure {
		b = geometricCells(r, before, math.Sqrt2/10)
	}
	a.origin, b.origin = "later", "earlier"
	noisy, exact, of, exactOf = terms(b, before, earlier, ofEarlier)
	without := &Table{Rows: len(now), noisy: now, deviation: make([]float64, len(now)), query: "exact", origin: "later"}
	noisy, exact = append(noisy, Term{a, later}), append(exact, Term{without, later})
	if ofLater != nil {
		of, exactOf = append(of, Term{a, ofLater}), append(exactOf, Term{without, ofLater})
	}
	return noisy, exact, of, exactOf
}

// geometricCells adds noise K to each cell, P(K = k) in proportion to e^(−epsilon·|k|).
func geometricCells(r *rand.Rand, exact []float64, epsilon float64) *Table {
	p := math.Exp(-epsilon)
	t := &Table{Rows: len(exact), query: "geometric", heavy: true, step: 1}
	for _, x := range exact {
		t.noisy = append(t.noisy, x+geometric(r, p)-geometric(r, p))
		t.deviation = append(t.deviation, math.Sqrt(2*p)/(1-p))
	}
	return t
}

// cellsOf adds noise with the given standard deviation to each cell, and the same noise with the variance common to
// all.
func cellsOf(r *rand.Rand, exact []float64, deviation, common float64, laplace bool) *Table {
	t := &Table{Rows: len(exact), query: "cells", common: common, heavy: laplace}
	shared := r.NormFloat64() * math.Sqrt(common)
	for _, x := range exact {
		noise := r.NormFloat64()
		if laplace {
			noise = r.ExpFloat64() * math.Sqrt(0.5) * (2*float64(r.IntN(2)) - 1)
		}
		t.noisy, t.deviation = append(t.noisy, x+noise*deviation+shared), append(t.deviation, deviation)
	}
	return t
}

// marginalsOf makes a noisy and an exact table by two dimensions of 2 and 3 values, and by the second alone.
func marginalsOf(r *rand.Rand) (noisy, exact []*Table) {
	sets := []strategy.Set{strategy.SetOf(0, 1), strategy.SetOf(1)}
	m, err := strategy.NewMarginals([]int{2, 3}, sets)
	if err != nil {
		panic(err)
	}
	cells := [][]float64{{100, 20, 0, 3, 50, 80}, {103, 70, 80}}
	noise, variances, names := map[strategy.Set][]float64{}, []float64{}, []string{}
	for i, s := range m.Residuals() {
		deviation := float64(5 + i)
		y := make([]float64, m.Dimension(s))
		for j := range y {
			y[j] = r.NormFloat64() * deviation
		}
		noise[s] = y
		variances, names = append(variances, deviation*deviation), append(names, string(rune('a'+i)))
	}
	for i, s := range sets {
		t := &Table{Rows: len(cells[i]), query: "marginals", deviation: make([]float64, len(cells[i])),
			margins: &margins{m, s, names, variances}}
		for k, x := range m.Reconstruct(s, func(s strategy.Set) []float64 { return noise[s] }) {
			t.noisy = append(t.noisy, cells[i][k]+x)
		}
		noisy = append(noisy, t)
		exact = append(exact, &Table{Rows: t.Rows, noisy: cells[i], deviation: t.deviation, query: string(rune('A' + i))})
	}
	return noisy, exact
}

// The sizes of dimensions are found from the labels, also for a dimension with two key columns. Rows in another order
// have no sizes.
func TestDimensionSizes(t *testing.T) {
	column := func(labels string) domain.KeyColumn {
		return domain.KeyColumn{Labels: domain.Labels{Strings: strings.Fields(labels)}}
	}
	from, to, sex := column("0 0 10 10 20 20"), column("10 10 20 20 30 30"), column("f m f m f m")
	for _, c := range []struct {
		keys []domain.KeyColumn
		n    int
		want []int
	}{
		{[]domain.KeyColumn{from, to, sex}, 2, []int{3, 2}},
		{[]domain.KeyColumn{from, sex}, 2, []int{3, 2}},
		{[]domain.KeyColumn{sex, from}, 2, nil},
		{[]domain.KeyColumn{from, to}, 1, nil},
		{[]domain.KeyColumn{column("a b c d e f")}, 1, []int{6}},
	} {
		got := dimensionSizes(c.keys, 6, c.n)
		if len(got) != len(c.want) || len(got) > 0 && (got[0] != c.want[0] || got[len(got)-1] != c.want[len(got)-1]) {
			t.Errorf("%d dimensions of %v: sizes %v, want %v", c.n, c.keys, got, c.want)
		}
	}
}

// Descriptions of cells select them: integers are compared exactly, quoted names may have spaces, and an invalid
// description is an error.
func TestParse(t *testing.T) {
	table := &Table{Rows: 4, noisy: make([]float64, 4), Keys: []domain.KeyColumn{
		{Name: "day of week", Labels: domain.Labels{Strings: []string{"Mo", "Mo", "Tu", "Tu"}}},
		{Name: "id", Labels: domain.Labels{Ints: []int64{9007199254740992, 9007199254740993, 9007199254740992, 9007199254740993}}},
	}}
	for text, want := range map[string][]float64{
		"t":                                        {1, 1, 1, 1},
		"-0.5 * t":                                 {-0.5, -0.5, -0.5, -0.5},
		`t where "day of week" = Mo`:               {1, 1, 0, 0},
		`t where "day of week" in ("Mo",Tu)`:       {1, 1, 1, 1},
		"t where id = 9007199254740993":            {0, 1, 0, 1},
		"t where id < 9007199254740993":            {1, 0, 1, 0},
		`t where id >= 9e15 and "day of week"!=Mo`: {0, 0, 1, 1},
	} {
		s, err := Parse(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		term, err := s.In(table)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		for i, w := range term.Weights {
			if w != want[i] {
				t.Errorf("%s: weights %v, want %v", text, term.Weights, want)
				break
			}
		}
	}
	quoted := &Table{Rows: 2, noisy: make([]float64, 2), Keys: []domain.KeyColumn{{Name: "k", Labels: domain.Labels{Strings: []string{`a*"b`, "c"}}}}}
	if s, err := Parse(`t where k = "a*""b"`); err != nil {
		t.Error(err)
	} else if term, err := s.In(quoted); err != nil || term.Weights[0] != 1 || term.Weights[1] != 0 {
		t.Errorf("a label with a star and a quote: %v, %v", term.Weights, err)
	}
	for _, text := range []string{"", "x * t", "t where", "t where id", "t where id in", "t where id in (",
		"t where id in (1", `t where "id`,
		"t and id = 1", "t where id = 1 or id = 2", "NaN * t", "t where id ~ 2"} {
		if _, err := Parse(text); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}

// Intervals contain sums of cells of nested levels as often as stated, with and without known totals of the first
// level, although the cells of several levels have noise in common.
func TestSumsOfLevelsCover(t *testing.T) {
	owntest.Slow(t)
	groups := [][]int32{{0, 0, 0, 0, 1, 1}, {0, 0, 1, 1, 2, 2}, {0, 1, 2, 3, 4, 5}}
	const cells = 2
	r := rand.New(rand.NewPCG(11, 13))
	for name, c := range map[string]struct{ regions, pure bool }{
		"nothing is known": {}, "regions are known": {regions: true},
		"delta is 0": {pure: true}, "regions are known, delta is 0": {true, true},
	} {
		tree, err := strategy.NewNested(groups, cells, []bool{c.regions, false, false})
		if err != nil {
			t.Fatal(err)
		}
		counts := []int64{40, 3, 0, 7, 12, 90, 1, 2, 30, 5, 8, 60}
		exact := tree.Measure(counts)
		variances := []float64{16, 36, 100}
		var totals [][]float64
		for l := range exact {
			of := make([]float64, tree.Size(l))
			for i, x := range exact[l] {
				of[i/cells] += float64(x)
			}
			totals = append(totals, of)
		}
		covered := [2]int{}
		for range runs {
			y := make([][]float64, len(exact))
			for l := range y {
				for _, x := range exact[l] {
					noise := math.Sqrt(variances[l]) * r.NormFloat64()
					if c.pure {
						p := (variances[l] + 1 - math.Sqrt(2*variances[l]+1)) / variances[l] // whose noise has this variance
						noise = geometric(r, p) - geometric(r, p)
					}
					y[l] = append(y[l], float64(x)+noise)
				}
			}
			tree.Estimate(y, variances, totals)
			of := func(l int) *Table {
				return &Table{Rows: len(y[l]), query: "levels", noisy: y[l], deviation: make([]float64, len(y[l])),
					heavy: c.pure, step: map[bool]float64{true: 1}[c.pure],
					levels: &levels{tree: tree, level: l, names: []string{"a", "b", "c"}, variances: variances}}
			}
			leaves, middle, top := of(2), of(1), of(0)
			// a group of cells in all places; then one place minus two others
			some := []float64{1, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 0}
			other := []float64{0, 0, 0, -1, 0.5, 0}
			for i, terms := range [][]Term{{{leaves, some}}, {{leaves, some}, {middle, other}}} {
				got, err := Sum(terms)
				if err != nil {
					t.Fatal(err)
				}
				want := 0.0
				for k, w := range some {
					want += w * float64(exact[2][k])
				}
				for k, w := range other {
					want += w * float64(i) * float64(exact[1][k])
				}
				if got.Low <= want && want <= got.High {
					covered[i]++
				}
			}
			whole := []float64{1, 1, 0, 0}
			same, err := Sum([]Term{{top, whole}, {leaves, []float64{-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0}}})
			if err != nil || math.Abs(same.Value) > 1e-9 || same.Deviation > 1e-6 {
				t.Fatalf("a region and its places differ by %v: %v", same, err)
			}
		}
		for i, n := range covered {
			share := float64(n) / runs
			t.Logf("%s: sum %d, %.4f", name, i, share)
			if share < least || share > most {
				t.Errorf("%s: intervals of sum %d cover %.4f", name, i, share)
			}
		}
	}
}

// The tree of places is found from the names of their groups, the tree of dates from their first days.
func TestGroupsOfTables(t *testing.T) {
	column := func(labels string) domain.KeyColumn {
		return domain.KeyColumn{Labels: domain.Labels{Strings: strings.Fields(labels)}}
	}
	places := [][]domain.KeyColumn{{column("n n s s"), column("f m f m")},
		{column("n n n n s s"), column("a a b b a a"), column("f m f m f m")}}
	dates := [][]domain.KeyColumn{{column("2025-01 2025-04"), column("2025-04 2025-06")},
		{column("2025-01 2025-02 2025-03 2025-04 2025-05"), column("2025-02 2025-03 2025-04 2025-05 2025-06")}}
	if got, cells := groupsOf(places, []int{4, 6}); cells != 2 || fmt.Sprint(got) != "[[0 0 1] [0 1 2]]" {
		t.Errorf("places: %v with %d cells", got, cells)
	}
	if got, cells := groupsOf(dates, []int{2, 5}); cells != 1 || fmt.Sprint(got) != "[[0 0 0 1 1] [0 1 2 3 4]]" {
		t.Errorf("dates: %v with %d cells", got, cells)
	}
	if got, _ := groupsOf([][]domain.KeyColumn{{column("2025-02 2025-04")}, dates[1][:1]}, []int{2, 5}); got != nil {
		t.Errorf("a level that begins after the first leaf: %v", got)
	}
}

// The stated numbers equal the formulas. The half-width of a sum includes half a step of geometric noise. The kurtosis
// comes from the cells whose noise is not normal, relative to the variance of all cells. The deviation of a ratio
// accounts for the cells that are in both of its sums.
func TestStatedErrorsFollowTheFormulas(t *testing.T) {
	normal := &Table{Rows: 2, query: "normal", noisy: []float64{50, 40}, deviation: []float64{3, 3}}
	steps := &Table{Rows: 1, query: "steps", noisy: []float64{20}, deviation: []float64{2}, heavy: true, step: 0.5}
	one := []float64{1}
	f, err := formOf([]Term{{normal, []float64{1, 0}}, {steps, one}})
	if err != nil {
		t.Fatal(err)
	}
	kurtosis := 3 * 16.0 / (13 * 13)
	if got := f.kurtosis(); math.Abs(got-kurtosis) > 1e-12 {
		t.Errorf("the kurtosis is %g, want %g", got, kurtosis)
	}
	sum, err := Sum([]Term{{normal, []float64{1, 0}}, {steps, one}})
	half := kinds.HeavyZ95(kurtosis)*math.Sqrt(13) + 0.25
	if err != nil || math.Abs(sum.High-sum.Low-2*half) > 1e-9 || math.Abs(sum.Deviation-math.Sqrt(13)) > 1e-12 {
		t.Errorf("%+v, want a half-width of %g: %v", sum, half, err)
	}
	// A cell alone has the interval of its row.
	if sum, err = Sum([]Term{{normal, []float64{1, 0}}}); err != nil || sum.High != 50+calibrate.Z95*3 {
		t.Errorf("%+v, want a half-width of %g: %v", sum, calibrate.Z95*3, err)
	}
	// The first cell, divided by the sum of both.
	ratio, err := Ratio([]Term{{normal, []float64{1, 0}}}, []Term{{normal, []float64{1, 1}}})
	r := 50.0 / 90
	if want := math.Sqrt(9-2*r*9+r*r*18) / 90; err != nil || math.Abs(ratio.Deviation-want) > 1e-12 {
		t.Errorf("a ratio has the deviation %g, want %g: %v", ratio.Deviation, want, err)
	}
	// The ratio r = n/d of a cell n with geometric noise and a cell d with normal noise: n - r·d has the variance 4 +
	// r²·9, and the interval is half a step wider because of the grid.
	r = 20.0 / 50
	v := 4 + r*r*9
	z := kinds.HeavyZ95(3*16/(v*v)) + 0.25/math.Sqrt(v)
	low, high, _ := kinds.Fieller(20, 50, 4, 9, 0, z)
	ratio, err = Ratio([]Term{{steps, one}}, []Term{{normal, []float64{1, 0}}})
	if err != nil || math.Abs(ratio.Low-low) > 1e-12 || math.Abs(ratio.High-high) > 1e-12 {
		t.Errorf("%+v, want %g to %g: %v", ratio, low, high, err)
	}
}

// If the totals of a level are known, so are those of the levels above it, and not those of the levels below. Known
// totals of other queries do not count.
func TestKnownLevels(t *testing.T) {
	m := &manifest.Manifest{Job: []byte(`{"queries": [{"name": "other", "crosstabs": {"known": [{"level": "town"}]}},
		{"name": "people", "crosstabs": {"known": [{"level": "county"}]}}]}`)}
	q := &manifest.Query{Name: "people", Strategy: &manifest.Strategy{}}
	for _, level := range []string{"region", "county", "town"} {
		q.Strategy.Tables = append(q.Strategy.Tables, manifest.Table{Name: level, By: []string{level, "age"}})
	}
	if got := fmt.Sprint(knownLevels(m, q)); got != "[true true false]" {
		t.Errorf("known: %s", got)
	}
}

// Two releases with the same noisy values are not added up if either of them is a re-rendering, in either order.
func TestRepeatedNoiseIsNotAddedUp(t *testing.T) {
	table := func(origin string, rerendered bool, value float64) Term {
		return Term{&Table{Rows: 1, origin: origin, rerendered: rerendered, query: "q", drawn: []float64{value},
			noisy: []float64{value}, deviation: []float64{1}}, []float64{1}}
	}
	first, again, other := table("a", false, 7.5), table("b", true, 7.5), table("c", true, 8.5)
	for _, pair := range [][]Term{{first, again}, {again, first}} {
		if _, err := Sum(pair); err == nil {
			t.Error("the noise of one release was added up twice")
		}
	}
	if sum, err := Sum([]Term{first, other}); err != nil || sum.Value != 16 || math.Abs(sum.Deviation-math.Sqrt2) > 1e-12 {
		t.Errorf("%+v, %v", sum, err)
	}
}
