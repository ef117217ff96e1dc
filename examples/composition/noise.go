package main

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/calibrate/methods"
	"github.com/dprelease/dprelease/examples/internal/experiment"
	"github.com/dprelease/dprelease/report/picture"
)

// unit is a sensitivity of 1.
var unit = calibrate.Sensitivity{L2: 1, Why: "the unit"}

// noise shows how much noise k queries need together: by Theorem 4.3 of the paper, exactly, and by its Appendix B.
func noise(_ context.Context, s *experiment.Session) error {
	table := experiment.Table{Columns: []string{"k", "eps", "delta", "sigma_theorem_4_3", "sigma_exact", "ratio"}}
	one, err := calibrate.AnalyticGaussian(unit, at(1, 1e-5))
	if err != nil {
		return err
	}
	for _, k := range []int{1, 2, 5, 10, 20, 50, 100, 200, 500, 1000} {
		theirs, err := methods.KairouzSigma(unit, at(1, 1e-5), k)
		if err != nil {
			return err
		}
		exact := float64(one) * math.Sqrt(float64(k))
		table.Add(k, 1.0, 1e-5, float64(theirs), exact, float64(theirs)/exact)
	}
	if err := s.Table("noise", table); err != nil {
		return err
	}
	return appendixB(s)
}

// appendixB shows the true delta of the noise of Appendix B for k = 1. Its sigma² is the larger one of 4·log(e +
// eps/delta)/eps² and 1/(4·eps). The second term, which matters for large epsilon, should be 1/((2 - sqrt 2)·eps): the
// figure compares both.
func appendixB(s *experiment.Session) error {
	table := experiment.Table{Columns: []string{"eps", "delta_promised", "delta_printed", "delta_right",
		"theorem_4_3_holds"}}
	printed := picture.Key{Name: "at least kΔ²/(4ε), as printed",
		Style: picture.Style{Color: picture.Vermilion, Line: picture.Solid}}
	right := picture.Key{Name: "at least kΔ²/((2−√2)ε)", Style: picture.Style{Color: picture.Blue, Line: picture.Solid}}
	promised := picture.Key{Name: "promised", Style: picture.Style{Color: picture.Gray, Line: picture.Dotted}}
	lines := []picture.Line{{Style: printed.Style}, {Style: right.Style}, {Style: promised.Style}}
	const delta = 1e-5
	for _, eps := range experiment.Grid(10, 1000, s.Pick(81, 41)) {
		_, err := methods.KairouzSigma(unit, at(eps, delta), 1)
		if err != nil && !errors.Is(err, methods.ErrDoesNotHold) {
			return err
		}
		holds := err == nil
		deltas := [3]float64{2: delta}
		for i, c := range []float64{4, 2 - math.Sqrt2} {
			sigma := math.Sqrt(max(4*math.Log(math.E+eps/delta)/(eps*eps), 1/(c*eps)))
			d, err := calibrate.GaussianDelta(calibrate.Epsilon(eps), calibrate.Mu(1/sigma))
			if err != nil {
				return err
			}
			deltas[i] = float64(d)
		}
		for i := range lines {
			lines[i].X, lines[i].Y = append(lines[i].X, eps), append(lines[i].Y, deltas[i])
		}
		table.Add(eps, deltas[2], deltas[0], deltas[1], fmt.Sprint(holds))
	}
	if err := s.Table("appendix_b", table); err != nil {
		return err
	}
	chart := picture.Chart{X: picture.Axis{Label: "ε", Log: true},
		Y: picture.Axis{Label: "true δ", Log: true, From: 1e-12, To: 1}, Lines: lines}
	return s.Figure("appendix_b", picture.Figure{
		Width: 11, Height: 7, Panels: []picture.Panel{chart}, Keys: []picture.Key{printed, right, promised},
		Note: "exact values, k = 1, δ = 1e-5; σ² = 4kΔ² log(e + ε/δ)/ε², but not less than the key says",
	})
}
