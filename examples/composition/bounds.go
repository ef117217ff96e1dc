package main

import (
	"context"
	"math"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/calibrate/methods"
	"github.com/dprelease/dprelease/examples/internal/experiment"
	"github.com/dprelease/dprelease/report/picture"
)

// Each of k mechanisms is (oneEpsilon, oneDelta)-private. Their composition has delta allDelta.
const (
	oneEpsilon = 0.1
	oneDelta   = 1e-8
	allDelta   = 2e-5
)

// accountants are the ways in which the privacy of k mechanisms is composed.
var accountants = []struct {
	picture.Key
	epsilon func(k int) (float64, error)
}{
	{picture.Key{Name: "sum of ε", Style: picture.Style{Color: picture.Gray, Line: picture.Solid}},
		func(k int) (float64, error) { return oneEpsilon * float64(k), nil }},
	{picture.Key{Name: "Dwork, Rothblum & Vadhan 2010", Style: picture.Style{Color: picture.Purple, Line: picture.Dashed}},
		dworkRothblumVadhan},
	{picture.Key{Name: "Kairouz et al., Theorem 3.4", Style: picture.Style{Color: picture.Orange, Line: picture.Solid}},
		advanced},
	{picture.Key{Name: "Kairouz et al., exact", Style: picture.Style{Color: picture.Blue, Line: picture.Solid}}, optimal},
	{picture.Key{Name: "Gaussian mechanisms, exact", Style: picture.Style{Color: picture.Vermilion, Line: picture.Solid}},
		gaussian},
}

// bounds shows the epsilon of k mechanisms together. It depends on what is known about each of them.
func bounds(ctx context.Context, s *experiment.Session) error {
	times := []int{1, 2, 3, 5, 7, 10, 20, 30, 50, 70, 100, 200, 300, 500, 700, 1000}
	eps := make([][]float64, len(accountants))
	for i := range eps {
		eps[i] = make([]float64, len(times))
	}
	err := s.Each(ctx, "bounds", len(accountants)*len(times), func(_ context.Context, i int) (err error) {
		a, k := i/len(times), i%len(times)
		eps[a][k], err = accountants[a].epsilon(times[k])
		return err
	})
	if err != nil {
		return err
	}
	table := experiment.Table{Columns: []string{"k", "eps0", "delta0", "delta", "accountant", "epsilon"}}
	chart := picture.Chart{X: picture.Axis{Label: "number of mechanisms k", Log: true},
		Y: picture.Axis{Label: "ε of all together", Log: true}}
	f := picture.Figure{Width: 13, Height: 9, Note: "exact values; each mechanism is (0.1, 1e-8)-differentially " +
		"private; δ = 2e-5 in all"}
	for a, acc := range accountants {
		line := picture.Line{Style: acc.Style, Y: eps[a]}
		for k, n := range times {
			table.Add(n, oneEpsilon, oneDelta, allDelta, acc.Name, eps[a][k])
			line.X = append(line.X, float64(n))
		}
		chart.Lines = append(chart.Lines, line)
		f.Keys = append(f.Keys, acc.Key)
	}
	f.Panels = []picture.Panel{chart}
	if err := s.Table("bounds", table); err != nil {
		return err
	}
	return s.Figure("bounds", f)
}

func parts(k int) methods.Part {
	return methods.Part{Guarantee: at(oneEpsilon, oneDelta), Times: k}
}

// dworkRothblumVadhan returns the bound of Dwork, Rothblum & Vadhan 2010, k·eps·(e^eps - 1) +
// eps·sqrt(2·k·ln(1/slack)), or k·eps if that is smaller.
func dworkRothblumVadhan(k int) (float64, error) {
	n, slack := float64(k), allDelta-float64(k)*oneDelta
	return min(n*oneEpsilon, n*oneEpsilon*math.Expm1(oneEpsilon)+oneEpsilon*math.Sqrt(2*n*math.Log(1/slack))), nil
}

func advanced(k int) (float64, error) {
	a, err := methods.AdvancedAt([]methods.Part{parts(k)}, allDelta)
	return float64(a.Guarantee.Epsilon), err
}

func optimal(k int) (float64, error) {
	eps, err := parts(k).Epsilon(allDelta)
	return float64(eps), err
}

// gaussian returns the epsilon if more is known: each mechanism adds Gaussian noise that is just enough for its own
// guarantee.
func gaussian(k int) (float64, error) {
	mu, err := calibrate.GaussianMu(at(oneEpsilon, oneDelta))
	if err != nil {
		return 0, err
	}
	eps, err := calibrate.GaussianEpsilon(allDelta, calibrate.Mu(float64(mu)*math.Sqrt(float64(k))))
	return float64(eps), err
}
