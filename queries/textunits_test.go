package queries

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dprelease/dprelease/internal/mechanism/mechanismtest"
	"github.com/dprelease/dprelease/internal/owntest"
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/quantize"
)

// textUnits is a table whose units are texts, divided into batches. One unit is the empty text, one is longer than any
// buffer of staged rows, and the others are short. Some rows have no unit.
type textUnits struct {
	units, xs, ys int
	*testTable
	cuts    []int
	columns map[string][]table.Column // by batch
}

// newTextUnits makes a table with the columns v, the unit; w, the unit's number; u, an integer that w determines; and x
// and y, random integers below xs and ys.
func newTextUnits(units, xs, ys, rows int) *textUnits {
	tab := &testTable{fields: []table.Field{
		{Name: "v", Type: table.Type{Kind: table.String}}, {Name: "u", Type: table.Type{Kind: table.Int}}, {Name: "w",
			Type: table.Type{Kind: table.Int}},
		{Name: "x", Type: table.Type{Kind: table.Int}}, {Name: "y", Type: table.Type{Kind: table.Int}},
	}}
	r := rand.New(rand.NewPCG(uint64(units), uint64(ys)))
	for i := range rows {
		w := min(r.IntN(units), r.IntN(units))
		if i%1500 == 0 {
			w = units // it is long, so it occurs rarely
		}
		unit := value{s: fmt.Sprintf("unit %0*d", w%50, w), null: i%97 == 0}
		switch w {
		case 0:
			unit.s = ""
		case units:
			unit.s = strings.Repeat("long", 18_000)
		}
		tab.rows = append(tab.rows, []value{unit, {n: int64(w % 7)}, {n: int64(w)}, {n: r.Int64N(int64(xs))},
			{n: r.Int64N(int64(ys))}})
	}
	t := &textUnits{units: units + 1, xs: xs, ys: ys, testTable: tab, columns: map[string][]table.Column{}}
	for end := 1700; end < rows; end += 1700 {
		t.cuts = append(t.cuts, end)
	}
	t.cuts = append(t.cuts, rows)
	for j, f := range tab.fields {
		t.columns[f.Name] = t.layOutMixed(j, f.Type)
	}
	return t
}

// layOutMixed encodes column j in batches, with different encodings. All rows in the same half of the table share a
// dictionary.
func (t *textUnits) layOutMixed(j int, kind table.Type) (out []table.Column) {
	half, all := t.cuts[len(t.cuts)/2], make([]value, len(t.rows))
	for i, r := range t.rows {
		all[i] = r[j]
	}
	lastDict++
	for n, start := 0, 0; n < len(t.cuts); n++ {
		from, to := 0, half
		if start >= half {
			from, to = half, len(all)
		}
		if start == half {
			lastDict++
		}
		out = append(out, layOut(kind, all[from:to], start-from, t.cuts[n]-from, encoding(n+j)%encodings))
		start = t.cuts[n]
	}
	return out
}

// batch returns a batch of some columns.
func (t *textUnits) batch(n int, columns []string) *table.Batch {
	b := &table.Batch{Rows: t.cuts[n]}
	if n > 0 {
		b.Rows -= t.cuts[n-1]
	}
	for _, name := range columns {
		b.Columns = append(b.Columns, t.columns[name][n])
	}
	return b
}

// gathering is one way to gather the rows of units: in memory, spilled, saved and loaded, and so on.
type gathering struct {
	name    string
	spill   *tightSpill // nil if all is in memory
	workers int
	carry   func(all []adding, to []adding) error // nil if workers are merged
}

// gatherings returns the ways to gather rows that are tested. With a share of 2^17 bytes, some rows can be staged for
// each of 4 partitions, and the staging memory is full many times. With 2^7 bytes no row is staged.
func gatherings() []gathering {
	inMemory := func(workers int) *tightSpill { return &tightSpill{share: 1 << 40, room: 1 << 40} }
	return []gathering{
		{"in memory", inMemory(1), 1, nil},
		{"two workers", inMemory(2), 2, nil},
		{"spilled", &tightSpill{share: 1 << 17, room: 1 << 40}, 1, nil},
		{"spilled, two workers in little room", &tightSpill{share: 1 << 17, room: 1 << 14}, 2, nil},
		{"spilled, not staged", &tightSpill{share: 1 << 7, room: 1 << 40}, 1, nil},
		{"saved and loaded", &tightSpill{share: 1 << 17, room: 1 << 40}, 2, func(all, to []adding) error {
			var b bytes.Buffer
			return errors.Join(Save(bare(all), &b), Load(bare(to), &b))
		}},
		{"saved in buckets", inMemory(2), 2, func(all, to []adding) error {
			text := func(unit []byte) uint64 { return uint64(len(unit)) << 50 }
			err := SaveRows(bare(all), NewBuckets(3, [16]byte{3, 5, 8: 7, 15: 77}, text), 5000,
				func(_ int, block []byte) error { return LoadRows(bare(to), block) })
			var b bytes.Buffer
			return errors.Join(err, SaveTotals(bare(all), &b), LoadTotals(bare(to), &b))
		}},
	}
}

