package table_test

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/io/table/tabletest"
)

func one(c table.Column) *table.Batch { return &table.Batch{Rows: c.Len(), Columns: []table.Column{c}} }

func draw(t *rapid.T) table.Column {
	n := rapid.IntRange(0, 40).Draw(t, "rows")
	var valid []bool
	if rapid.Bool().Draw(t, "nulls") {
		valid = rapid.SliceOfN(rapid.Bool(), n, n).Draw(t, "valid")
	}
	switch rapid.IntRange(0, 2).Draw(t, "kind") {
	case 0:
		return tabletest.Strings(rapid.SliceOfN(rapid.SampledFrom([]string{"", "a", "bb"}), n, n).Draw(t, "strings"), valid)
	case 1:
		floats := []float64{0, math.Copysign(0, -1), math.NaN(), math.Inf(1)}
		return tabletest.Floats(rapid.SliceOfN(rapid.SampledFrom(floats), n, n).Draw(t, "floats"), valid)
	}
	return tabletest.Ints(table.Type{Kind: table.Int}, rapid.SliceOfN(rapid.Int64Range(-1, 1), n, n).Draw(t, "ints"),
		valid)
}

// Both representations of a column have the same rows.
func TestRepresentationsAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		plain := draw(t)
		want := tabletest.Rows(one(plain))
		coded := tabletest.Encode(plain)
		if coded.Len() != len(want) {
			t.Fatalf("%d rows, want %d", coded.Len(), len(want))
		}
		if d := cmp.Diff(want, tabletest.Rows(one(coded))); d != "" {
			t.Fatal(d)
		}
	})
}

func TestSliceTakesRows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := draw(t)
		if rapid.Bool().Draw(t, "codes") {
			c = tabletest.Encode(c)
		}
		i := rapid.IntRange(0, c.Len()).Draw(t, "i")
		j := rapid.IntRange(i, c.Len()).Draw(t, "j")
		if d := cmp.Diff(tabletest.Rows(one(c))[i:j], tabletest.Rows(one(c.Slice(i, j)))); d != "" {
			t.Fatal(d)
		}
	})
}

// The pieces of a batch have its rows in order.
func TestPiecesHaveTheRowsOfTheBatch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := draw(t)
		if rapid.Bool().Draw(t, "codes") {
			c = tabletest.Encode(c)
		}
		b := tabletest.Batch(c, tabletest.Encode(c))
		b.Keep = rapid.SliceOfN(rapid.Bool(), b.Rows, b.Rows).Draw(t, "keep")
		most := rapid.IntRange(1, 10).Draw(t, "most")
		rows, keep := [][]any{}, []bool{}
		if err := b.Pieces(most, func(p *table.Batch) error {
			if p.Rows > most || len(p.Keep) != p.Rows {
				t.Fatalf("a piece of %d rows, %d of them in Keep; at most %d may be in one", p.Rows, len(p.Keep), most)
			}
			rows, keep = append(rows, tabletest.Rows(p)...), append(keep, p.Keep...)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(tabletest.Rows(b), rows); d != "" || !slices.Equal(keep, b.Keep) {
			t.Fatalf("%s, keep %v, want %v", d, keep, b.Keep)
		}
	})
}

func TestTypesDescribeThemselves(t *testing.T) {
	for want, typ := range map[string]table.Type{
		"text":                  {Kind: table.String},
		"timestamp[us, UTC]":    {Kind: table.Timestamp, Unit: 1e3, Zone: table.UTC},
		"timestamp[7ns, local]": {Kind: table.Timestamp, Unit: 7, Zone: table.Local},
		"decimal":               {Name: "decimal"},
		"invalid":               {},
		"kind 77":               {Kind: 77},
	} {
		if got := typ.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestSchemaLookup(t *testing.T) {
	s := table.Schema{Fields: []table.Field{{Name: "a"}, {Name: "b", Type: table.Type{Kind: table.Int}}}}
	if f, ok := s.Lookup("b"); !ok || f.Type.Kind != table.Int {
		t.Errorf("b: %v, %v", f, ok)
	}
	if _, ok := s.Lookup("c"); ok {
		t.Error("c found")
	}
}

func TestLists(t *testing.T) {
	c := tabletest.Lists([][]float64{{1, 2}, {}, {3}}, []bool{true, false, true})
	if c.Len() != 3 || !c.IsNull(1) || !slices.Equal(c.List(2), []float64{3}) {
		t.Fatalf("%+v", c)
	}
	part := c.Slice(1, 3)
	got := tabletest.Rows(tabletest.Batch(part))
	if want := [][]any{{nil}, {tabletest.List(3)}}; len(got) != 2 || got[0][0] != want[0][0] || got[1][0] != want[1][0] {
		t.Errorf("%v, want %v", got, want)
	}
	if empty := (&table.Column{Type: table.Type{Kind: table.List}}); empty.Len() != 0 {
		t.Errorf("%d rows", empty.Len())
	}
}
