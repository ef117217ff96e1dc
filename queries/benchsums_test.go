package queries

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/quantize"
)

// BenchmarkMeanOfVectors computes the mean of a public number of rows, 500, with 2,000 columns (Balle & Wang 2018,
// section 5.2). It includes making the query.
func BenchmarkMeanOfVectors(b *testing.B) {
	const rows, columns = 500, 2000
	rng := rand.New(rand.NewPCG(1, 2))
	for name, v := range map[string]quantize.Value{"clamp": {Lo: "-0.5", Hi: "0.5"}, "clip": {ClipL2: "1"}} {
		v.Rows = rows
		schema, batch := table.Schema{}, &table.Batch{Rows: rows}
		for j := range columns {
			v.Columns = append(v.Columns, fmt.Sprint("x", j))
			schema.Fields = append(schema.Fields, table.Field{Name: v.Columns[j], Type: table.Type{Kind: table.Float}})
			c := table.Column{Type: table.Type{Kind: table.Float}}
			for range rows {
				c.Values.Floats = append(c.Values.Floats, rng.Float64()-0.5)
			}
			batch.Columns = append(batch.Columns, c)
		}
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				benchSum(b, Spec{Name: "q", Kind: Mean, Value: &v}, schema, batch, 1)
			}
		})
	}
}

func benchSum(b *testing.B, s Spec, schema table.Schema, batch *table.Batch, times int) {
	b.Helper()
	q := summed(b, s)
	a, err := newAdding(q, schema, nil)
	if err != nil {
		b.Fatal(err)
	}
	for range times {
		if err := a.Add(batch); err != nil {
			b.Fatal(err)
		}
	}
	if _, err := a.hide(); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkMean averages a column of floats by row, and by unit with rows over the bounds.
func BenchmarkMean(b *testing.B) {
	const times = 16
	rng := rand.New(rand.NewPCG(1, 2))
	schema := table.Schema{Fields: []table.Field{{Name: "x", Type: table.Type{Kind: table.Float}},
		{Name: "u", Type: table.Type{Kind: table.Int}}}}
	batch := &table.Batch{Rows: benchRows, Columns: []table.Column{{Type: schema.Fields[0].Type},
		{Type: schema.Fields[1].Type}}}
	for range benchRows {
		batch.Columns[0].Values.Floats = append(batch.Columns[0].Values.Floats, rng.Float64())
		batch.Columns[1].Values.Ints = append(batch.Columns[1].Values.Ints, rng.Int64N(benchRows/4))
	}
	for name, unit := range map[string][]string{"row": nil, "unit": {"u"}} {
		b.Run(name, func(b *testing.B) {
			s := Spec{Name: "q", Kind: Mean, Unit: unit, Bounds: Bounds{MaxRows: 40},
				Value: &quantize.Value{Columns: []string{"x"}, Lo: "0", Hi: "1"}}
			for b.Loop() {
				benchSum(b, s, schema, &table.Batch{Rows: batch.Rows, Columns: batch.Columns[:1+len(unit)]}, times)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/times/benchRows, "ns/row")
		})
	}
}