// answers returns the exact cells of queries whose rows are gathered in the given way.
func (t *textUnits) answers(tb testing.TB, qs []Query, way gathering) [][]int64 {
	tb.Helper()
	fresh := func() []adding {
		all, err := addTogether(qs, t.schema(), way.spill)
		if err != nil {
			tb.Fatal(err)
		}
		return all
	}
	var first []adding
	if way.carry != nil {
		first = fresh()
	}
	for w := range way.workers {
		all := fresh()
		for n := w; n < len(t.cuts); n += way.workers {
			for i, a := range all {
				if err := a.Add(t.batch(n, qs[i].Columns())); err != nil {
					tb.Fatal(err)
				}
			}
		}
		switch {
		case way.carry != nil:
			if err := way.carry(all, first); err != nil {
				tb.Fatal(err)
			}
		case first == nil:
			first = all
		default:
			for i, a := range first {
				if err := a.Merge(all[i]); err != nil {
					tb.Fatal(err)
				}
			}
		}
	}
	var out [][]int64
	for _, a := range first {
		exacts, err := a.hide()
		if err != nil {
			tb.Fatal(err)
		}
		var cells []int64
		for _, e := range exacts {
			quantum, multiples := mechanismtest.OpenWide(tb, e)
			for _, x := range multiples {
				cells = append(cells, int64(float64(x.Int64())*quantum)) // exact: all are integers below 2^53 quanta
			}
		}
		out = append(out, cells)
	}
	if spilled := len(way.spill.written) > 0; spilled != (way.spill.share < 1<<40) {
		tb.Errorf("%s: spilled is %v", way.name, spilled)
	}
	return out
}

// by returns a query that counts rows by columns, with cells for integers from 0 to below a number for each.
func (t *textUnits) by(unit []string, b Bounds, sizes map[string]int) Spec {
	s := Spec{Name: "q", Kind: Histogram, Unit: unit, Bounds: b}
	for _, column := range []string{"w", "x", "y"} {
		if n, ok := sizes[column]; ok {
			s.By = append(s.By, domain.Dimension{Column: column, As: column, Labels: numbered(n)})
		}
	}
	return s
}

// sums returns a query that adds up y by x.
func (t *textUnits) sums(unit []string, b Bounds) Spec {
	s := t.by(unit, b, map[string]int{"x": t.xs})
	s.Kind, s.Value = Sum, &quantize.Value{Columns: []string{"y"}, Lo: "0", Hi: fmt.Sprint(t.ys)}
	return s
}

func newQueries(tb testing.TB, specs []Spec) (qs []Query) {
	tb.Helper()
	for i, s := range specs {
		s.Name = fmt.Sprint("q", i)
		q, err := New(s)
		if err != nil {
			tb.Fatal(err)
		}
		qs = append(qs, q)
	}
	return qs
}

// textUnitTables returns one table whose contents are numbered to the end, and one with too many.
func textUnitTables(tb testing.TB) []*textUnits {
	few, many := newTextUnits(250, 4, 3, 30_000), newTextUnits(250, 4, 100, 30_000)
	for _, t := range []*textUnits{few, many} {
		distinct := map[[3]int64]bool{}
		for _, r := range t.rows {
			distinct[[3]int64{r[2].n, r[3].n, r[4].n}] = true
		}
		const most = 1 << 14 // contents that are numbered: queries/bounding/contents.go
		if numbered := len(distinct) < most; numbered != (t == few) {
			tb.Fatalf("%d contents", len(distinct))
		}
	}
	return []*textUnits{few, many}
}

// Under limits that drop nothing, queries that share the rows of units of text have the same answers as alone.
func TestTextUnitsTogetherAreThoseAlone(t *testing.T) {
	owntest.Slow(t)
	for _, tab := range textUnitTables(t) {
		for _, unit := range [][]string{{"v"}, {"v", "u"}} {
			all := Bounds{MaxRows: 1 << 20}
			qs := newQueries(t, []Spec{
				tab.by(unit, all, map[string]int{"x": 2}), tab.by(unit, all,
					map[string]int{"w": tab.units, "y": tab.ys}), tab.sums(unit, all),
				tab.by(unit, all, map[string]int{"y": tab.ys, "x": 3}),
			})
			var want [][]int64
			for _, q := range qs {
				want = append(want, tab.answers(t, []Query{q}, gatherings()[0])...)
			}
			for _, way := range gatherings() {
				for i, got := range tab.answers(t, qs, way) {
					if !slices.Equal(got, want[i]) {
						t.Errorf("%d contents a unit, unit %v, %s: query %d differs from that alone", tab.xs*tab.ys, unit, way.name, i)
					}
				}
			}
		}
	}
}

