package table_test

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/io/table/tabletest"
)

// inside says by the words of Bounds whether a row's value is within them.
func inside(c *table.Column, row int, b table.Bounds) bool {
	i := c.Index(row)
	switch c.Type.Kind {
	case table.Float:
		x := c.Values.Floats[i]
		return c.IsNull(row) || math.IsNaN(x) || !b.Empty && b.Floats[0] <= x && x <= b.Floats[1]
	case table.String:
		x := string(c.Values.Bytes(i))
		return c.IsNull(row) || !b.Empty && b.Texts[0] <= x && (x <= b.Texts[1] || strings.HasPrefix(x, b.Texts[1]))
	}
	x := c.Values.Ints[i]
	return c.IsNull(row) || !b.Empty && b.Ints[0] <= x && x <= b.Ints[1]
}

func drawBounds(t *rapid.T) table.Bounds {
	word := rapid.SampledFrom([]string{"", "a", "aa", "ab", "b", "bb", "c"})
	return table.Bounds{
		Ints:   [2]int64{rapid.Int64Range(-1, 1).Draw(t, "least"), rapid.Int64Range(-1, 1).Draw(t, "most")},
		Floats: [2]float64{-1, rapid.SampledFrom([]float64{0, math.Inf(1)}).Draw(t, "most float")},
		Texts:  [2]string{word.Draw(t, "first"), word.Draw(t, "last")},
		Empty:  rapid.IntRange(0, 3).Draw(t, "empty") == 0,
	}
}

// A checker says of every representation what the words say of each value; dictionaries may have more entries.
func TestChecker(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		plain, b := draw(t), drawBounds(t)
		kind := plain.Type.Kind
		other := drawBounds(t)
		both := b.And(kind, other)
		want := true
		for row := range plain.Len() {
			in := inside(&plain, row, b)
			want = want && in
			if inside(&plain, row, both) != (in && inside(&plain, row, other)) {
				t.Fatalf("row %d of %+v: %+v and %+v are %+v", row, plain, b, other, both)
			}
		}
		coded := tabletest.Encode(plain)
		few := coded.Slice(0, min(1, coded.Len()))
		for _, c := range []*table.Column{&plain, &coded} {
			checker := table.NewChecker(kind, b)
			if got := checker.Holds(c); got != want {
				t.Fatalf("%v, want %v: %+v %+v", got, want, b, c)
			}
			if got := checker.Holds(c); got != want {
				t.Fatalf("the second time: %v, want %v", got, want)
			}
		}
		if got := table.NewChecker(kind, b).Holds(&few); got != (few.Len() == 0 || inside(&few, 0, b)) {
			t.Fatalf("one row of %+v: %v", few, got)
		}
	})
}
