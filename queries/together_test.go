package queries

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/bounding"
	"github.com/dprelease/dprelease/queries/sensitivity"
)

// severalSpecs draws specs with the same privacy unit.
func severalSpecs(t *rapid.T) []Spec {
	specs := make([]Spec, rapid.SampledFrom([]int{2, 3, 9}).Draw(t, "queries"))
	for i := range specs {
		specs[i] = randomSpec(t)
		specs[i].Unit = specs[0].Unit
		if rapid.Bool().Draw(t, "bounds of the first") {
			specs[i].Bounds = specs[0].Bounds
		}
	}
	return specs
}

// refTogether answers queries that share the rows of units, row by row: the digest of a row covers its contents for all
// queries.
func refTogether(specs []Spec, t *testTable) [][]int64 {
	out := make([][]int64, len(specs))
	byUnit := make([]map[string][]refRow, len(specs))
	for i, s := range specs {
		size := 1
		for _, d := range s.By {
			size *= refSize(d)
		}
		out[i], byUnit[i] = make([]int64, size), map[string][]refRow{}
	}
	seen := map[string]int{}
	for _, row := range t.rows {
		unit := refUnit(specs[0], t, row)
		mask, cells := make([]byte, (len(specs)+7)/8), make([]int, len(specs))
		var contents []byte
		for i, s := range specs {
			for _, d := range s.By {
				c := refAxis(s, d, t, row)
				if cells[i] = cells[i]*refSize(d) + c; c < 0 {
					cells[i] = math.MinInt32
				}
			}
			if cells[i] >= 0 {
				mask[i/8] |= 1 << (i % 8)
			}
			contents = binary.BigEndian.AppendUint32(contents, uint32(max(cells[i], 0)))
		}
		if unit == "" {
			continue
		}
		message := "dprelease/bound1u" + strings.TrimPrefix(unit, "unit") + "\x00\x00\x00\x00" + string(mask) +
			string(contents)
		digest := sha256.Sum256([]byte(message + "\x00\x00\x00\x00\x00\x00\x00\x00"))
		if n := seen[message]; n > 0 {
			digest = sha256.Sum256(binary.BigEndian.AppendUint64(digest[:], uint64(n)))
		}
		seen[message]++
		for i, cell := range cells {
			if cell >= 0 {
				byUnit[i][unit] = append(byUnit[i][unit], refRow{cell: cell, digest: digest[:]})
			}
		}
	}
	for i, s := range specs {
		for unit, rows := range byUnit[i] {
			for _, r := range refBound(unit, rows, s.Bounds) {
				out[i][r.cell]++
			}
		}
	}
	return out
}

// togetherOf answers queries that share the rows of units. Each worker has its own accumulators, and gets some of the
// batches.
func togetherOf(tb testing.TB, qs []Query, s table.Schema, spill bounding.Spill, batches [][]*table.Batch,
	workers int) []adding {
	tb.Helper()
	all := make([][]adding, workers)
	fresh := func() ([]adding, error) { return addTogether(qs, s, spill) }
	for w := range all {
		var err error
		if all[w], err = fresh(); err != nil {
			tb.Fatal(err)
		}
		for n := w; n < len(batches[0]); n += workers {
			for i, a := range all[w] {
				if err := a.Add(batches[i][n]); err != nil {
					tb.Fatal(err)
				}
			}
		}
		all[w] = carried(tb, all[w], fresh)
	}
	for i, a := range all[0] {
		for _, other := range all[1:] {
			if err := a.Merge(other[i]); err != nil {
				tb.Fatal(err)
			}
		}
	}
	return boundInBuckets(tb, all[0], fresh)
}

func queriesOf(tb testing.TB, specs []Spec) []Query {
	tb.Helper()
	qs := make([]Query, len(specs))
	for i, s := range specs {
		qs[i] = must(tb, s)
	}
	return qs
}

// layouts lays out a table for each query, cut at the same rows.
func layouts(qs []Query, tab *testTable, cuts []int, how encoding) [][]*table.Batch {
	out := make([][]*table.Batch, len(qs))
	for i, q := range qs {
		out[i] = tab.batches(q.Columns(), cuts, how+encoding(i))
	}
	return out
}

// The answers of queries that share the rows of units equal the reference's answers: for every order of the rows,
// batches, encoding and number of workers, in memory and spilled.
func TestQueriesTogetherEqualTheReference(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		specs, tab := severalSpecs(rt), randomTable(rt)
		if len(specs[0].Unit) == 0 {
			return
		}
		want := refTogether(specs, tab)
		qs := queriesOf(t, specs)
		shuffled := &testTable{fields: tab.fields, rows: rapid.Permutation(tab.rows).Draw(rt, "order")}
		cuts := rapid.SliceOfN(rapid.IntRange(0, len(tab.rows)), 0, 5).Draw(rt, "cuts")
		how := encoding(rapid.IntRange(0, int(encodings)-1).Draw(rt, "encoding"))
		workers := rapid.IntRange(1, 4).Draw(rt, "workers")
		for _, spill := range spills() {
			for i, a := range togetherOf(t, qs, tab.schema(), spill, layouts(qs, shuffled, cuts, how), workers) {
				if got := counted(t, a); !slices.Equal(got, want[i]) {
					rt.Fatalf("query %d of %+v: %v, want %v", i, specs, got, want[i])
				}
			}
		}
	})
}

