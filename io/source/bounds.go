package source

import (
	"encoding/binary"
	"math"

	"github.com/parquet-go/parquet-go/format"

	"github.com/dprelease/dprelease/io/table"
)

// maxEnd is the most bytes of a text that are kept as an end.
const maxEnd = 64

// ends are the least and greatest value of a chunk or page, as a file holds them.
type ends struct {
	least, most uint64     // numbers of so many bytes; 0: there are none
	width       uint8      //
	texts       *[2]string // nil: there are none
}

// endsOf keeps statistics. For signed integers and floats there is only one order in both of their forms. Texts are taken in the
// newer form alone: the older one has signed bytes with some writers. Either may be cut short: a short least text is still before
// all others, and the greatest one is taken to stand for all that begin with it, since some writers cut it without rounding up.
func endsOf(physical format.Type, s *format.Statistics) ends {
	least, most := s.MinValue, s.MaxValue
	if physical == format.ByteArray || physical == format.FixedLenByteArray {
		if len(most) == 0 {
			return ends{}
		}
		return ends{texts: &[2]string{string(least[:min(len(least), maxEnd)]), string(most[:min(len(most), maxEnd)])}}
	}
	if len(least) == 0 || len(most) == 0 {
		least, most = s.Min, s.Max
	}
	width := 0
	switch physical {
	case format.Int32, format.Float:
		width = 4
	case format.Int64, format.Double:
		width = 8
	}
	if width == 0 || len(least) != width || len(most) != width {
		return ends{}
	}
	return ends{least: littleEndian(least), most: littleEndian(most), width: uint8(width)}
}

func littleEndian(b []byte) uint64 {
	if len(b) == 4 {
		return uint64(binary.LittleEndian.Uint32(b))
	}
	return binary.LittleEndian.Uint64(b)
}

// bounds reads ends as a leaf's values. Those that cannot be are none.
func (l *leaf) bounds(e ends) (b table.Bounds, ok bool) {
	if l.convert != nil || l.list != nil || l.void {
		return b, false
	}
	switch k := l.field.Type.Kind; {
	case k == table.String && e.texts != nil && l.ordered:
		b.Texts = *e.texts
		return b, !b.Above(b.Texts[0])
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

func (p *parquetFile) rows(split int) int64 { return p.groups[split].rows }

// bounds returns what the footer says of the values of a column in a row group; ok is false where it says nothing.
func (p *parquetFile) bounds(split int, column string) (b table.Bounds, ok bool) {
	for i := range p.leaves {
		if l := &p.leaves[i]; l.field.Name == column {
			c := &p.groups[split].chunks[l.chunk]
			if c.physical != l.physical {
				return b, false
			}
			return l.bounds(c.ends)
		}
	}
	return b, false
}

// contradicted is the error for values beyond what the file says of them.
func contradicted() error { return fault(CodeDamaged, "the values contradict the file's statistics") }
