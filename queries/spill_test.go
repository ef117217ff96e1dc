package queries

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/dprelease/dprelease/internal/owntest"
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/bounding"
	"github.com/dprelease/dprelease/queries/sensitivity"
	"pgregory.net/rapid"
)

// tightSpill is a Spill with little memory that keeps written data in a list; with it, all domains are held sparsely.
type tightSpill struct {
	mutex       sync.Mutex
	written     [][]byte
	share, room int64
	fail        error
	failAfter   int
}

func (s *tightSpill) Join()        {}
func (s *tightSpill) Share() int64 { return s.share }
func (s *tightSpill) Room() int64  { return s.room }
func (s *tightSpill) Cells() int64 { return 0 }
func (s *tightSpill) Workers() int { return 3 }
func (s *tightSpill) Err() error   { return nil }

func (s *tightSpill) Write(pieces ...[]byte) (int64, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.fail != nil && len(s.written) >= s.failAfter {
		return 0, s.fail
	}
	s.written = append(s.written, slices.Concat(pieces...))
	return int64(len(s.written) - 1), nil
}

func (s *tightSpill) Read(piece []byte, at int64) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if len(piece) != len(s.written[at]) {
		return fmt.Errorf("piece %d has %d bytes, %d are read", at, len(s.written[at]), len(piece))
	}
	copy(piece, s.written[at])
	return nil
}

// spills returns the spills with which every exact answer is computed: none, and one with almost no memory.
func spills() []bounding.Spill { return []bounding.Spill{nil, &tightSpill{room: 200}} }

// accumulated answers a query with one accumulator for each list of batches, merged into the first.
func accumulated(tb testing.TB, q Query, s table.Schema, spill bounding.Spill, workers [][]*table.Batch) adding {
	tb.Helper()
	var first adding
	for _, batches := range workers {
		a, err := newAdding(q, s, spill)
		if err != nil {
			tb.Fatal(err)
		}
		for _, b := range batches {
			if err := a.Add(b); err != nil {
				tb.Fatal(err)
			}
		}
		a = carried(tb, []adding{a}, func() ([]adding, error) {
			next, err := newAdding(q, s, spill)
			return []adding{next}, err
		})[0]
		if first.Accumulator == nil {
			first = a
		} else if err := first.Merge(a); err != nil {
			tb.Fatal(err)
		}
	}
	return boundInBuckets(tb, []adding{first}, func() ([]adding, error) {
		next, err := newAdding(q, s, spill)
		return []adding{next}, err
	})[0]
}

// busy returns a table of many rows of units of two columns, some with many rows, that fill several chunks of a
// partition.
func busy(units int) *testTable {
	tab := &testTable{fields: []table.Field{
		{Name: "u", Type: table.Type{Kind: table.Int}}, {Name: "v", Type: table.Type{Kind: table.String}},
		{Name: "x", Type: table.Type{Kind: table.Int}},
	}}
	for i := range int64(units) {
		for j := range 1 + i%40*(i%3) {
			tab.rows = append(tab.rows, []value{{n: i % 7}, {s: fmt.Sprint("unit ", i)}, {n: (i + j*j) % 5}})
		}
	}
	return tab
}

// Any share of the memory, room and number of workers gives the same answer, and a small share is not exceeded.
func TestSpillsAgree(t *testing.T) {
	owntest.Slow(t)
	if testing.Short() {
		t.Skip("it runs in one goroutine, which takes long with the race detector")
	}
	tab := busy(150)
	for _, unit := range [][]string{{"v"}, {"u"}, {"u", "v"}, {"u", "x"}} {
		s := spec(5, Bounds{MaxRows: 7, MaxGroups: 3, MaxRowsPerGroup: 4})
		s.Unit = unit
		q := must(t, s)
		want := reference(s, tab)
		for _, how := range []encoding{plain, dictionaryKept} {
			var cuts []int
			for i := 100; i < len(tab.rows); i += 100 {
				cuts = append(cuts, i)
			}
			for _, x := range []*tightSpill{{share: 1 << 40, room: 1 << 40}, {share: 1 << 15, room: 1 << 12},
				{share: 1 << 13, room: 1 << 20}, {room: 1 << 13}} {
				a := accumulated(t, q, tab.schema(), x, [][]*table.Batch{tab.batches(q.Columns(), cuts, how), nil})
				if got := counted(t, a); !slices.Equal(got, want) {
					t.Errorf("unit %v, encoding %d, share %d: %v, want %v", unit, how, x.share, got, want)
				}
				if n := len(x.written); x.share == 0 && n == 0 || x.share == 1<<40 && n > 0 {
					t.Errorf("unit %v, share %d: %d pieces were written", unit, x.share, n)
				}
				if a.rows != nil {
					t.Error("the rows are still there")
				}
			}
		}
	}
}

