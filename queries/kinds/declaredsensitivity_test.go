package kinds

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/dprelease/dprelease/queries/bounding"
	"github.com/dprelease/dprelease/queries/query"
	"github.com/dprelease/dprelease/queries/sensitivity"
)

// Every bound that the hint names makes the declaration true.
func TestRemedyWorks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cells := rapid.IntRange(1, 9).Draw(t, "cells")
		b := query.Bounds{MaxRows: rapid.Int64Range(1, 40).Draw(t, "k"), MaxGroups: rapid.Int64Range(0, 9).Draw(t, "L"),
			MaxRowsPerGroup: rapid.Int64Range(0, 9).Draw(t, "m")}
		adj := rapid.SampledFrom([]query.Adjacency{query.AddRemove, query.ReplaceOne}).Draw(t, "adjacency")
		l, _ := b.Resolve(cells)
		norm := func(l bounding.Limits) float64 { return sensitivity.RootUp(sensitivity.SquaredCounts(l, adj, cells)) }
		s := query.Spec{Unit: []string{"u"}, Bounds: b}
		s.Declared = rapid.Float64Range(0.5, norm(l)).Draw(t, "declared")
		for _, try := range []func(*query.Bounds, int64){
			func(b *query.Bounds, x int64) { b.MaxRows = x }, func(b *query.Bounds,
				x int64) {
				b.MaxGroups = x
			}, func(b *query.Bounds, x int64) { b.MaxRowsPerGroup = x },
		} {
			most := largestBound(s, cells, 50, try, norm)
			for x := int64(1); x < 50; x++ {
				c := b
				try(&c, x)
				l, _ := c.Resolve(cells)
				if fits := norm(l) <= s.Declared; fits != (x <= most) {
					t.Fatalf("value %d: fits %v, most %d", x, fits, most)
				}
			}
		}
	})
}
