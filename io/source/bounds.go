package source

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/parquet-go/parquet-go/format"

	"github.com/dprelease/dprelease/io/table"
)

// footed is a file whose footer says something of its splits.
type footed interface {
	rows(split int) int64
	bounds(split int, column string) (table.Bounds, bool)
}

// Rows returns how many rows a split has, by the file's footer; 0 where it has none.
func (d *Dataset) Rows(split int) int64 {
	p := d.places[split]
	if f, ok := d.files[p.file].(footed); ok {
		return f.rows(p.split)
	}
	return 0
}

// Bounds returns what the file says of the values of a column in a split; ok is false where it says nothing.
func (d *Dataset) Bounds(split int, column string) (b table.Bounds, ok bool) {
	p := d.places[split]
	if f, yes := d.files[p.file].(footed); yes {
		return f.bounds(p.split, column)
	}
	return b, false
}

// Contradicted is the error for a split in whose column there is a value beyond its Bounds.
func (d *Dataset) Contradicted(split int, column string) error {
	p := d.places[split]
	e := fault(CodeDamaged, "the values contradict the statistics in the footer").in(d.names[p.file]).of(column)
	e.RowGroup = p.split
	return e
}

func (p *parquetFile) rows(split int) int64 { return p.groups[split].rows }

func (p *parquetFile) bounds(split int, column string) (b table.Bounds, ok bool) {
	at := slices.IndexFunc(p.leaves, func(l leaf) bool { return l.field.Name == column })
	if at < 0 {
		return b, false
	}
	l := &p.leaves[at]
	c := &p.groups[split].chunks[l.chunk]
	if l.convert != nil || l.list != nil || l.void || c.physical != l.physical {
		return b, false
	}
	return c.ends.of(l)
}

// chunkEnds are the least and greatest value of a chunk, as a footer holds them: so many bytes, 0: it says nothing.
type chunkEnds struct {
	least, most uint64
	width       int
}

// endsOf keeps the statistics of a chunk of numbers. Of their two forms the newer has a defined order; for signed integers and
// floats there is only one order in both.
func endsOf(m *format.ColumnMetaData) chunkEnds {
	s := &m.Statistics
	least, most := s.MinValue, s.MaxValue
	if len(least) == 0 || len(most) == 0 {
		least, most = s.Min, s.Max
	}
	width := 0
	switch m.Type {
	case format.Int32, format.Float:
		width = 4
	case format.Int64, format.Double:
		width = 8
	}
	if width == 0 || len(least) != width || len(most) != width {
		return chunkEnds{}
	}
	return chunkEnds{littleEndian(least), littleEndian(most), width}
}

func littleEndian(b []byte) uint64 {
	if len(b) == 4 {
		return uint64(binary.LittleEndian.Uint32(b))
	}
	return binary.LittleEndian.Uint64(b)
}

// of reads the ends as a leaf's values. Those that cannot be are none.
func (e chunkEnds) of(l *leaf) (b table.Bounds, ok bool) {
	switch k := l.field.Type.Kind; {
	case e.width == 0:
	case k == table.Float && l.physical == format.Float:
		b.Floats = [2]float64{float64(math.Float32frombits(uint32(e.least))), float64(math.Float32frombits(uint32(e.most)))}
		return b, b.Floats[0] <= b.Floats[1] // neither is NaN
	case k == table.Float && l.physical == format.Double:
		b.Floats = [2]float64{math.Float64frombits(e.least), math.Float64frombits(e.most)}
		return b, b.Floats[0] <= b.Floats[1]
	case k == table.Int || k == table.Date || k == table.Timestamp:
		b.Ints = [2]int64{int64(e.least), int64(e.most)}
		if e.width == 4 {
			b.Ints = [2]int64{int64(int32(e.least)), int64(int32(e.most))}
		}
		return b, b.Ints[0] <= b.Ints[1]
	}
	return b, false
}
