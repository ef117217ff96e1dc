package main

import (
	"context"
	"fmt"
	"math"

	"github.com/dprelease/dprelease/calibrate/methods"
	"github.com/dprelease/dprelease/examples/internal/experiment"
	"github.com/dprelease/dprelease/report/picture"
)

// regionEpsilon is the epsilon of each mechanism in the figure of regions. Its delta is 0.
const regionEpsilon = 0.4

var regionColors = []picture.Color{picture.Black, picture.Blue, picture.Green, picture.Orange, picture.Vermilion}

// regions draws which pairs of false positive rate and false negative rate a membership test can have after 1 to 5
// mechanisms: all points on and above the line. On the left is the exact region of Theorem 3.3; on the right is the
// larger region that basic composition gives, which adds up the epsilons.
func regions(_ context.Context, s *experiment.Session) error {
	table := experiment.Table{Columns: []string{"k", "false_alarm", "missed_exact", "missed_basic"}}
	corners := experiment.Table{Columns: []string{"k", "epsilon", "delta", "loss"}}
	x := func(label string) picture.Axis { return picture.Axis{Label: label, From: 0, To: 1} }
	exact := picture.Chart{Title: "exact (Theorem 3.3)", X: x("false alarm"), Y: x("missed detection")}
	basic := picture.Chart{Title: "sum of epsilon", X: x("false alarm"), Y: x("missed detection")}
	var keys []picture.Key
	for i, color := range regionColors {
		k := i + 1
		all, err := methods.Part{Guarantee: at(regionEpsilon, 0), Times: k}.Corners()
		if err != nil {
			return err
		}
		for _, c := range all {
			corners.Add(k, float64(c.Guarantee.Epsilon), float64(c.Guarantee.Delta), float64(c.Loss))
		}
		sum := []methods.Corner{{Guarantee: at(regionEpsilon*float64(k), 0)}}
		style := picture.Style{Color: color, Line: picture.Solid}
		one, two := picture.Line{Style: style}, picture.Line{Style: style}
		for step := range 201 {
			alarm := float64(step) / 200
			a, b := missed(all, alarm), missed(sum, alarm)
			table.Add(k, alarm, a, b)
			one.X, one.Y = append(one.X, alarm), append(one.Y, a)
			two.X, two.Y = append(two.X, alarm), append(two.Y, b)
		}
		exact.Lines, basic.Lines = append(exact.Lines, one), append(basic.Lines, two)
		keys = append(keys, picture.Key{Name: fmt.Sprintf("k = %d", k), Style: style})
	}
	if err := s.Table("fig2_regions", table); err != nil {
		return err
	}
	if err := s.Table("corners", corners); err != nil {
		return err
	}
	return s.Figure("fig2_regions", picture.Figure{
		Panels: []picture.Panel{exact, basic}, Keys: keys, Width: 7.5, Height: 7.5,
		Note: fmt.Sprintf("exact values; k mechanisms, each (%g, 0)-differentially private: possible errors of a test are "+
			"above the line", regionEpsilon),
	})
}

// missed returns the smallest false negative rate of a test whose false positive rate is alarm, if all (epsilon, delta)
// in corners hold.
func missed(corners []methods.Corner, alarm float64) float64 {
	least := 0.0
	for _, c := range corners {
		eps, room := float64(c.Guarantee.Epsilon), 1-float64(c.Guarantee.Delta)
		least = max(least, room-math.Exp(eps)*alarm, math.Exp(-eps)*(room-alarm))
	}
	return least
}
