package bounding

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/internal/units"
	"github.com/dprelease/dprelease/queries/problem"
)

// BenchmarkTexts stores rows whose units are texts of 32 characters without a dictionary, and bounds them.
func BenchmarkTexts(b *testing.B) {
	const rows, batches = 1 << 14, 128
	for _, n := range []int{10_000, 1_000_000} {
		b.Run(fmt.Sprint("units=", n), func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 2))
			all := make([]*table.Batch, batches)
			for i := range all {
				v := table.Values{Offsets: []uint32{0}}
				for range rows {
					v.Data = fmt.Appendf(v.Data, "%032x", uint64(r.IntN(n))*0x9e3779b97f4a7c15)
					v.Offsets = append(v.Offsets, uint32(len(v.Data)))
				}
				all[i] = &table.Batch{Rows: rows, Columns: []table.Column{{Type: table.Type{Kind: table.String}, Values: v}}}
			}
			schema := table.Schema{Fields: []table.Field{{Name: "u", Type: table.Type{Kind: table.String}}}}
			cells := make([]int32, rows)
			for b.Loop() {
				p := &problem.Problems{}
				store := NewRows(units.New([]string{"u"}, false, []string{"u"}, schema, p), CellBytes, []Field{CellField(1)}, nil)
				for _, batch := range all {
					if err := store.AddCells(batch, cells); err != nil {
						b.Fatal(err)
					}
				}
				if _, err := store.Bound(Limits{Rows: 5, Cells: 1, RowsPerCell: 5}, func([]byte, uint64) {}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/rows/batches, "ns/row")
		})
	}
}
