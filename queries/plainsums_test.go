package queries

import (
	"math"
	"math/big"
	"testing"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/io/table/tabletest"
	"pgregory.net/rapid"
)

// Plain sums round and clamp as the general way does, whatever the number.
func TestPlainSumsFixAlike(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := spec(3, Bounds{})
		s.Kind, s.Unit = rapid.SampledFrom([]Kind{Sum, Mean}).Draw(rt, "kind"), nil
		v := rapid.SampledFrom([]Value{{Lo: "-1", Hi: "2"}, {Lo: "0.1", Hi: "2.7"}, {Lo: "-1e12", Hi: "3"}, {Lo: "-3.3", Hi: "1e-200"}}).Draw(rt, "value")
		v.Columns = []string{"float"}
		s.Value = &v
		q := summed(t, s)
		p := newPlainSums(q)
		x := rapid.OneOf(
			rapid.Float64(), rapid.Float64Range(-4, 4),
			rapid.SampledFrom([]float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), 5e-324, math.MaxFloat64}),
			rapid.Custom(func(rt *rapid.T) float64 { // between two units
				return math.Ldexp(float64(rapid.Int64Range(-1<<42, 1<<42).Draw(rt, "half units")), q.quantizer.unit-1)
			}),
		).Draw(rt, "x")
		if want := q.quantizer.clamped(x) - q.quantizer.centre; p.fixed(x) != want {
			rt.Fatalf("%g: got %d, want %d", x, p.fixed(x), want)
		}
	})
}

// Sums of the largest values go beyond 64 bits.
func TestPlainSumsDoNotOverflow(t *testing.T) {
	s := spec(2, Bounds{})
	s.Kind, s.Unit = Sum, nil
	s.By, s.Value = nil, &Value{Columns: []string{"v"}, Lo: "-1", Hi: "1"}
	q := summed(t, s)
	values := make([]float64, 1<<16)
	for i := range values {
		values[i] = math.Inf(-1)
	}
	batch := tabletest.Batch(tabletest.Floats(values, nil))
	a, err := q.New(table.Schema{Fields: []table.Field{{Name: "v", Type: table.Type{Kind: table.Float}}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	const batches = 1 << 9 // 2^25 rows of 2^40 units
	for range batches {
		if err := a.Add(batch); err != nil {
			t.Fatal(err)
		}
	}
	exacts, err := a.Seal()
	if err != nil {
		t.Fatal(err)
	}
	sums, _ := opened(t, q, exacts)
	want := new(big.Int).Mul(big.NewInt(q.quantizer.low), big.NewInt(batches<<16))
	if sums[0].Cmp(want) != 0 || want.IsInt64() {
		t.Errorf("got %d, want %d", sums[0], want)
	}
}
