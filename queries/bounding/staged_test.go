package bounding

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/internal/units"
	"github.com/dprelease/dprelease/queries/problem"
)

// keptSpill is a spill in memory.
type keptSpill struct {
	mutex  sync.Mutex
	stored []byte
	writes int
}

func (*keptSpill) Join()        {}
func (*keptSpill) Room() int64  { return 1 << 30 }
func (*keptSpill) Cells() int64 { return 1 << 30 }
func (*keptSpill) Workers() int { return 2 }
func (*keptSpill) Err() error   { return nil }

// sharedSpill is a spill that allows a store some bytes of memory.
type sharedSpill struct {
	*keptSpill
	share int64
}

func (s sharedSpill) Share() int64 { return s.share }

func (s *keptSpill) Write(pieces ...[]byte) (int64, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	at := int64(len(s.stored))
	for _, p := range pieces {
		s.stored = append(s.stored, p...)
	}
	s.writes++
	return at, nil
}

func (s *keptSpill) Read(piece []byte, at int64) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	copy(piece, s.stored[at:])
	return nil
}

// textBatches returns rows of units that are one or two texts: batches with few and with many units, and texts that are
// empty, short, or longer than any buffer.
func textBatches(r *rand.Rand, columns int) (batches []*table.Batch, cells [][]int32) {
	const rows = 1 << 12
	for range 24 {
		b := &table.Batch{Rows: rows}
		for range columns {
			v := table.Values{Offsets: []uint32{0}}
			for range rows {
				switch n := r.IntN(40000); {
				case n == 0:
					v.Data = append(v.Data, strings.Repeat("long", maxBuffer/4+r.IntN(3))...)
				case n == 1:
				case n < 9000:
					v.Data = fmt.Appendf(v.Data, "%d", n%50)
				default:
					v.Data = fmt.Appendf(v.Data, "%0*d", n%90, n)
				}
				v.Offsets = append(v.Offsets, uint32(len(v.Data)))
			}
			b.Columns = append(b.Columns, table.Column{Type: table.Type{Kind: table.String}, Values: v})
		}
		batches = append(batches, b)
		c := make([]int32, rows)
		for i := range c {
			c[i] = r.Int32N(4) - 1
		}
		cells = append(cells, c)
	}
	return batches, cells
}

// For units of text, the kept rows do not depend on the memory, on whether rows are staged, or on the numbers of
// partitions of two workers' stores. If the memory is small, pieces in the spill are still long.
func TestStagedRowsAreAllThere(t *testing.T) {
	for columns := 1; columns <= 2; columns++ {
		batches, cells := textBatches(rand.New(rand.NewPCG(1, uint64(columns))), columns)
		names := []string{"a", "b"}[:columns]
		schema := table.Schema{}
		for _, name := range names {
			schema.Fields = append(schema.Fields, table.Field{Name: name, Type: table.Type{Kind: table.String}})
		}
		var want map[string]uint64
		var all BoundTally
		for _, share := range [][2]int64{{1 << 40, 1 << 40}, {64 << 10, 64 << 10}, {300 << 10, 300 << 10}, {1 << 20, 1 << 20},
			{64 << 10, 1 << 20}, {1 << 20, 64 << 10}, {1 << 40, 64 << 10}} {
			s := &keptSpill{}
			stores := make([]*Rows, 2)
			for i := range stores {
				stores[i] = NewRows(units.New(names, true, names, schema, &problem.Problems{}), CellBytes, []Field{CellField(3)},
					sharedSpill{s, share[i]})
			}
			for i, b := range batches {
				if err := stores[i%2].AddCells(b, append([]int32(nil), cells[i]...)); err != nil {
					t.Fatal(err)
				}
			}
			if err := stores[0].Merge(stores[1]); err != nil {
				t.Fatal(err)
			}
			kept := map[string]uint64{}
			tally, err := stores[0].Bound(Limits{Rows: 3, Cells: 2, RowsPerCell: 2},
				func(content []byte, rows uint64) { kept[string(content)] += rows })
			if err != nil {
				t.Fatal(err)
			}
			if want == nil {
				want, all = kept, tally
			}
			if !maps.Equal(kept, want) || tally != all {
				t.Errorf("%d columns, share %v: %v %+v, want %v %+v", columns, share, kept, tally, want, all)
			}
			if spilled := s.writes > 0; spilled != (share[1] < 1<<40) {
				t.Errorf("share %v: spilled is %v", share, spilled)
			} else if spilled && len(s.stored)/s.writes < 4<<10 {
				t.Errorf("share %v: %d bytes in %d pieces", share, len(s.stored), s.writes)
			}
		}
	}
}
