package domain

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"

	"github.com/dprelease/dprelease/queries/internal/columnar"
	"github.com/dprelease/dprelease/queries/problem"
)

// Limits of a grid. maxLines is the largest number of rows or columns; over one degree, cells are then 10 cm wide.
// maxExtraCells is the largest number of cells if a null cell or other cell is added, because each cell then has a
// label of its own.
const (
	maxLines      = 1 << 20
	maxExtraCells = 1 << 22
)

// gridDomain holds the cells of a grid, numbered row by row.
type gridDomain struct {
	*Grid
	rows, cols []float64 // edges
}

func newGrid(d Dimension, field string, p *problem.Problems) domain {
	g := d.Grid
	checkPlaceColumns(g.Lat, g.Lon, field, p)
	lat := side{"south", "north", "rows", g.South, g.North, g.Rows, 90}
	lon := side{"west", "east", "cols", g.West, g.East, g.Cols, 180}
	grid := gridDomain{g, lat.edges(field, p), lon.edges(field, p)}
	if grid.rows == nil || grid.cols == nil {
		return nil
	}
	if g.Rows > MaxCells/g.Cols {
		p.Add(field, problem.CodeTooManyCells, fmt.Sprintf("more than 2^31 - 1 = %d cells", MaxCells),
			"use fewer rows or cols")
		return nil
	}
	if (d.Null == OwnCell || d.Other == OwnCell) && grid.size() > maxExtraCells {
		p.Add(field, problem.CodeTooManyCells, fmt.Sprintf("more than 2^22 = %d cells beside which bin adds others",
			maxExtraCells), "use drop, or fewer rows or cols")
		return nil
	}
	return grid
}

// side is one direction of a grid: its rows (latitudes) or its columns (longitudes).
type side struct {
	low, high, lines string
	from, to         string
	n                int
	most             int64 // the largest absolute value of a coordinate: 90 or 180
}

// edges returns the n + 1 edges, each rounded to the nearest float. After it has reported an error, it returns nil.
func (s side) edges(field string, p *problem.Problems) []float64 {
	from, to := s.coordinate(s.from, field+"."+s.low, p), s.coordinate(s.to, field+"."+s.high, p)
	switch {
	case s.n < 1 || s.n > maxLines:
		p.Add(field+"."+s.lines, problem.CodeBadValue, fmt.Sprintf("%s is %d: from 1 to %d", s.lines, s.n, maxLines), "")
		return nil
	case from == nil || to == nil:
		return nil
	case from.Cmp(to) >= 0:
		p.Add(field+"."+s.high, problem.CodeBadValue, fmt.Sprintf("%s %q is not above %s %q", s.high, s.to, s.low, s.from),
			"a box across the 180th meridian is two grids")
		return nil
	}
	width := new(big.Rat).Sub(to, from)
	width.Quo(width, big.NewRat(int64(s.n), 1))
	edges := make([]float64, s.n+1)
	for i := range edges {
		at := new(big.Rat).Mul(width, big.NewRat(int64(i), 1))
		edges[i], _ = at.Add(at, from).Float64()
		if i > 0 && edges[i] <= edges[i-1] {
			p.Add(field+"."+s.lines, problem.CodeBadValue, fmt.Sprintf("%d %s are closer than float64 tells apart", s.n,
				s.lines), "use fewer")
			return nil
		}
	}
	return edges
}

func (s side) coordinate(text, field string, p *problem.Problems) *big.Rat {
	x, ok := Number(text)
	if !ok || new(big.Rat).Abs(x).Cmp(big.NewRat(s.most, 1)) > 0 {
		p.Add(field, problem.CodeBadValue, fmt.Sprintf("%q is not a decimal number from -%d to %d", text, s.most, s.most),
			"coordinates are decimal degrees")
		return nil
	}
	return x
}

func (d gridDomain) size() int { return d.Rows * d.Cols }

func (d gridDomain) places() (lat, lon, field string) { return d.Lat, d.Lon, ".grid" }

func (d gridDomain) coding() Coding {
	return Coding{Grid: &GridCells{Lat: d.Lat, Lon: d.Lon, Rows: d.rows, Cols: d.cols}}
}

// locator returns the function from places to cells of the grid. other is the code of places outside of the grid.
func (g *GridCells) locator(other int32) locator {
	edges := func(at []float64) *floatEdges {
		return newFloatEdges(FloatSteps(at, Dropped, true), ExtraCells{Dropped, Dropped, nil})
	}
	return &gridCells{rows: edges(g.Rows), cols: edges(g.Cols), other: other}
}

// gridCells finds the cell of a place in a grid.
type gridCells struct {
	rows, cols *floatEdges
	other      int32
	ranks      []int32
}

func (g *gridCells) cell(lat, lon float64) int32 {
	row, col := g.rows.code(lat), g.cols.code(lon)
	if row < 0 || col < 0 {
		return g.other
	}
	return row*g.cols.cells + col
}

// gridRows is the number of places that are processed at a time. It keeps intermediate results in the processor's
// cache.
const gridRows = 1024

func (g *gridCells) columnCells(dst []int32, lat, lon []float64, code func(lat, lon float64) int32) {
	g.ranks = columnar.Resize(g.ranks, gridRows)
	for len(dst) > 0 {
		n := min(len(dst), gridRows)
		cells, cols := dst[:n], g.ranks[:n]
		g.rows.edges.ranks(cells, lat)
		g.cols.edges.ranks(cols, lon)
		for i, r := range cells {
			row, col := r-1, cols[i]-1
			if uint32(row) < uint32(g.rows.cells) && uint32(col) < uint32(g.cols.cells) && (lat[i] != 0 || lon[i] != 0) {
				cells[i] = row*g.cols.cells + col
			} else {
				cells[i] = code(lat[i], lon[i])
			}
		}
		dst, lat, lon = dst[n:], lat[n:], lon[n:]
	}
}

// Keys returns two columns, row and col, or <name>_row and <name>_col if there is a name. They hold integers. If the
// axis has a null cell or other cell, they hold texts, and both columns hold the name of this cell.
func (d gridDomain) Keys(name string, extra []string) []KeyColumn {
	row, col := KeyColumn{Name: "row"}, KeyColumn{Name: "col"}
	if name != "" {
		row.Name, col.Name = name+"_row", name+"_col"
	}
	if len(extra) == 0 {
		row.Stride, row.Labels = d.Cols, IntegerLabels(0, int64(d.Rows), nil)
		col.Labels = IntegerLabels(0, int64(d.Cols), nil)
		return []KeyColumn{row, col}
	}
	rows, cols := lines(d.Rows), lines(d.Cols)
	for r := range d.Rows {
		for range d.Cols {
			row.Labels.Strings = append(row.Labels.Strings, rows[r])
		}
		col.Labels.Strings = append(col.Labels.Strings, cols...)
	}
	row.Labels.Strings = slices.Concat(row.Labels.Strings, extra)
	col.Labels.Strings = slices.Concat(col.Labels.Strings, extra)
	return []KeyColumn{row, col}
}

// lines returns the texts "0" to "n-1", which number rows or columns.
func lines(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = strconv.Itoa(i)
	}
	return names
}
