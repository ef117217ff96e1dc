package queries

import (
	"math"
	"math/big"
	"testing"

	"github.com/dprelease/dprelease/internal/mechanism/mechanismtest"
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/io/table/tabletest"
	"github.com/dprelease/dprelease/queries/quantize"
)

// Sums of the largest values exceed 64 bits and are still exact.
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
	a, err := newAdding(q, table.Schema{Fields: []table.Field{{Name: "v", Type: table.Type{Kind: table.Float}}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	const batches = 1 << 9 // 2^25 rows of 2^40 units
	for range batches {
		if err := a.Add(batch); err != nil {
			t.Fatal(err)
		}
	}
	exacts, err := a.hide()
	if err != nil {
		t.Fatal(err)
	}
	sums, _ := opened(t, q, exacts)
	want := new(big.Int).Mul(big.NewInt(q.Quantizer.Min), big.NewInt(batches<<16))
	if sums[0].Cmp(want) != 0 || want.IsInt64() {
		t.Errorf("got %d, want %d", sums[0], want)
	}
}

// The sums of squares of a variance exceed 64 bits and are still exact, whether the values are plain or codes of a
// dictionary.
func TestPlainSquaresDoNotOverflow(t *testing.T) {
	s := spec(2, Bounds{})
	s.Kind, s.Unit = Variance, nil
	s.By, s.Value = nil, &quantize.Value{Columns: []string{"v"}, Lo: "-1", Hi: "1"}
	q := summed(t, s)
	const batches, rows = 1 << 7, 1 << 16
	values, codes := make([]float64, rows), make([]int32, rows)
	for i := range values {
		values[i], codes[i] = math.Inf(1), 1
	}
	coded := tabletest.Batch(tabletest.Floats([]float64{0, 2}, nil))
	coded.Rows, coded.Columns[0].Codes, coded.Columns[0].Dict = rows, codes, 1
	for _, batch := range []*table.Batch{tabletest.Batch(tabletest.Floats(values, nil)), coded} {
		a, err := newAdding(q, table.Schema{Fields: []table.Field{{Name: "v", Type: table.Type{Kind: table.Float}}}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for range batches {
			if err := a.Add(batch); err != nil {
				t.Fatal(err)
			}
		}
		exacts, err := a.hide()
		if err != nil {
			t.Fatal(err)
		}
		half := q.Quantizer.Half()
		for i, each := range []int64{half, half*half - half*half/2} {
			want := new(big.Int).Mul(big.NewInt(each), big.NewInt(batches*rows))
			if _, got := mechanismtest.OpenWide(t, exacts[i]); got[0].Cmp(want) != 0 {
				t.Errorf("component %d: got %d, want %d", i, got[0], want)
			}
		}
		if _, got := mechanismtest.Open(t, exacts[2]); got[0] != batches*rows {
			t.Errorf("%d rows, want %d", got[0], batches*rows)
		}
	}
}