// If a spill fails at any call, the accumulator returns its error.
func TestSpillFails(t *testing.T) {
	full := errors.New("full")
	tab := busy(100)
	for after := range 8 {
		s := spec(5, Bounds{MaxRows: 7})
		s.Unit = []string{"v"}
		q := must(t, s)
		a, err := newAdding(q, tab.schema(), &tightSpill{fail: full, failAfter: after})
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range tab.batches(q.Columns(), []int{100, 200}, plain) {
			if err = a.Add(b); err != nil {
				break
			}
		}
		if !errors.Is(err, full) {
			t.Errorf("after %d writes: %v", after, err)
		}
		if _, err := a.hide(); !errors.Is(err, full) {
			t.Errorf("after %d writes, sealed: %v", after, err)
		}
	}
}

// Neighbouring tables differ by at most the sensitivity whatever is spilled of each.
func TestSpilledNeighboursDifferByAtMostTheSensitivity(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s, tab := randomSpec(rt), randomTable(rt)
		q := must(t, s)
		other, adj := neighbour(rt, s, tab)
		one := counted(t, accumulated(t, q, tab.schema(), &tightSpill{share: rapid.Int64Range(0, 4000).Draw(rt, "share"),
			room: 300}, plainly(q, tab)))
		two := counted(t, accumulated(t, q, tab.schema(), &tightSpill{share: rapid.Int64Range(0, 4000).Draw(rt, "share"),
			room: 100}, plainly(q, other)))
		most := sensitivity.SquaredCounts(q.Limits, adj, q.Size)
		if got := squaredDistance(one, two); !q.Constant(adj) && (!most.IsInt64() || got > most.Int64()) {
			rt.Fatalf("%+v, %s: changed by sqrt(%d), sensitivity sqrt(%v)", s, adj, got, most)
		}
	})
}

// If memory is short while rows are added, equal rows of a unit are merged into one with a count, which here saves
// enough memory that nothing is spilled. (Rows that are loaded already have counts, so they are spilled if memory is
// short. That depends on the random hash of units in this process.)
func TestRepeatedRowsAreCounted(t *testing.T) {
	tab := busy(40)
	rows := tab.rows
	for range 6 {
		tab.rows = append(tab.rows, rows...)
	}
	for _, unit := range [][]string{{"v"}, {"u"}, {"u", "v"}, {"u", "x"}} {
		s := spec(5, Bounds{MaxRows: 60, MaxGroups: 4, MaxRowsPerGroup: 50})
		s.Unit = unit
		q := must(t, s)
		x := &tightSpill{share: 40_000, room: 1 << 30}
		a, err := newAdding(q, tab.schema(), x)
		for _, b := range tab.batches(q.Columns(), []int{200, 700}, plain) {
			err = errors.Join(err, a.Add(b))
		}
		if err != nil {
			t.Fatal(err)
		}
		written := len(x.written)
		if got, want := counted(t, a), reference(s, tab); !slices.Equal(got, want) || written > 0 {
			t.Errorf("unit %v: %v, want %v; %d pieces were written", unit, got, want, written)
		}
	}
}

