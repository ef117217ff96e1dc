package combine

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/strategy"
)

// The runs of each case, and the range of their coverage: it is 4.5 standard deviations of the share of 10^4 runs on
// each side of 0.95, so that a case fails by chance once in 150,000 times.
const (
	runs        = 10_000
	least, most = 0.94, 0.96
)

// Intervals of sums and of ratios cover the exact ones in 95 of 100 releases: of cells with noise of their own, with
// common noise, of marginals with cells in both the numerator and the denominator, and of Laplace noise.
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

// terms makes weighted sums of a noisy table and of the exact one.
func terms(noisy *Table, exact, weights, of []float64) (_, _, _, _ []Term) {
	without := &Table{Rows: len(exact), noisy: exact, deviation: make([]float64, len(exact)), query: "exact"}
	return []Term{{noisy, weights}}, []Term{{without, weights}}, []Term{{noisy, of}}, []Term{{without, of}}
}

// cellsOf adds noise of a deviation to each cell, and common noise of a variance.
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

// marginalsOf makes noisy and exact tables by two dimensions of 2 and 3 values, and by the second.
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
		t := &Table{Rows: len(cells[i]), query: "marginals", deviation: make([]float64, len(cells[i])), margins: &margins{m, s, names, variances}}
		for k, x := range m.Reconstruct(s, func(s strategy.Set) []float64 { return noise[s] }) {
			t.noisy = append(t.noisy, cells[i][k]+x)
		}
		noisy = append(noisy, t)
		exact = append(exact, &Table{Rows: t.Rows, noisy: cells[i], deviation: t.deviation, query: string(rune('A' + i))})
	}
	return noisy, exact
}

// Sizes of dimensions are read off the labels, also of a dimension with two key columns; rows in another order have
// none.
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

// Descriptions of cells select them: integers are compared exactly, quoted names may have spaces, and what is no
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
	for _, text := range []string{"", "x * t", "t where", "t where id", "t where id in", "t where id in (", "t where id in (1", `t where "id`,
		"t and id = 1", "t where id = 1 or id = 2", "NaN * t", "t where id ~ 2"} {
		if _, err := Parse(text); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}
