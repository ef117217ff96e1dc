package queries

import (
	"errors"
	"math"
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/io/table/tabletest"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/internal/columnar"
	"github.com/dprelease/dprelease/queries/problem"
)

func onGrid(g domain.Grid) domain.Dimension {
	g.Lat, g.Lon = "lat", "lon"
	return domain.Dimension{Grid: &g}
}

// If a place's coordinates have no more decimals than the edges of a grid, the place gets the cell that exact
// arithmetic gives, even if it lies on an edge.
func TestGridIsExactOnDecimals(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		step := rapid.Int64Range(1, 5000).Draw(rt, "step")
		south, west := rapid.Int64Range(-400_000, 400_000).Draw(rt, "south"), rapid.Int64Range(-1_000_000, 1_000_000).Draw(rt,
			"west")
		rows, cols := rapid.IntRange(1, 60).Draw(rt, "rows"), rapid.IntRange(1, 60).Draw(rt, "cols")
		text := func(n int64) string { return new(big.Rat).SetFrac64(n, 10_000).FloatString(4) }
		d := onGrid(domain.Grid{
			South: text(south), North: text(south + step*int64(rows)), West: text(west), East: text(west +
				step*int64(cols)), Rows: rows, Cols: cols,
		})
		q := must(t, Spec{Name: "q", Kind: Histogram, By: []domain.Dimension{d}})
		i, j := rapid.Int64Range(-1, int64(rows)+1).Draw(rt, "i"), rapid.Int64Range(-1, int64(cols)+1).Draw(rt, "j")
		y, x := i*step+rapid.Int64Range(0, 1).Draw(rt, "north"), j*step+rapid.Int64Range(-1, 0).Draw(rt, "west of")
		lat, lon := text(south+y), text(west+x)
		want := line(y, step, rows)*int32(cols) + line(x, step, cols)
		if line(y, step, rows) < 0 || line(x, step, cols) < 0 || south+y == 0 && west+x == 0 {
			want = columnar.Dropped
		}
		same(t, placesOf(t, q, tabletest.Batch(tabletest.Strings([]string{lat}, nil), tabletest.Strings([]string{lon}, nil))),
			want)
		same(t, placesOf(t, q, tabletest.Batch(tabletest.Floats(numbers([]string{lat}), nil),
			tabletest.Floats(numbers([]string{lon}), nil))), want)
	})
}

// line returns the row or column of a grid at the distance x from the first edge. Each of the n rows or columns has the
// width step. It returns -1 outside of the grid.
func line(x, step int64, n int) int32 {
	switch {
	case x < 0 || x > step*int64(n):
		return -1
	case x == step*int64(n):
		return int32(n) - 1
	}
	return int32(x / step)
}

func TestKeysOfGrids(t *testing.T) {
	d := onGrid(domain.Grid{South: "40", North: "41", West: "-74", East: "-73", Rows: 2, Cols: 3})
	by := []domain.Dimension{d, {Column: "x", Labels: numbered(2)}}
	names := func(cell int) (s string) {
		for _, k := range finish(t, must(t, Spec{Name: "q", Kind: Histogram, By: by}),
			make([]float64, must(t, Spec{Name: "q", Kind: Histogram, By: by}).Size)).Keys {
			s += k.Name + "=" + labelOf(k, cell) + " "
		}
		return s
	}
	for cell, want := range map[int]string{0: `row=0 col=0 x="0" `, 1: `row=0 col=0 x="1" `, 4: `row=0 col=2 x="0" `,
		7: `row=1 col=0 x="1" `, 11: `row=1 col=2 x="1" `} {
		if got := names(cell); got != want {
			t.Errorf("cell %d: %s, want %s", cell, got, want)
		}
	}
	by[0].Other, by[0].As = domain.OwnCell, "from"
	for cell, want := range map[int]string{5: `from_row="0" from_col="2" x="1" `, 6: `from_row="1" from_col="0" x="0" `,
		12: `from_row="other" from_col="other" x="0" `} {
		if got := names(cell); got != want {
			t.Errorf("cell %d: %s, want %s", cell, got, want)
		}
	}
	_, err := New(Spec{Name: "q", Kind: Histogram, By: []domain.Dimension{d, d}})
	if es := problem.Errors(err); len(es) != 2 || es[0].Code != problem.CodeDuplicate {
		t.Errorf("two grids of one name: %v", err)
	}
}