// Accumulators may be merged in any order, with more rows added in between: the answer equals the answer of one
// accumulator.
func TestMergingIsAssociative(t *testing.T) {
	asGathered = true // rows are added after the first answers
	defer func() { asGathered = false }()
	rapid.Check(t, func(rt *rapid.T) {
		s, tab := randomSpec(rt), randomTable(rt)
		q := must(t, s)
		spill := &tightSpill{share: rapid.SampledFrom([]int64{0, 3000, 1 << 40}).Draw(rt, "share"), room: 200}
		batches := tab.batches(q.Columns(), rapid.SliceOfN(rapid.IntRange(0, len(tab.rows)), 0, 8).Draw(rt, "cuts"), plain)
		all := make([]adding, rapid.IntRange(1, 5).Draw(rt, "accumulators"))
		for i := range all {
			all[i] = accumulated(t, q, tab.schema(), spill, [][]*table.Batch{nil})
		}
		for len(batches) > 0 || len(all) > 1 {
			if len(batches) > 0 && (len(all) == 1 || rapid.Bool().Draw(rt, "add")) {
				if err := all[rapid.IntRange(0, len(all)-1).Draw(rt, "to")].Add(batches[0]); err != nil {
					rt.Fatal(err)
				}
				batches = batches[1:]
				continue
			}
			order := rapid.Permutation(all).Draw(rt, "order")
			if err := order[0].Merge(order[1]); err != nil {
				rt.Fatal(err)
			}
			all = slices.Delete(order, 1, 2)
		}
		if got, want := counted(t, all[0]), exact(t, q, tab); !slices.Equal(got, want) {
			rt.Fatalf("%+v: %v, want %v", s, got, want)
		}
	})
}

// After a merge, an accumulator numbers units again: numbers that it has cached for entries of a dictionary are of rows
// that were moved.
func TestMergeBetweenBatches(t *testing.T) {
	asGathered = true // rows are added after the first answers
	defer func() { asGathered = false }()
	tab := &testTable{fields: busy(0).fields}
	for i := range int64(600) {
		tab.rows = append(tab.rows, []value{{n: i % 7}, {s: fmt.Sprint("unit ", i*i%11)}, {n: i % 5}})
	}
	for how := range encodings {
		for _, b := range []Bounds{{MaxRows: 2}, {MaxGroups: 2, MaxRowsPerGroup: 3}} {
			s := spec(5, b)
			s.Unit = []string{"u"}
			q := must(t, s)
			batches := tab.batches(q.Columns(), []int{150, 300, 450}, how)
			a := accumulated(t, q, tab.schema(), nil, [][]*table.Batch{batches[:1], batches[1:2]})
			for _, batch := range batches[2:] {
				if err := a.Add(batch); err != nil {
					t.Fatal(err)
				}
			}
			if got, want := counted(t, a), reference(s, tab); !slices.Equal(got, want) {
				t.Errorf("encoding %d, %+v: %v, want %v", how, b, got, want)
			}
		}
	}
}

// If there is little room, the many units of a partition are bounded in several passes, even if two units have a large
// part of the rows.
func TestManyUnitsInLittleRoom(t *testing.T) {
	tab := &testTable{fields: busy(0).fields}
	for i := range int64(2600) {
		for j := range 1 + i%3 + 200*(i%1300/1299) {
			tab.rows = append(tab.rows, []value{{n: i}, {s: fmt.Sprint("unit ", i)}, {n: (i + j*j) % 5}})
		}
	}
	for _, unit := range [][]string{{"v"}, {"u"}, {"u", "x"}} {
		for _, b := range []Bounds{{MaxRows: 2}, {MaxGroups: 2, MaxRowsPerGroup: 3}} {
			s := spec(5, b)
			s.Unit = unit
			q := must(t, s)
			for _, x := range []*tightSpill{{share: 1 << 40, room: 500}, {share: 1 << 16, room: 900}} {
				a := accumulated(t, q, tab.schema(), x, [][]*table.Batch{tab.batches(q.Columns(), []int{2000, 4000}, plain)})
				if got, want := counted(t, a), reference(s, tab); !slices.Equal(got, want) {
					t.Errorf("unit %v, room %d: %v, want %v", unit, x.room, got, want)
				}
			}
		}
	}
}
