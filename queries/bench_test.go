package queries

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dprelease/dprelease/io/table"
)

const (
	benchRows  = 1 << 16 // rows of a batch
	benchTexts = 5000
	benchUnits = 500_000
)

// benchBatch has a dictionary column of texts, skewed to the first ones, and plain units.
func benchBatch(rng *rand.Rand) *table.Batch {
	text := table.Column{Type: table.Type{Kind: table.String}, Dict: 1, Values: table.Values{Offsets: []uint32{0}}}
	for i := range benchTexts {
		text.Values.Data = fmt.Appendf(text.Values.Data, "%d", i)
		text.Values.Offsets = append(text.Values.Offsets, uint32(len(text.Values.Data)))
	}
	unit := table.Column{Type: table.Type{Kind: table.Int}}
	for range benchRows {
		x := rng.Float64()
		text.Codes = append(text.Codes, int32(x*x*x*benchTexts))
		unit.Values.Ints = append(unit.Values.Ints, rng.Int64N(benchUnits))
	}
	return &table.Batch{Rows: benchRows, Columns: []table.Column{text, unit}}
}

func benchmark(b *testing.B, s Spec, batches []*table.Batch) {
	b.Helper()
	q := must(b, s)
	schema := table.Schema{Fields: []table.Field{{Name: "x", Type: table.Type{Kind: table.String}},
		{Name: "u", Type: table.Type{Kind: table.Int}}}}
	rows := 0
	for b.Loop() {
		a, err := newAdding(q, schema, nil)
		if err != nil {
			b.Fatal(err)
		}
		for _, batch := range batches {
			part := &table.Batch{Rows: batch.Rows, Columns: batch.Columns[:len(q.Columns())]}
			if err := a.Add(part); err != nil {
				b.Fatal(err)
			}
			rows += batch.Rows
		}
		if _, err := a.hide(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(rows), "ns/row")
}

func batchesOf(n int) []*table.Batch {
	rng := rand.New(rand.NewPCG(3, 4))
	batches := make([]*table.Batch, n)
	for i := range batches {
		batches[i] = benchBatch(rng)
	}
	return batches
}

func BenchmarkHistogramOfCodes(b *testing.B) {
	s := spec(benchTexts, Bounds{})
	s.Unit = nil
	benchmark(b, s, batchesOf(16))
}

func BenchmarkHistogramOfTwoDimensions(b *testing.B) {
	s := spec(benchTexts, Bounds{})
	s.Unit = nil
	d := s.By[0]
	d.As = "y"
	s.By = append(s.By, d)
	benchmark(b, s, batchesOf(16))
}

func BenchmarkHistogramByUnit(b *testing.B) {
	benchmark(b, spec(benchTexts, Bounds{MaxRows: 4}), batchesOf(64))
}

// BenchmarkTogether bounds the rows of units for one query and for five with the same bounds.
func BenchmarkTogether(b *testing.B) {
	tab := &testTable{fields: []table.Field{{Name: "u", Type: table.Type{Kind: table.Int}},
		{Name: "v", Type: table.Type{Kind: table.String}}, {Name: "x", Type: table.Type{Kind: table.Int}}}}
	r := rand.New(rand.NewPCG(1, 2))
	for range 200_000 {
		unit := r.Int64N(10_000)
		tab.rows = append(tab.rows, []value{{n: unit}, {s: fmt.Sprintf("%032x", unit)}, {n: r.Int64N(5)}})
	}
	for _, unit := range []string{"u", "v"} {
		for _, n := range []int{1, 5, 20} {
			qs := make([]Query, n)
			for i := range qs {
				s := spec(5, Bounds{MaxRows: 5})
				s.Unit = []string{unit}
				qs[i] = must(b, s)
			}
			one := layouts(qs[:1], tab, []int{50_000, 100_000, 150_000}, plain)
			batches := slices.Repeat(one, n)
			b.Run(fmt.Sprintf("unit=%s/queries=%d", unit, n), func(b *testing.B) {
				for b.Loop() {
					for _, a := range togetherOf(b, qs, tab.schema(), nil, batches, 1) {
						if _, err := a.hide(); err != nil {
							b.Fatal(err)
						}
					}
				}
			})
		}
	}
}
