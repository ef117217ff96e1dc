package queries

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"testing"

	"github.com/dprelease/dprelease/internal/mechanism"
	"github.com/dprelease/dprelease/internal/mechanism/mechanismtest"
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/io/table/tabletest"
	"github.com/dprelease/dprelease/queries/internal/columnar"
	"github.com/dprelease/dprelease/queries/kinds"
	"github.com/dprelease/dprelease/queries/problem"
	"github.com/dprelease/dprelease/queries/quantize"
	"pgregory.net/rapid"
)

// answered gathers the exact answers with one accumulator for each list of batches, merged into the first.
func answered(tb testing.TB, q Query, s table.Schema, workers [][]*table.Batch) ([]mechanism.Exact, error) {
	tb.Helper()
	return accumulated(tb, q, s, nil, workers).hide()
}

// opened returns exact answers: sums in quanta and, if the query has them, counts.
func opened(tb testing.TB, q *kinds.Sums, exacts []mechanism.Exact) (sums []*big.Int, rows []int64) {
	tb.Helper()
	quantum, sums := mechanismtest.OpenWide(tb, exacts[0])
	if quantum != math.Ldexp(1, q.Quantizer.Exponent) || len(exacts) != 1 && !q.Kind.Extra().Rows {
		tb.Fatalf("quantum %g, %d components", quantum, len(exacts))
	}
	if q.Kind.Extra().Rows {
		_, rows = mechanismtest.Open(tb, exacts[1])
	}
	return sums, rows
}

func sumsOf(tb testing.TB, q *kinds.Sums, t *testTable, workers [][]*table.Batch) (sums []*big.Int, rows []int64) {
	tb.Helper()
	for i, spill := range spills() {
		exacts, err := accumulated(tb, q, t.schema(), spill, workers).hide()
		if err != nil {
			tb.Fatal(err)
		}
		x, n := opened(tb, q, exacts)
		if i > 0 && (!equalInts(x, sums) || !slices.Equal(n, rows)) {
			tb.Fatalf("spilled: %v, %v; in memory %v, %v", x, n, sums, rows)
		}
		sums, rows = x, n
	}
	return sums, rows
}

func plainly(q Query, t *testTable) [][]*table.Batch {
	return [][]*table.Batch{t.batches(q.Columns(), nil, plain)}
}

// randomSum draws a sum or mean of the columns of random tables, and bounds with all signs.
func randomSum(t *rapid.T) Spec {
	s := randomSpec(t)
	s.Kind = rapid.SampledFrom([]Kind{Sum, Mean}).Draw(t, "kind")
	columns := rapid.SampledFrom([][]string{{"int"}, {"float"}, {"digits"}, {"uint"}, {"flag"}, {"float", "digits"},
		{"int", "float", "flag"}}).Draw(t, "columns")
	v := rapid.SampledFrom([]quantize.Value{{Lo: "-1", Hi: "2"}, {Lo: "0.1", Hi: "2.7"}, {Lo: "-3.3", Hi: "-0.5"},
		{Lo: "-100", Hi: "1"}, {ClipL2: "1.5"}, {ClipL2: "0.1"}}).Draw(t, "value")
	v.Columns = columns
	s.Value = &v
	return s
}

// Exact sums equal a plain reference, for any order of the rows, cut into batches, encoding and number of workers.
func TestSumsEqualTheReference(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s, tab := randomSum(rt), randomTable(rt)
		q := summed(t, s)
		want, wantRows := refSums(s, tab)
		shuffled, workers := dealt(rt, q, tab)
		sums, rows := sumsOf(t, q, shuffled, workers)
		if !equalInts(sums, want) || q.Kind.Extra().Rows && !slices.Equal(rows, wantRows) {
			rt.Fatalf("%+v, value %+v\ngot  %v %v\nwant %v %v", s, *s.Value, sums, rows, want, wantRows)
		}
	})
}

// powerOfTwo returns 2^e.
func powerOfTwo(e int) *big.Rat {
	x := new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(max(e, -e))))
	if e < 0 {
		return x.Inv(x)
	}
	return x
}

// square returns x² exactly; x is finite.
func square(x float64) *big.Rat {
	r := new(big.Rat).SetFloat64(x)
	return r.Mul(r, r)
}

func square64(x int64) *big.Int {
	b := big.NewInt(x)
	return b.Mul(b, b)
}

