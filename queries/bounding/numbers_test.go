package bounding

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dprelease/dprelease/io/table"

	"github.com/dprelease/dprelease/queries/internal/intern"
	"github.com/dprelease/dprelease/queries/internal/state"
	"github.com/dprelease/dprelease/queries/internal/units"
	"github.com/dprelease/dprelease/queries/problem"
)

// writing holds the rows of three queries, two of which count and one adds up.
type writing struct {
	parts []*QueryRows
	rand  *rand.Rand
}

// newWriting numbers up to limit contents. If limit is negative, records hold contents instead of numbers.
func newWriting(t *testing.T, limit int, seed uint64) *writing {
	t.Helper()
	p, schema := &problem.Problems{}, table.Schema{Fields: []table.Field{{Name: "u", Type: table.Type{Kind: table.Int}}}}
	var rows []*Rows
	for _, content := range [][]Field{{CellField(300)}, {CellField(4), {Bytes: 8, Min: -5, Max: 1000}}, {CellField(7)}} {
		rows = append(rows, NewRows(units.New([]string{"u"}, false, []string{"u"}, schema, p), CellBytes, content, nil))
	}
	if err := p.Err(); err != nil {
		t.Fatal(err)
	}
	w := &writing{parts: Together(rows, nil), rand: rand.New(rand.NewPCG(seed, 0))}
	w.parts[0].store.numbers.Limit = limit
	return w
}

// add adds a batch of random rows of 20 units. A third of the rows do not count, in each query.
func (w *writing) add(t *testing.T) {
	t.Helper()
	const rows = 100
	units, cells := make([]int64, rows), make([][]int32, len(w.parts))
	for i := range cells {
		cells[i] = make([]int32, rows)
	}
	for row := range units {
		units[row] = w.rand.Int64N(20)
		for i := range cells {
			cells[i][row] = w.rand.Int32N(6)%4 - 1
		}
	}
	b := &table.Batch{Rows: rows, Columns: []table.Column{{Type: table.Type{Kind: table.Int},
		Values: table.Values{Ints: units}}}}
	for i, p := range w.parts {
		if i != 1 {
			if err := p.AddCells(b, cells[i]); err != nil {
				t.Fatal(err)
			}
		} else {
			if err := p.Start(b, cells[i]); err != nil {
				t.Fatal(err)
			}
			for row, cell := range cells[i] {
				if cell >= 0 {
					content := p.Record(row)
					binary.BigEndian.PutUint32(content, uint32(cell))
					binary.BigEndian.PutUint64(content[CellBytes:], uint64(w.rand.Int64N(9)-4))
				}
			}
		}
		if err := p.EndBatch(); err != nil {
			t.Fatal(err)
		}
	}
}

// kept returns the rows that each query keeps.
func (w *writing) kept(t *testing.T) string {
	t.Helper()
	var bounds []Bounded
	all := make([]map[string]uint64, len(w.parts))
	for i := range w.parts {
		all[i] = map[string]uint64{}
		bounds = append(bounds, Bounded{
			Limits: Limits{Rows: 5, Cells: 300, RowsPerCell: 5 - int64(i)},
			Keep:   func(content []byte, rows uint64) { all[i][fmt.Sprintf("%x", content)] += rows },
		})
	}
	tallies, err := BoundTogether(w.parts, bounds)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(tallies, all)
}

// The kept rows do not depend on how many contents are numbered. This is so too if stores that number differently are
// merged, or saved and loaded.
func TestWhatIsKeptDoesNotDependOnNumbers(t *testing.T) {
	mosts := map[string]int{"none": -1, "a few": 40, "all": maxContents}
	for _, way := range []string{"one store", "two stores", "loaded"} {
		answers := map[string]string{}
		for name, most := range mosts {
			w, o := newWriting(t, most, 1), newWriting(t, most, 2)
			for range 10 {
				w.add(t)
				o.add(t)
			}
			if numbered := w.parts[0].store.numbers != nil; numbered != (name == "all") {
				t.Fatalf("%s: numbered to the end: %v", name, numbered)
			}
			switch way {
			case "two stores":
				if err := w.parts[0].Merge(o.parts[0]); err != nil {
					t.Fatal(err)
				}
			case "loaded":
				o.load(t, w)
				w = o
			}
			answers[name] = w.kept(t)
		}
		for name := range maps.Keys(mosts) {
			if answers[name] != answers["none"] {
				t.Errorf("%s, %s are numbered: %s, want %s", way, name, answers[name], answers["none"])
			}
		}
	}
}

// load adds the rows that another store saves.
func (w *writing) load(t *testing.T, from *writing) {
	t.Helper()
	err := from.parts[0].Save(intern.OneBucket, BlockBytes, func(_ int, write func(*state.Writer)) error {
		var buf bytes.Buffer
		s := state.NewWriter(&buf)
		write(s)
		if err := s.Flush(); err != nil {
			return err
		}
		yes := func([]byte) bool { return true }
		return LoadTogether(w.parts, state.NewReader(&buf), []func([]byte) bool{yes, yes, yes})
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A store whose records hold long contents can merge a store with content numbers and continue, although the merged
// chunks are shorter than its own records.
func TestMergeOfNumbersIntoLongRecords(t *testing.T) {
	const long, rows = 20_000, 4000
	schema := table.Schema{Fields: []table.Field{{Name: "u", Type: table.Type{Kind: table.Int}}}}
	stores := make([][]*QueryRows, 2)
	for i := range stores {
		var alone []*Rows
		for _, content := range [][]Field{{{Bytes: long}}, {CellField(7)}} {
			alone = append(alone, NewRows(units.New([]string{"u"}, false, []string{"u"}, schema, &problem.Problems{}),
				content[0].Bytes, content, nil))
		}
		stores[i] = Together(alone, nil)
	}
	add := func(parts []*QueryRows, unit int64, rows int) {
		t.Helper()
		b := &table.Batch{Rows: rows, Columns: []table.Column{{Type: table.Type{Kind: table.Int},
			Values: table.Values{Ints: make([]int64, rows)}}}}
		for i := range rows {
			b.Columns[0].Values.Ints[i] = unit
		}
		none := slices.Repeat([]int32{-1}, rows)
		none[0] = 0
		if err := parts[0].Start(b, none); err != nil {
			t.Fatal(err)
		}
		clear(parts[0].Record(0))
		if err := parts[0].EndBatch(); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(parts[1].AddCells(b, make([]int32, rows)), parts[1].EndBatch()); err != nil {
			t.Fatal(err)
		}
	}
	stores[0][0].store.numbers.Limit = -1
	add(stores[0], 3, 3)
	add(stores[1], 1, rows)
	longer := stores[1][0].store
	longer.countPartition(int(longer.partitionOf(wordSeed.Of(1)))) // it frees chunks
	if len(stores[1][0].store.free) == 0 {
		t.Fatal("no chunk is free")
	}
	if err := stores[0][0].Merge(stores[1][0]); err != nil {
		t.Fatal(err)
	}
	add(stores[0], 2, 3)
	bounds := slices.Repeat([]Bounded{{Limits: Limits{Rows: 2, Cells: 1, RowsPerCell: 2}, Keep: func([]byte, uint64) {}}}, 2)
	tallies, err := BoundTogether(stores[0], bounds)
	if want := []BoundTally{{3, 0, 3}, {rows + 6, rows, 3}}; err != nil || !slices.Equal(tallies, want) {
		t.Errorf("%v, %v, want %v", tallies, err, want)
	}
}
