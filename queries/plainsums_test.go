package queries

import (
	"math"
	"math/big"
	"testing"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/io/table/tabletest"
	"github.com/dprelease/dprelease/queries/quantize"
)

// Sums of the largest values go beyond 64 bits.
func TestPlainSumsDoNotOverflow(t *testing.T) {
	s := spec(2, Bounds{})
	s.Kind, s.Unit = Sum, nil
	s.By, s.Value = nil, &quantize.Value{Columns: []string{"v"}, Lo: "-1", Hi: "1"}
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
	want := new(big.Int).Mul(big.NewInt(q.quantizer.Min), big.NewInt(batches<<16))
	if sums[0].Cmp(want) != 0 || want.IsInt64() {
		t.Errorf("got %d, want %d", sums[0], want)
	}
}