// within reports whether the distance of two exact vectors, in units, is at most a sensitivity.
func within(one, other []*big.Int, unit int, l2 float64) bool {
	sum := new(big.Int)
	for i, x := range one {
		d := new(big.Int).Sub(x, other[i])
		sum.Add(sum, d.Mul(d, d))
	}
	distance := new(big.Rat).SetInt(sum)
	return distance.Mul(distance, powerOfTwo(2*unit)).Cmp(square(l2)) <= 0
}

func bigInts(xs []int64) []*big.Int {
	out := make([]*big.Int, len(xs))
	for i, x := range xs {
		out[i] = big.NewInt(x)
	}
	return out
}

// No pair of neighbouring tables differs in any component by more than its stated sensitivity.
func TestSumsOfNeighboursDifferByAtMostTheSensitivity(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s, tab := randomSum(rt), randomTable(rt)
		q := summed(t, s)
		other, adj := neighbour(rt, s, tab)
		components, err := q.Components(adj)
		if err != nil {
			rt.Fatal(err)
		}
		sums, rows := sumsOf(t, q, tab, plainly(q, tab))
		sums2, rows2 := sumsOf(t, q, other, plainly(q, other))
		if !within(sums, sums2, q.Quantizer.Exponent, components[0].Sens.L2) || q.Kind.Extra().Rows &&
			!within(bigInts(rows), bigInts(rows2), 0, components[1].Sens.L2) {
			rt.Fatalf("%+v, value %+v, %s\n%v %v\n%v %v\n%+v", s, *s.Value, adj, sums, rows, sums2, rows2, components)
		}
	})
}

// For a mean of a public number of terms: no row changes it by more than stated, and rows without a value count as the
// centre.
func TestMeanOfPublicNumber(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s, tab := randomSum(rt), randomTable(rt)
		s.Kind, s.Unit, s.By, s.Bounds = Mean, nil, nil, Bounds{}
		if len(tab.rows) == 0 {
			return
		}
		s.Value.Rows = int64(len(tab.rows))
		q := summed(t, s)
		other := &testTable{fields: tab.fields, rows: slices.Clone(tab.rows)}
		other.rows[rapid.IntRange(0, len(tab.rows)-1).Draw(rt, "row")] = randomRow(rt)
		components, err := q.Components(ReplaceOne)
		if err != nil || len(components) != 1 || components[0].Scale != 1/float64(len(tab.rows)) {
			rt.Fatalf("%+v, %v", components, err)
		}
		sums, _ := sumsOf(t, q, tab, plainly(q, tab))
		sums2, _ := sumsOf(t, q, other, plainly(q, other))
		if !within(sums, sums2, q.Quantizer.Exponent, components[0].Sens.L2) {
			rt.Fatalf("%+v\n%v\n%v\n%+v", *s.Value, sums, sums2, components)
		}
		if want, _ := refSums(s, tab); !equalInts(sums, want) {
			rt.Fatalf("%v, want %v", sums, want)
		}
	})
}

func TestPublicNumberIsChecked(t *testing.T) {
	s := Spec{Name: "q", Kind: Mean, Value: &quantize.Value{Columns: []string{"x"}, Lo: "0", Hi: "1", Rows: 3}}
	q := summed(t, s)
	schema := table.Schema{Fields: []table.Field{{Name: "x", Type: table.Type{Kind: table.Float}}}}
	for n, ok := range []bool{false, false, false, true, false} {
		batch := tabletest.Batch(tabletest.Floats(slices.Repeat([]float64{math.NaN()}, n), nil))
		_, err := answered(t, q, schema, [][]*table.Batch{{batch}, {}})
		var e *problem.Error
		if (err == nil) != ok || err != nil && (!errors.As(err, &e) || e.Code != problem.CodeRows || e.Field != "mean.rows") {
			t.Errorf("%d rows: %v", n, err)
		}
	}
}

