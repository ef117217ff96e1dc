package main

import (
	"context"
	"math"

	"github.com/dprelease/dprelease/examples/internal/experiment"
	"github.com/dprelease/dprelease/report/picture"
)

// The guarantee of the mechanisms in the experiment on cuts of a graph.
const (
	cutEpsilon = 1.0
	cutDelta   = 1e-6
)

// constants compares two weights of the Johnson–Lindenstrauss mechanism: the weight that its proof requires, and the
// smallest sufficient one.
func constants(ctx context.Context, s *experiment.Session) error {
	rows := []int{10, 20, 50, 100, 200, 500, 1000, 2000, 5000}
	const nodes = 1_000_000_000 // enough that the smallest weight hardly depends on the number
	least := make([]float64, len(rows))
	if err := s.Each(ctx, "constants", len(rows), func(_ context.Context, i int) error {
		least[i] = exact(nodes, rows[i], cutEpsilon, cutDelta)
		return nil
	}); err != nil {
		return err
	}
	table := experiment.Table{Columns: []string{"r", "eta_at_nu_0.05", "eps", "delta", "w_mended", "w_exact", "ratio",
		"delta_at_mended", "delta_at_exact"}}
	mended := picture.Line{Style: picture.Style{Color: picture.Blue, Line: picture.Solid, Mark: picture.Square}}
	ours := picture.Line{Style: picture.Style{Color: picture.Vermilion, Line: picture.Solid, Mark: picture.Circle}}
	for i, r := range rows {
		w := proven(r, cutEpsilon, cutDelta)
		table.Add(r, accuracy(r, 0.05), cutEpsilon, cutDelta, w, least[i], w/least[i],
			lindenstrauss{nodes, r, w}.delta(cutEpsilon), lindenstrauss{nodes, r, least[i]}.delta(cutEpsilon))
		mended.X, mended.Y = append(mended.X, float64(r)), append(mended.Y, w)
		ours.X, ours.Y = append(ours.X, float64(r)), append(ours.Y, least[i])
	}
	if err := s.Table("jl_constants", table); err != nil {
		return err
	}
	return s.Figure("jl_constants", picture.Figure{
		Width: 10, Height: 7, Note: "ε = 1, δ = 1e-6; the mechanism needs more nodes than w",
		Keys: []picture.Key{{Name: "Appendix D, mended", Style: mended.Style}, {Name: "exact", Style: ours.Style}},
		Panels: []picture.Panel{picture.Chart{X: picture.Axis{Label: "rows r", Log: true},
			Y: picture.Axis{Label: "weight w", Log: true}, Lines: []picture.Line{mended, ours}}},
	})
}

// root returns the square root of x, or 0 if rounding has made x negative.
func root(x float64) float64 { return math.Sqrt(max(x, 0)) }