// If queries share the rows of units, the answer of each changes between neighbouring tables by at most its
// sensitivity.
func TestNeighboursTogetherDifferByAtMostTheSensitivity(t *testing.T) {
	neighboursTogether(t, severalSpecs)
}

// neighboursTogether checks that the answers to drawn queries about drawn neighbours differ by at most the
// sensitivities.
func neighboursTogether(t *testing.T, draw func(*rapid.T) []Spec) {
	t.Helper()
	rapid.Check(t, func(rt *rapid.T) {
		specs, tab := draw(rt), randomTable(rt)
		other, adj := neighbour(rt, specs[0], tab)
		qs := queriesOf(t, specs)
		one := togetherOf(t, qs, tab.schema(), nil, layouts(qs, tab, nil, plain), 1)
		two := togetherOf(t, qs, tab.schema(), &tightSpill{room: 200}, layouts(qs, other, nil, plain), 1)
		for i := range qs {
			q := must(t, specs[i])
			got := squaredDistance(counted(t, one[i]), counted(t, two[i]))
			most := sensitivity.SquaredCounts(q.Limits, adj, q.Size)
			if !q.Constant(adj) && (!most.IsInt64() || got > most.Int64()) {
				rt.Fatalf("%+v, %s: changed by sqrt(%d), sensitivity sqrt(%v)", specs[i], adj, got, most)
			}
		}
	})
}

// Each of several queries keeps as many rows as alone: a row that only other queries count displaces none of its rows.
// Spills, repeated rows and oversized units, which are read differently, keep the same rows.
func TestQueriesTogetherKeepAsManyRows(t *testing.T) {
	asGathered = true
	defer func() { asGathered = false }()
	tab := busy(150)
	for _, unit := range [][]string{{"v"}, {"u"}, {"u", "v"}, {"u", "x"}} {
		specs := []Spec{
			spec(5, Bounds{MaxRows: 7}), spec(2, Bounds{MaxRows: 7}), spec(5,
				Bounds{MaxRows: 7, MaxGroups: 3, MaxRowsPerGroup: 4}), spec(1, Bounds{MaxRows: 30}),
		}
		for i := range specs {
			specs[i].Unit, specs[i].Name = unit, fmt.Sprint("q", i)
		}
		qs := queriesOf(t, specs)
		want := refTogether(specs, tab)
		for _, x := range []*tightSpill{{share: 1 << 40, room: 1 << 40}, {share: 1 << 15, room: 1 << 12},
			{share: 1 << 13, room: 1 << 20}, {room: 1 << 13}, {room: 200}} {
			for i, a := range togetherOf(t, qs, tab.schema(), x, layouts(qs, tab, []int{100, 200, 900}, dictionaryKept), 2) {
				got := counted(t, a)
				if !slices.Equal(got, want[i]) {
					t.Errorf("unit %v, query %d, room %d: %v, want %v", unit, i, x.room, got, want[i])
				}
				alone := accumulated(t, qs[i], tab.schema(), nil, plainly(must(t, specs[i]), tab))
				cells := counted(t, alone)
				if i != 2 && sum(got) != sum(cells) {
					t.Errorf("unit %v, query %d: %d rows, %d alone", unit, i, sum(got), sum(cells))
				}
				if a.Bounded().Rows != alone.Bounded().Rows || i != 2 && a.Bounded().Cut != alone.Bounded().Cut {
					t.Errorf("unit %v, query %d: tally %+v, alone %+v", unit, i, a.Bounded(), alone.Bounded())
				}
			}
		}
	}
}

func sum(cells []int64) (n int64) {
	for _, x := range cells {
		n += x
	}
	return n
}

// Accumulators that share rows cannot be merged after the totals of one of them were hidden, nor with an accumulator
// that shares no rows.
func TestMisuseOfSharedRows(t *testing.T) {
	tab := busy(10)
	specs := []Spec{spec(5, Bounds{MaxRows: 2}), spec(1, Bounds{MaxRows: 2})}
	qs := queriesOf(t, specs)
	one := togetherOf(t, qs, tab.schema(), nil, layouts(qs, tab, nil, plain), 1)
	two := togetherOf(t, qs, tab.schema(), nil, layouts(qs, tab, nil, plain), 1)
	alone, err := newAdding(qs[1], tab.schema(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := one[1].Merge(alone); !errors.Is(err, bounding.ErrMerge) {
		t.Errorf("merged with one alone: %v", err)
	}
	if _, err := one[0].hide(); err != nil {
		t.Fatal(err)
	}
	if err := one[1].Merge(two[1]); !errors.Is(err, bounding.ErrSpent) {
		t.Errorf("merged after a seal: %v", err)
	}
	if _, err := one[0].hide(); !errors.Is(err, bounding.ErrSpent) {
		t.Errorf("sealed twice: %v", err)
	}
}