// A column of lists gives the same answers as a column for each element; a list of another length has no value.
func TestListsAreColumns(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		dims := rapid.IntRange(1, 3).Draw(rt, "length")
		n := rapid.IntRange(0, 20).Draw(rt, "rows")
		v := rapid.SampledFrom([]quantize.Value{{Lo: "-1", Hi: "2"}, {ClipL2: "1.5"}}).Draw(rt, "value")
		lists, valid := make([][]float64, n), make([]bool, n)
		columns := make([][]float64, dims)
		for i := range lists {
			valid[i] = rapid.IntRange(0, 5).Draw(rt, "null") > 0
			lists[i] = rapid.SliceOfN(rapid.SampledFrom(floatPool), dims, dims).Draw(rt, "list")
			if rapid.IntRange(0, 5).Draw(rt, "odd") == 0 {
				lists[i], valid[i] = lists[i][1:], true
			}
			for j := range columns {
				x := math.NaN()
				if valid[i] && len(lists[i]) == dims {
					x = lists[i][j]
				}
				columns[j] = append(columns[j], x)
			}
		}
		asLists, asColumns := v, v
		asLists.Columns, asLists.List, asLists.Length = []string{"list"}, true, dims
		batch := &table.Batch{Rows: n}
		schema := table.Schema{Fields: []table.Field{{Name: "list", Type: table.Type{Kind: table.List}}}}
		for j, c := range columns {
			name := fmt.Sprint("c", j)
			asColumns.Columns = append(asColumns.Columns, name)
			schema.Fields = append(schema.Fields, table.Field{Name: name, Type: table.Type{Kind: table.Float}})
			batch.Columns = append(batch.Columns, tabletest.Floats(c, nil))
		}
		var got [2][]*big.Int
		var rows [2][]int64
		for i, x := range []struct {
			v quantize.Value
			b *table.Batch
		}{{asLists, &table.Batch{Rows: n, Columns: []table.Column{tabletest.Lists(lists, valid)}}}, {asColumns, batch}} {
			q := summed(t, Spec{Name: "q", Kind: Mean, Value: &x.v})
			exacts, err := answered(t, q, schema, [][]*table.Batch{{x.b}})
			if err != nil {
				rt.Fatal(err)
			}
			got[i], rows[i] = opened(t, q, exacts)
		}
		if !equalInts(got[0], got[1]) || !slices.Equal(rows[0], rows[1]) {
			rt.Fatalf("%v %v, want %v %v", got[0], rows[0], got[1], rows[1])
		}
	})
}

func TestBadLists(t *testing.T) {
	q := summed(t, Spec{Name: "q", Kind: Sum, Value: &quantize.Value{Columns: []string{"x"}, List: true, Length: 2,
		Lo: "0", Hi: "1"}})
	schema := table.Schema{Fields: []table.Field{{Name: "x", Type: table.Type{Kind: table.List}}}}
	for name, spoil := range map[string]func(*table.Batch, *table.Column){
		"no column":       func(b *table.Batch, _ *table.Column) { b.Columns = nil },
		"too few lists":   func(_ *table.Batch, c *table.Column) { c.Lists = c.Lists[:2] },
		"going back":      func(_ *table.Batch, c *table.Column) { c.Lists[1] = 9 },
		"too few numbers": func(_ *table.Batch, c *table.Column) { c.Values.Floats = c.Values.Floats[:3] },
		"codes":           func(_ *table.Batch, c *table.Column) { c.Codes = []int32{0, 0} },
		"short validity":  func(_ *table.Batch, c *table.Column) { c.Valid = []bool{true} },
		"another type":    func(_ *table.Batch, c *table.Column) { c.Type.Kind = table.Float },
	} {
		b := tabletest.Batch(tabletest.Lists([][]float64{{1, 2}, {3, 4}}, nil))
		spoil(b, &b.Columns[0])
		a, err := newAdding(q, schema, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := a.Add(b); !errors.Is(err, columnar.ErrShape) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Rows that a filter dropped are in no sum.
func TestSumsHonourKeep(t *testing.T) {
	for _, unit := range [][]string{nil, {"u"}} {
		q := summed(t, Spec{Name: "q", Kind: Mean, Filtered: true, Unit: unit, Bounds: Bounds{MaxRows: 9},
			Value: &quantize.Value{Columns: []string{"x"}, Lo: "0", Hi: "8"}})
		b := tabletest.Batch(tabletest.Ints(table.Type{Kind: table.Int}, []int64{1, 2, 7}, nil),
			tabletest.Ints(table.Type{Kind: table.Int}, []int64{5, 5, 6}, nil))
		b.Columns, b.Keep = b.Columns[:len(q.Columns())], []bool{true, false, true}
		exacts, err := answered(t, q, smallSchema, [][]*table.Batch{{b}})
		if err != nil {
			t.Fatal(err)
		}
		sums, rows := opened(t, q, exacts)
		if x, _ := new(big.Float).SetInt(sums[0]).Float64(); math.Ldexp(x, q.Quantizer.Exponent) != (1-4)+(7-4) ||
			rows[0] != 2 {
			t.Errorf("%v: %v, %v", unit, sums, rows)
		}
	}
}
