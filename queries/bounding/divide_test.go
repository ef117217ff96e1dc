package bounding

import (
	"errors"
	"fmt"
	"testing"

	"github.com/dprelease/dprelease/internal/owntest"
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/internal/units"
	"github.com/dprelease/dprelease/queries/problem"
)

// smallSpill is a spill in memory that counts the bytes that are read. A store has few partitions, and one worker has
// little room.
type smallSpill struct {
	*keptSpill
	room, read int64
}

func (s *smallSpill) Share() int64 { return 64 << 10 }
func (s *smallSpill) Room() int64  { return s.room }
func (s *smallSpill) Workers() int { return 1 }

func (s *smallSpill) Read(piece []byte, at int64) error {
	s.read += int64(len(piece))
	return s.keptSpill.Read(piece, at)
}

// Partitions that do not fit in memory are divided: the same rows are kept as with much memory, and each byte in the
// spill is read a few times, however many rows there are.
func TestPartitionsThatDoNotFitAreDivided(t *testing.T) {
	for _, kind := range []table.Kind{table.Int, table.String} {
		for queries := 1; queries <= 3; queries += 2 {
			if (kind == table.String) == (queries == 3) && !owntest.Checking() {
				continue
			}
			var want string
			for _, room := range []int64{1 << 30, 128 << 10} {
				s := &smallSpill{keptSpill: &keptSpill{}, room: room}
				got, err := boundTestRows(t, kind, queries, manyUnits, s)
				if err != nil {
					t.Fatal(err)
				}
				if want == "" {
					want = got
				}
				if got != want {
					t.Errorf("%v, %d queries, room %d: %s, want %s", kind, queries, room, got, want)
				}
				if written := int64(len(s.stored)); written < 1<<20 || s.read > 3*written {
					t.Errorf("%v, %d queries, room %d: %d bytes were read of %d", kind, queries, room, s.read, written)
				}
			}
		}
	}
}

// fullSpill is a spill that accepts a number of pieces, and fails for all others.
type fullSpill struct {
	*smallSpill
	pieces int
}

var errFull = errors.New("full")

func (s *fullSpill) Write(pieces ...[]byte) (int64, error) {
	if s.writes == s.pieces {
		return 0, errFull
	}
	return s.smallSpill.Write(pieces...)
}

// If the spill fails while a partition is divided, even at the last piece, the run fails: no row is lost.
func TestDivisionFails(t *testing.T) {
	all := &smallSpill{keptSpill: &keptSpill{}, room: 128 << 10}
	if _, err := boundTestRows(t, table.Int, 1, manyUnits, all); err != nil {
		t.Fatal(err)
	}
	for _, pieces := range []int{all.writes - 1, all.writes * 3 / 4} {
		s := &fullSpill{&smallSpill{keptSpill: &keptSpill{}, room: all.room}, pieces}
		if _, err := boundTestRows(t, table.Int, 1, manyUnits, s); !errors.Is(err, errFull) {
			t.Errorf("the spill accepts %d pieces of %d: %v", pieces, all.writes, err)
		}
	}
}

// Many units of a table that is sorted by unit can be oversized. If each were bounded by itself, all rows would be read
// for each of them.
func TestManyOversizedUnitsAreDivided(t *testing.T) {
	const rowsOfUnit = testCells / 2
	oversized := func(i int) (unit, cell int) { return i / rowsOfUnit, (2*i + i/rowsOfUnit) % testCells }
	want, err := boundTestRows(t, table.Int, 1, oversized, &smallSpill{keptSpill: &keptSpill{}, room: 1 << 30})
	if err != nil {
		t.Fatal(err)
	}
	s := &smallSpill{keptSpill: &keptSpill{}, room: 128 << 10}
	got, err := boundTestRows(t, table.Int, 1, oversized, s)
	if written := int64(len(s.stored)); err != nil || got != want || s.read > 8*written {
		t.Errorf("%v; the same rows are kept: %v; %d bytes were read of %d", err, got == want, s.read, written)
	}
}

// boundTestRows stores testRows rows in batches of testBatch rows, for queries with testCells cells.
const (
	testBatch = 1 << 12
	testRows  = 60 * testBatch
	testCells = 6000
)

// manyUnits returns the unit and the cell of a row if each unit has four rows.
func manyUnits(row int) (unit, cell int) {
	return row * 7919 % (testRows / 4), (row/testBatch + row%testBatch) % 50
}

// boundTestRows stores rows for some queries, bounds them, and returns what is kept. at returns the unit and the cell
// of a row. The error is that of the spill.
func boundTestRows(t *testing.T, kind table.Kind, queries int, at func(row int) (unit, cell int), s Spill) (string, error) {
	t.Helper()
	schema := table.Schema{Fields: []table.Field{{Name: "u", Type: table.Type{Kind: kind}}}}
	var stores []*Rows
	for range queries {
		stores = append(stores, NewRows(units.New([]string{"u"}, false, []string{"u"}, schema, &problem.Problems{}),
			CellBytes, []Field{CellField(testCells)}, s))
	}
	parts := Together(stores, nil)
	for from := 0; from < testRows; from += testBatch {
		b := &table.Batch{Rows: testBatch, Columns: []table.Column{{Type: schema.Fields[0].Type,
			Values: table.Values{Offsets: []uint32{0}}}}}
		v, of := &b.Columns[0].Values, make([]int32, testBatch)
		for i := range of {
			unit, cell := at(from + i)
			v.Ints = append(v.Ints, int64(unit))
			v.Data = fmt.Appendf(v.Data, "unit %d", unit)
			v.Offsets, of[i] = append(v.Offsets, uint32(len(v.Data))), int32(cell)
		}
		for _, p := range parts {
			if err := errors.Join(p.AddCells(b, append([]int32(nil), of...)), p.EndBatch()); err != nil {
				return "", err
			}
		}
	}
	kept, bounds := make([][testCells]uint64, queries), make([]Bounded, queries)
	for i := range bounds {
		bounds[i] = Bounded{Limits: Limits{Rows: 2, Cells: 2, RowsPerCell: 1},
			Keep: func(content []byte, rows uint64) { kept[i][CellOf(content)] += rows }}
	}
	tallies, err := BoundTogether(parts, bounds)
	return fmt.Sprint(tallies, kept), err
}
