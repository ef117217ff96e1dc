package local_test

import (
	"bytes"
	"fmt"
	"math"
	"testing"

	"github.com/parquet-go/parquet-go"
)

// dictionaryFloats writes a column of floats with a dictionary. If a NaN is among them, parquet-go 0.32 states the
// least of the values after the NaN as min.
func dictionaryFloats(t *testing.T, values ...float64) []byte {
	t.Helper()
	type row struct {
		A float64 `parquet:"a,dict"`
	}
	var b bytes.Buffer
	w := parquet.NewGenericWriter[row](&b)
	for _, v := range values {
		if _, err := w.Write([]row{{v}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// A row with a NaN changes a filtered count by at most one, and no run fails.
func TestNaNMovesNoOtherRow(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		values []float64
		want   int64
	}{
		{[]float64{5, 50, 50}, 1}, {[]float64{5, nan, 50, 50}, 1},
		{[]float64{5, 30, 30}, 3}, {[]float64{5, nan, 30, 30}, 3},
	} {
		t.Run(fmt.Sprint(c.values), func(t *testing.T) {
			got, err := counted(t, dictionaryFloats(t, c.values...), "add-remove", "where: [{column: a, min: 0, max: 40}]")
			if err != nil || got != c.want {
				t.Errorf("%d, %v, want %d", got, err, c.want)
			}
		})
	}
}