// A row without a valid place gets the null cell; a place outside all cells gets the other cell.
func TestPlacesWithoutCells(t *testing.T) {
	d := onGrid(domain.Grid{South: "-90", North: "90", West: "-180", East: "179", Rows: 1, Cols: 1})
	d.Null, d.Other = domain.OwnCell, domain.OwnCell
	near := amongPoints([]domain.Point{{ID: "a", Lat: 0, Lon: 0}}, 1e6)
	near.Null, near.Other = domain.OwnCell, domain.OwnCell
	nan, inf := math.NaN(), math.Inf(1)
	lats := []float64{0, 0, math.Copysign(0, -1), nan, 1, inf, 1, 90.1, -90, 5, 1, 1}
	lons := []float64{0, 5, 0, 1, nan, 1, -inf, 1, -180, 180, 180.5, -1}
	want := []int32{1, 0, 1, 1, 1, 1, 1, 1, 0, 2, 1, 0}
	b := tabletest.Batch(tabletest.Floats(lats, nil), tabletest.Floats(lons, nil))
	same(t, placesOf(t, must(t, Spec{Name: "q", Kind: Histogram, By: []domain.Dimension{d}}), b), want...)
	want[8] = 2 // the south pole is further than 1000 km
	same(t, placesOf(t, must(t, Spec{Name: "q", Kind: Histogram, By: []domain.Dimension{near}}), b), want...)
}

// A coordinate gives the same cell whether its column has texts, floats or integers, plain or as codes into a
// dictionary.
func TestCoordinatesOfAllTypes(t *testing.T) {
	d := onGrid(domain.Grid{South: "0", North: "4", West: "0", East: "4", Rows: 4, Cols: 4})
	d.Null = domain.OwnCell
	q := must(t, Spec{Name: "q", Kind: Histogram, By: []domain.Dimension{d}})
	valid := []bool{true, true, false, true, true}
	texts := tabletest.Strings([]string{"1", "1", "2", "2e0", "x"}, valid)
	floats := tabletest.Floats([]float64{1, 1, 2, 2, math.NaN()}, valid)
	for _, c := range []table.Column{texts, floats, tabletest.Encode(texts), tabletest.Encode(floats)} {
		same(t, placesOf(t, q, tabletest.Batch(c, tabletest.Ints(table.Type{Kind: table.Uint}, []int64{3, 3, 3, 3, 3}, nil))),
			7, 7, 16, 11, 16)
		same(t, placesOf(t, q, tabletest.Batch(tabletest.Ints(table.Type{Kind: table.Int}, []int64{0, 1, 2, 3, 4}, nil), c)),
			1, 5, 16, 14, 16)
	}
	bad := tabletest.Encode(floats)
	bad.Codes[0] = 9
	p := &problem.Problems{}
	g := groupingOf(q.Axes, q.BatchColumns(table.Schema{Fields: []table.Field{{Name: "lat", Type: bad.Type},
		{Name: "lon", Type: bad.Type}}}, p))
	for _, b := range []*table.Batch{tabletest.Batch(bad, floats), tabletest.Batch(floats, bad),
		{Rows: 5, Columns: []table.Column{floats}}} {
		if _, err := g.OfRows(b); !errors.Is(err, columnar.ErrShape) {
			t.Errorf("%v", err)
		}
	}
}

