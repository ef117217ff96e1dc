package bounding

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Unpacking a packed content returns it unchanged. Zeros are packed as zeros, and numbers outside of their range are
// refused.
func TestPackedContentsComeBack(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var fields []Field
		var content []byte
		for range rapid.IntRange(1, 5).Draw(rt, "fields") {
			f := Field{Bytes: rapid.SampledFrom([]int{1, 3, 4, 8, 32}).Draw(rt, "bytes")}
			switch f.Bytes {
			case 4:
				f.Max = rapid.SampledFrom([]int64{0, 1, 255, 256, 65535, 1 << 16, math.MaxInt32}).Draw(rt, "max")
				x := rapid.Int64Range(0, f.Max).Draw(rt, "cell")
				content = binary.BigEndian.AppendUint32(content, uint32(x))
			case 8:
				edges := []int64{math.MinInt64, -1 << 40, -129, -128, -1, 0, 1, 127, 128, 255, 256, 1 << 40, math.MaxInt64}
				i := rapid.IntRange(0, len(edges)-1).Draw(rt, "min")
				f.Min, f.Max = edges[i], edges[rapid.IntRange(i, len(edges)-1).Draw(rt, "max")]
				x := rapid.Int64Range(f.Min, f.Max).Draw(rt, "value")
				content = binary.BigEndian.AppendUint64(content, uint64(x))
			default:
				content = append(content, rapid.SliceOfN(rapid.Byte(), f.Bytes, f.Bytes).Draw(rt, "any")...)
			}
			fields = append(fields, f)
		}
		var p packing
		p.add(fields)
		packed, back := make([]byte, p.Packed), make([]byte, p.Size)
		if fits := p.pack(packed, content); !fits {
			rt.Fatalf("%+v of %x: fits %v", fields, content, fits)
		}
		if p.unpack(back, packed); !bytes.Equal(back, content) {
			rt.Fatalf("%+v: %x came back as %x", fields, content, back)
		}
		clear(packed)
		if p.unpack(back, packed); slices.Max(back) > 0 {
			rt.Fatalf("%+v: zeros came back as %x", fields, back)
		}
	})
	var p packing
	p.add([]Field{{Bytes: 4, Max: 255}, {Bytes: 8, Min: -128, Max: 127}})
	if p.Packed != 2 {
		t.Errorf("%d bytes of a record", p.Packed)
	}
	for _, x := range []struct {
		cell  uint32
		value int64
	}{{256, 0}, {math.MaxUint32, 0}, {0, 128}, {0, -129}, {0, math.MinInt64}} {
		content := binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint32(nil, x.cell), uint64(x.value))
		if p.pack(make([]byte, p.Packed), content) {
			t.Errorf("cell %d with value %d fits in two bytes", x.cell, x.value)
		}
	}
}

// The multiplicities of counted records add up to the number of equal records, even if it does not fit into one
// multiplicity.
func TestRepeatsAreCounted(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var c repeats
		for range 2 {
			width := rapid.SampledFrom([]int{4, 5, 8, 9, 12, 16, 17, 31}).Draw(rt, "width")
			want := map[string]uint64{}
			var single, counted []byte
			for range rapid.IntRange(0, 3000).Draw(rt, "records") {
				x := uint32(rapid.IntRange(0, 1200).Draw(rt, "record"))
				record := make([]byte, width)
				binary.LittleEndian.PutUint32(record[width-4:], x*x)
				if x%7 == 0 {
					n := rapid.SampledFrom([]uint32{1, 2, math.MaxUint32 - 1, math.MaxUint32}).Draw(rt, "times")
					counted = binary.LittleEndian.AppendUint32(append(counted, record...), n)
					want[string(record)] += uint64(n)
				} else {
					single = append(single, record...)
					want[string(record)]++
				}
			}
			got, most := map[string]uint64{}, len(want)+len(counted)/(width+countBytes)
			out := c.count(width, [][]byte{single}, [][]byte{counted})
			for at := out; len(at) > 0; at = at[width+countBytes:] {
				got[string(at[:width])] += uint64(binary.LittleEndian.Uint32(at[width:]))
			}
			if len(out)/(width+countBytes) > most {
				rt.Fatalf("%d records, want at most %d", len(out)/(width+countBytes), most)
			}
			for record, n := range want {
				if got[record] != n {
					rt.Fatalf("record %x: %d times, want %d", record, got[record], n)
				}
			}
			if len(got) != len(want) {
				rt.Fatalf("%d records, want %d", len(got), len(want))
			}
		}
	})
}