// In whatever way rows are gathered, each unit of text keeps as many rows as the bounds allow, and queries with equal
// bounds keep the same ones.
func TestTextUnitsTogetherAreBounded(t *testing.T) {
	owntest.Slow(t)
	for _, tab := range textUnitTables(t) {
		for _, unit := range [][]string{{"v"}, {"v", "u"}} {
			qs := newQueries(t, []Spec{
				tab.by(unit, Bounds{MaxRows: 3}, map[string]int{"w": tab.units, "x": tab.xs}),
				tab.by(unit, Bounds{MaxRows: 5}, map[string]int{"w": tab.units, "x": 2}),
				tab.by(unit, Bounds{MaxRows: 3}, map[string]int{"w": tab.units, "x": tab.xs, "y": tab.ys}),
				tab.sums(unit, Bounds{MaxRows: 3}),
				tab.by(unit, Bounds{MaxRows: 4, MaxGroups: 2, MaxRowsPerGroup: 3}, map[string]int{"w": tab.units, "x": tab.xs}),
			})
			var want [][]int64
			for _, way := range gatherings() {
				got := tab.answers(t, qs, way)
				if want == nil {
					want = got
					tab.checkBounds(t, got)
				}
				for i := range got {
					if !slices.Equal(got[i], want[i]) {
						t.Errorf("%d contents a unit, unit %v, %s: query %d keeps other rows than in memory", tab.xs*tab.ys, unit,
							way.name, i)
					}
				}
			}
		}
	}
}

// checkBounds checks the rows that the queries of TestTextUnitsTogetherAreBounded keep of each unit.
func (t *textUnits) checkBounds(tb testing.TB, got [][]int64) {
	tb.Helper()
	rows := make([]int64, t.units*t.xs) // by unit and x
	for _, r := range t.rows {
		if !r[0].null {
			rows[int(r[2].n)*t.xs+int(r[3].n)]++
		}
	}
	counts, sums := make([]int64, len(rows)), make([]int64, t.xs) // of the third query
	for i, n := range got[2] {
		counts[i/t.ys] += n
		sums[i/t.ys%t.xs] += n * int64(i%t.ys)
	}
	if !slices.Equal(counts, got[0]) || !slices.Equal(sums, got[3]) {
		tb.Errorf("queries with equal bounds keep other rows: sums %v, want %v", got[3], sums)
	}
	for w := range t.units {
		has, kept, few := rows[w*t.xs:][:t.xs], got[0][w*t.xs:][:t.xs], got[4][w*t.xs:][:t.xs]
		if sum(kept) != min(3, sum(has)) || sum(got[1][w*2:][:2]) != min(5, sum(has[:2])) {
			tb.Errorf("unit %d has %v rows by x, and keeps %v and %v", w, has, kept, got[1][w*2:][:2])
		}
		most, groups := int64(0), 0
		for x, n := range few {
			if n > 0 {
				most, groups = most+min(3, has[x]), groups+1
			}
			if n > min(3, has[x]) || kept[x] > has[x] {
				tb.Errorf("unit %d has %v rows by x, and keeps %v and %v", w, has, kept, few)
			}
		}
		if groups > 2 || sum(few) > 4 || groups == 2 && sum(few) != min(4, most) {
			tb.Errorf("unit %d has %v rows by x, and keeps %v", w, has, few)
		}
	}
}

// A unit whose text alone is longer than the room for a partition is bounded, also if the first rows of its partition
// are of other units.
func TestTextLongerThanTheRoom(t *testing.T) {
	tab := &testTable{fields: busy(0).fields}
	for i := range 40_000 {
		tab.rows = append(tab.rows, []value{{n: 1}, {s: fmt.Sprint("unit ", i%2000)}, {n: int64(i % 5)}})
	}
	for i := range int64(20) {
		tab.rows = append(tab.rows, []value{{n: 1}, {s: strings.Repeat("long", 18_000)}, {n: i % 5}})
	}
	s := spec(5, Bounds{MaxRows: 7})
	s.Unit = []string{"v"}
	q := must(t, s)
	for _, share := range []int64{1 << 40, 1 << 17} {
		a := accumulated(t, q, tab.schema(), &tightSpill{share: share, room: 1 << 14}, plainly(q, tab))
		if got, want := counted(t, a), reference(s, tab); !slices.Equal(got, want) {
			t.Errorf("share %d: %v, want %v", share, got, want)
		}
	}
}
