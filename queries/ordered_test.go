package queries

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dprelease/dprelease/internal/owntest"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/kinds"
	"github.com/dprelease/dprelease/queries/problem"
	"github.com/dprelease/dprelease/queries/strategy"
)

// randomOrdering draws a histogram for cumulative counts.
func randomOrdering(rt *rapid.T) Spec {
	s := randomSpec(rt)
	s.Kind, s.By = Histogram, nil
	s.By = []domain.Dimension{{Column: "int", As: "x", Edges: rapid.SampledFrom([][]string{{"0", "1", "2", "3", "4"},
		{"-1", "0", "1"}, {"0", "2"}, {"0", "0.5", "1", "1.5", "2", "2.5", "3", "3.5"}}).Draw(rt, "edges")}}
	if rapid.Bool().Draw(rt, "groups") {
		s.By = append(s.By, domain.Dimension{Column: "flag",
			Labels: []domain.Label{{Name: "no", Members: []string{"false"}},
				{Name: "yes", Members: []string{"true"}}}, Null: domain.OwnCell})
	}
	if rapid.Bool().Draw(rt, "order") {
		slices.Reverse(s.By)
	}
	s.Read = Read{Sums: true, CDF: rapid.Bool().Draw(rt, "cdf")}
	return s
}

func mustOrder(tb testing.TB, s Spec) *kinds.Ordered { return makeQuery[*kinds.Ordered](tb, s) }

// The cumulative counts that are computed from the exact numbers of all levels equal the cumulative counts of a plain
// histogram, for any order of the rows, batches, encoding and number of workers.
func TestOrderedSumsAreThoseOfAHistogram(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s, tab := randomOrdering(rt), randomTable(rt)
		q := mustOrder(t, s)
		plain := s
		plain.Read = Read{}
		want := reference(plain, tab)
		shuffled, workers := dealt(rt, q, tab)
		exact := residualsOf(t, q, shuffled, workers)
		deviations := slices.Repeat([]float64{1}, len(exact))
		for g := range q.Groups {
			var y [][]float64
			for l, level := range q.Form.Levels() {
				var values []float64
				for _, x := range exact[l][g*level.Cells : (g+1)*level.Cells] {
					f, _ := x.Float64()
					values = append(values, f)
				}
				y = append(y, values)
			}
			sum := int64(0)
			for i, got := range q.Form.Sums(y, deviations) {
				if sum += want[q.Cell(g, i)]; math.Abs(got-float64(sum)) > 1e-6 {
					rt.Fatalf("%s, group %d: sum %d is %g, want %d", q.Form.Form(), g, i, got, sum)
				}
			}
		}
	})
}

// No pair of neighbouring tables changes a level by more than its stated sensitivity.
func TestNeighboursChangeNoLevelByMore(t *testing.T) {
	forms := map[strategy.Form]bool{}
	rapid.Check(t, func(rt *rapid.T) {
		s, tab := randomOrdering(rt), randomTable(rt)
		q := mustOrder(t, s)
		forms[q.Form.Form()] = true
		other, adj := neighbour(rt, s, tab)
		checkChange(t, rt, q, s.Bounds, adj, tab, other)
	})
	if len(forms) < 2 {
		t.Errorf("only %v were tried", forms)
	}
}

// sumsSpec returns a histogram of n cells in two groups, for cumulative counts.
func sumsSpec(n int, b Bounds) Spec {
	s := Spec{Name: "q", Kind: Histogram, Unit: []string{"u"}, Bounds: b,
		Read: Read{Sums: true, CDF: true, Quantiles: []string{"0.5"}}, By: []domain.Dimension{{Column: "x"},
			{Column: "g", Labels: numbered(2)}}}
	for i := range n + 1 {
		s.By[0].Edges = append(s.By[0].Edges, fmt.Sprint(i))
	}
	return s
}