func TestBadPlaces(t *testing.T) {
	grid := func(change func(*domain.Grid)) domain.Dimension {
		g := domain.Grid{Lat: "lat", Lon: "lon", South: "40", North: "41", West: "-74", East: "-73", Rows: 2, Cols: 3}
		change(&g)
		return domain.Dimension{Grid: &g}
	}
	near := func(change func(*domain.Nearest)) domain.Dimension {
		n := domain.Nearest{Lat: "lat", Lon: "lon", Points: []domain.Point{{ID: "a", Lat: 1, Lon: 2},
			{ID: "b", Lat: 3, Lon: 4}}, WithinM: 150, Name: "id"}
		change(&n)
		return domain.Dimension{Nearest: &n}
	}
	bin := func(d domain.Dimension) domain.Dimension { d.Other = domain.OwnCell; return d }
	for name, c := range map[string]struct {
		d           domain.Dimension
		field, code string
	}{
		"column too": {domain.Dimension{Column: "x", Grid: grid(func(*domain.Grid) {}).Grid}, ".column",
			problem.CodeBadSpec},
		"no such part": {domain.Dimension{Column: "x", TimeField: "era"}, ".part", problem.CodeBadValue},
		"part and edges": {domain.Dimension{Column: "x", TimeField: "month", Edges: []string{"0", "1"}}, "",
			problem.CodeBadSpec},
		"no latitude":      {grid(func(g *domain.Grid) { g.Lat = "" }), ".grid", problem.CodeBadSpec},
		"one column":       {grid(func(g *domain.Grid) { g.Lon = "lat" }), ".grid.lon", problem.CodeDuplicate},
		"upside down":      {grid(func(g *domain.Grid) { g.North = "40.0" }), ".grid.north", problem.CodeBadValue},
		"across the world": {grid(func(g *domain.Grid) { g.East = "-75" }), ".grid.east", problem.CodeBadValue},
		"south of poles":   {grid(func(g *domain.Grid) { g.South = "-90.01" }), ".grid.south", problem.CodeBadValue},
		"not a number":     {grid(func(g *domain.Grid) { g.West = "-0x1p3" }), ".grid.west", problem.CodeBadValue},
		"no rows":          {grid(func(g *domain.Grid) { g.Rows = 0 }), ".grid.rows", problem.CodeBadValue},
		"too many cols":    {grid(func(g *domain.Grid) { g.Cols = 1<<20 + 1 }), ".grid.cols", problem.CodeBadValue},
		"too fine": {grid(func(g *domain.Grid) { g.North, g.Rows = "40.0000000000001", 1000 }), ".grid.rows",
			problem.CodeBadValue},
		"too many cells": {grid(func(g *domain.Grid) { g.Rows, g.Cols = 1<<16, 1<<15 }), ".grid", problem.CodeTooManyCells},
		"too many labels": {bin(grid(func(g *domain.Grid) { g.Rows, g.Cols = 1<<12, 1<<11 })), ".grid",
			problem.CodeTooManyCells},
		"no points":    {near(func(n *domain.Nearest) { n.Points = nil }), ".nearest.points", problem.CodeBadSpec},
		"not on earth": {near(func(n *domain.Nearest) { n.Points[1].Lat = 91 }), ".nearest.points", problem.CodeBadValue},
		"NaN": {near(func(n *domain.Nearest) { n.Points[0].Lon = math.NaN() }), ".nearest.points",
			problem.CodeBadValue},
		"two of a name": {near(func(n *domain.Nearest) { n.Points[1].ID = "a" }), ".nearest.points",
			problem.CodeDuplicate},
		"name of a bin": {bin(near(func(n *domain.Nearest) { n.Points[1].ID = "other" })), ".nearest.points",
			problem.CodeDuplicate},
		"not within": {near(func(n *domain.Nearest) { n.WithinM = 0 }), ".nearest.within_m", problem.CodeBadValue},
		"too far": {near(func(n *domain.Nearest) { n.WithinM = 1e6 + 1 }), ".nearest.within_m",
			problem.CodeBadValue},
		"NaN metres": {near(func(n *domain.Nearest) { n.WithinM = math.NaN() }), ".nearest.within_m",
			problem.CodeBadValue},
		"no key": {near(func(n *domain.Nearest) { n.Name = "" }), ".nearest.id", problem.CodeBadSpec},
	} {
		_, err := New(Spec{Name: "q", Kind: Histogram, By: []domain.Dimension{c.d}})
		if es := problem.Errors(err); len(es) != 1 || es[0].Field != "histogram.by[0]"+c.field || es[0].Code != c.code {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestColumnsOfPlaces(t *testing.T) {
	q := must(t, Spec{Name: "q", Kind: Histogram, By: []domain.Dimension{amongPoints([]domain.Point{{ID: "a", Lat: 1,
		Lon: 2}}, 5), {Column: "lat", Edges: []string{"0", "1"}}}})
	if got := q.Columns(); !slices.Equal(got, []string{"lat", "lon"}) {
		t.Errorf("%v", got)
	}
	schema := table.Schema{Fields: []table.Field{{Name: "lat", Type: table.Type{Kind: table.Float}},
		{Name: "lo", Type: table.Type{Kind: table.Date}}}}
	_, err := newAdding(q, schema, nil)
	if es := problem.Errors(err); len(es) != 1 || es[0].Field != "histogram.by[0].nearest.lon" ||
		es[0].Hint != "did you mean lo?" {
		t.Errorf("%v", err)
	}
	schema.Fields[1].Name = "lon"
	_, err = newAdding(q, schema, nil)
	if es := problem.Errors(err); len(es) != 1 || es[0].Field != "histogram.by[0].nearest.lon" ||
		es[0].Code != problem.CodeColumnType {
		t.Errorf("%v", err)
	}
}
