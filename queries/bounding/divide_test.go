package bounding

import (
	"errors"
	"fmt"
	"testing"

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
			var want string
			for _, room := range []int64{1 << 30, 128 << 10} {
				s := &smallSpill{keptSpill: &keptSpill{}, room: room}
				got := boundManyUnits(t, kind, queries, s)
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

// boundManyUnits stores rows of many units for some queries, bounds them, and returns what is kept.
func boundManyUnits(t *testing.T, kind table.Kind, queries int, s Spill) string {
	t.Helper()
	const rows, batches, cells = 1 << 12, 60, 50
	schema := table.Schema{Fields: []table.Field{{Name: "u", Type: table.Type{Kind: kind}}}}
	var stores []*Rows
	for range queries {
		stores = append(stores, NewRows(units.New([]string{"u"}, false, []string{"u"}, schema, &problem.Problems{}),
			CellBytes, []Field{CellField(cells)}, s))
	}
	parts := Together(stores, nil)
	for batch := range batches {
		b := &table.Batch{Rows: rows, Columns: []table.Column{{Type: schema.Fields[0].Type,
			Values: table.Values{Offsets: []uint32{0}}}}}
		v, of := &b.Columns[0].Values, make([]int32, rows)
		for row := range rows {
			unit := (batch*rows + row) * 7919 % (batches * rows / 4)
			v.Ints = append(v.Ints, int64(unit))
			v.Data = fmt.Appendf(v.Data, "unit %d", unit)
			v.Offsets, of[row] = append(v.Offsets, uint32(len(v.Data))), int32((batch+row)%cells)
		}
		for _, p := range parts {
			if err := errors.Join(p.AddCells(b, append([]int32(nil), of...)), p.EndBatch()); err != nil {
				t.Fatal(err)
			}
		}
	}
	kept, bounds := make([][cells]uint64, queries), make([]Bounded, queries)
	for i := range bounds {
		bounds[i] = Bounded{Limits: Limits{Rows: 2, Cells: 2, RowsPerCell: 1},
			Keep: func(content []byte, rows uint64) { kept[i][CellOf(content)] += rows }}
	}
	tallies, err := BoundTogether(parts, bounds)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(tallies, kept)
}
