package table_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/io/table/tabletest"
)

// Bounds hold for a column in every representation if they hold for each of its values. Its dictionary may have more
// entries.
func TestBoundsHold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 40).Draw(t, "rows")
		values := rapid.SliceOfN(rapid.Int64Range(-3, 3), n, n).Draw(t, "values")
		valid := rapid.SliceOfN(rapid.Bool(), n, n).Draw(t, "valid")
		b := table.Bounds{Min: rapid.Int64Range(-4, 4).Draw(t, "min"), Max: rapid.Int64Range(-4, 4).Draw(t, "max")}
		want := true
		for i, v := range values {
			want = want && (!valid[i] || b.Min <= v && v <= b.Max)
		}
		plain := tabletest.Ints(table.Type{Kind: table.Int}, values, valid)
		coded := tabletest.Encode(plain)
		coded.Values.Ints = append(coded.Values.Ints, 99)
		for _, c := range []*table.Column{&plain, &coded} {
			if got := b.Holds(c); got != want {
				t.Fatalf("%v, want %v: %+v %+v", got, want, b, c)
			}
		}
	})
}
