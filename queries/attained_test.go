package queries

import (
	"fmt"
	"slices"
	"testing"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/sensitivity"
)

// For every kind of dimension, with and without a null cell, there are neighbouring tables whose answers differ by
// exactly the stated sensitivity.
func TestSensitivityIsAttainedInAllDimensions(t *testing.T) {
	fields := []table.Field{
		{Name: "u", Type: table.Type{Kind: table.Int}}, {Name: "day", Type: table.Type{Kind: table.Date}},
		{Name: "lat", Type: table.Type{Kind: table.Float}}, {Name: "lon", Type: table.Type{Kind: table.Float}},
	}
	points := []domain.Point{{ID: "a", Lat: 10, Lon: 5}, {ID: "b", Lat: 11, Lon: 5}, {ID: "c", Lat: 12, Lon: 5},
		{ID: "d", Lat: 13, Lon: 5}}
	for name, d := range map[string]domain.Dimension{
		"labels": {Column: "day", Labels: []domain.Label{{Name: "1", Members: []string{"1970-01-05"}},
			{Name: "2", Members: []string{"1970-04-15"}}, {Name: "3", Members: []string{"1970-07-24"}}, {Name: "4",
				Members: []string{"1970-11-01"}}}},
		"edges": {Column: "day", Edges: []string{"1970-01-01", "1970-04-01", "1970-07-01", "1970-10-01", "1971-01-01"}},
		"part":  {Column: "day", TimeField: "quarter"},
		"grid": {Grid: &domain.Grid{Lat: "lat", Lon: "lon", South: "9.5", North: "13.5", West: "4", East: "6", Rows: 4,
			Cols: 1}},
		"nearest": amongPoints(points, 1000),
	} {
		for _, null := range []domain.Policy{domain.Drop, domain.OwnCell} {
			d.Null = null
			// row is a row of a unit in a cell of the dimension.
			row := func(unit int64, cell int) []value {
				return []value{{n: unit}, {n: []int64{4, 104, 204, 304, 0}[cell], null: cell == 4},
					{x: float64(10 + cell), null: cell == 4}, {x: 5}}
			}
			for _, b := range []Bounds{{MaxRows: 7}, {MaxRows: 7, MaxRowsPerGroup: 2}, {MaxGroups: 2, MaxRowsPerGroup: 3}} {
				q := must(t, Spec{Name: "q", Kind: Histogram, Unit: []string{"u"}, Bounds: b, By: []domain.Dimension{d}})
				fill := func(from, cells int) [][]value {
					rows := [][]value{row(2, 0), row(2, 3)}
					for i, n := range corner(q.Limits, int64(cells)) {
						rows = append(rows, slices.Repeat([][]value{row(1, from+i)}, int(n))...)
					}
					return rows
				}
				half := q.Size / 2
				for adj, tables := range map[Adjacency][2][][]value{
					AddRemove:  {fill(0, q.Size), fill(0, 0)},
					ReplaceOne: {fill(0, half), fill(half, q.Size-half)},
				} {
					one, two := exact(t, q, &testTable{fields, tables[0]}), exact(t, q, &testTable{fields, tables[1]})
					if got, want := squaredDistance(one, two), sensitivity.SquaredCounts(q.Limits, adj,
						q.Size); fmt.Sprint(got) != want.String() {
						t.Errorf("%s, null %s, %+v, %s: changed by sqrt(%d), sensitivity sqrt(%v)", name, null, b, adj, got, want)
					}
				}
			}
		}
	}
}
