package queries

import (
	"errors"
	"slices"
	"testing"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/bounding"
	"github.com/dprelease/dprelease/queries/internal/columnar"
	"github.com/dprelease/dprelease/queries/quantize"
)

func open(t *testing.T, q Query, s table.Schema) adding {
	t.Helper()
	a, err := newAdding(q, s, nil)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

var smallSchema = table.Schema{Fields: []table.Field{{Name: "x", Type: table.Type{Kind: table.Int}},
	{Name: "u", Type: table.Type{Kind: table.Int}}}}

func smallQueries(t *testing.T) map[string]Query {
	byRow := spec(3, Bounds{})
	byRow.Unit = nil
	return map[string]Query{"row": must(t, byRow), "unit": must(t, spec(3, Bounds{MaxRows: 2}))}
}

// allQueries returns queries of the small table: counts, a sum and a mean, by row and by unit.
func allQueries(t *testing.T) map[string]Query {
	all := smallQueries(t)
	for name, unit := range map[string][]string{"sum by row": nil, "mean by unit": {"u"}} {
		s := Spec{Name: "q", Kind: Sum, Unit: unit, Bounds: Bounds{MaxRows: 2},
			Value: &quantize.Value{Columns: []string{"x"}, Lo: "0", Hi: "3"}}
		if unit != nil {
			s.Kind = Mean
		}
		q, err := New(s)
		if err != nil {
			t.Fatal(err)
		}
		all[name] = q
	}
	return all
}

func TestAccumulatorsAreUsedOnce(t *testing.T) {
	for name, q := range allQueries(t) {
		a, b := open(t, q, smallSchema), open(t, q, smallSchema)
		if err := a.Merge(a); err == nil {
			t.Errorf("%s: merged with itself", name)
		}
		if err := a.Merge(open(t, must(t, spec(4, Bounds{MaxRows: 2})), smallSchema)); !errors.Is(err, bounding.ErrMerge) {
			t.Errorf("%s: merged with another query's: %v", name, err)
		}
		if err := a.Merge(b); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		batch := &table.Batch{Columns: []table.Column{ints(table.Int), ints(table.Int)}}
		for _, err := range []error{b.Add(batch), a.Merge(b), b.Merge(a)} {
			if !errors.Is(err, bounding.ErrSpent) {
				t.Errorf("%s: a merged accumulator lives on: %v", name, err)
			}
		}
		if _, err := a.hide(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := a.hide(); !errors.Is(err, bounding.ErrSpent) {
			t.Errorf("%s: sealed twice: %v", name, err)
		}
	}
}

// A batch that does not fit is an error, never a panic.
func TestBadBatches(t *testing.T) {
	good := func() *table.Batch {
		return &table.Batch{Rows: 2, Columns: []table.Column{ints(table.Int, 0, 1), ints(table.Int, 5, 5)}}
	}
	for name, spoil := range map[string]func(*table.Batch, *table.Column){
		"too few columns": func(b *table.Batch, _ *table.Column) { b.Columns = nil },
		"too few rows":    func(_ *table.Batch, c *table.Column) { c.Values.Ints = c.Values.Ints[:1] },
		"another type":    func(_ *table.Batch, c *table.Column) { c.Type.Kind = table.Uint },
		"short validity":  func(_ *table.Batch, c *table.Column) { c.Valid = []bool{true} },
		"large code":      func(_ *table.Batch, c *table.Column) { c.Codes = []int32{0, 2} },
		"negative code":   func(_ *table.Batch, c *table.Column) { c.Codes = []int32{0, -1} },
		"code of a long dictionary": func(_ *table.Batch, c *table.Column) {
			c.Codes, c.Values.Ints = []int32{0, 9}, []int64{1, 2, 3, 4}
		},
		"bad code beside a null": func(_ *table.Batch, c *table.Column) {
			c.Codes, c.Valid = []int32{7, 7}, []bool{false, true}
		},
		"too few codes": func(_ *table.Batch, c *table.Column) { c.Codes = []int32{0} },
	} {
		for kind, q := range allQueries(t) {
			for i := range len(q.Columns()) {
				b := good()
				b.Columns = b.Columns[:len(q.Columns())]
				spoil(b, &b.Columns[i])
				if err := open(t, q, smallSchema).Add(b); !errors.Is(err, columnar.ErrShape) {
					t.Errorf("%s, %s, column %d: %v", name, kind, i, err)
				}
			}
		}
	}
}

func TestEmptyTable(t *testing.T) {
	for name, q := range smallQueries(t) {
		if got := exactOf(t, q, &testTable{fields: smallSchema.Fields}, [][]*table.Batch{{}, {}}); !slices.Equal(got,
			make([]int64, 3)) {
			t.Errorf("%s: %v", name, got)
		}
	}
}