// The stated standard deviations of cumulative counts and cells are right. Over the draws, the mean square of the
// cumulative counts, divided by their stated variance, is within 6 standard errors of 1. The counts of a draw are
// dependent, so each draw is one number for this standard error; the test fails by chance with a probability below
// 10^-6. The fraction of counts in their intervals is within 1 % of 95 %: 2,000 draws of 200 counts are too few for a
// smaller tolerance, since neighbouring counts have nearly the same error.
func TestOrderedErrorsAreAsStated(t *testing.T) {
	owntest.Slow(t)
	if testing.Short() {
		t.Skip("it runs in one goroutine, which takes long with the race detector")
	}
	for _, b := range []Bounds{{MaxRows: 1}, {MaxRows: 5, MaxRowsPerGroup: 1}, {MaxRows: 3}} {
		q := mustOrder(t, sumsSpec(100, b))
		components, ms := calibrated(t, q)
		stated, err := q.Strategy(AddRemove, ms)
		if err != nil {
			t.Fatal(err)
		}
		r := rand.New(rand.NewPCG(3, 5))
		var squares, cells []float64
		covered, all := 0, 0
		for range 2000 {
			noisy := noiseOf(t, r, components, ms)
			a, err := q.Finish(t.Context(), noisy, noisy)
			if err != nil {
				t.Fatal(err)
			}
			if a.Readings[0].Name != "sums" || len(a.Readings) != 3 {
				t.Fatalf("%d readings", len(a.Readings))
			}
			for i, x := range []Answer{a.Readings[0].Answer, a} {
				values, low, high, sigma := columnsOf(x)
				mean := 0.0
				for k, v := range values {
					mean += v * v / (sigma[k] * sigma[k]) / float64(len(values))
					if low[k] <= 0 && high[k] >= 0 {
						covered++
					}
					all++
				}
				if i == 0 {
					squares = append(squares, mean)
				} else {
					cells = append(cells, mean)
				}
			}
		}
		for what, x := range map[string][]float64{"sums": squares, "cells": cells} {
			if mean, spread := meanAndSpread(x); math.Abs(mean-1) > 6*spread/math.Sqrt(float64(len(x))) {
				t.Errorf("%+v, %s: mean square of %s in units of the stated variance is %g", b, stated.Name, what, mean)
			}
		}
		if share := float64(covered) / float64(all); math.Abs(share-0.95) > 0.01 {
			t.Errorf("%+v, %s: %.4f are in their intervals", b, stated.Name, share)
		}
		for _, c := range stated.Others {
			if c.Error < stated.Error*(1-1e-3) {
				t.Errorf("%+v: %s has %g, %s that was taken %g", b, c.Name, c.Error, stated.Name, stated.Error)
			}
		}
	}
}

// Recover reads the noisy numbers of all levels back from the released columns.
func TestRecoverOrdered(t *testing.T) {
	for _, b := range []Bounds{{MaxRows: 1}, {MaxRows: 20, MaxRowsPerGroup: 1}} {
		mustRecover(t, mustOrder(t, sumsSpec(60, b)), ReplaceOne)
	}
}

// Each problem of a histogram for cumulative counts is reported at its path.
func TestOrderedProblems(t *testing.T) {
	edges := domain.Dimension{Column: "x", Edges: []string{"0", "1", "2"}}
	dates := domain.Dimension{Column: "x", Edges: []string{"2020-01-01", "2020-01-02"}}
	null := edges
	null.Null = domain.OwnCell
	for name, c := range map[string]struct {
		s    Spec
		want string
	}{
		"no edges": {Spec{By: []domain.Dimension{{Column: "a", Labels: numbered(3)}}}, "edges"},
		"dates":    {Spec{By: []domain.Dimension{dates}}, "numbers"},
		"null":     {Spec{By: []domain.Dimension{null}}, "order"},
		"declared": {Spec{By: []domain.Dimension{edges}, Declared: 3}, "sensitivities"},
	} {
		c.s.Name, c.s.Kind, c.s.Read = "q", Histogram, Read{Sums: true}
		_, err := New(c.s)
		if found := problem.Errors(err); len(found) == 0 || !strings.Contains(found[0].Message, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
