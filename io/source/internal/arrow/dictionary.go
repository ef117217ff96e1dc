package arrow

import (
	"slices"
	"sync"

	"github.com/dprelease/dprelease/io/source/fault"
	"github.com/dprelease/dprelease/io/source/internal/scan"
	"github.com/dprelease/dprelease/io/table"
)

// codable is the largest dictionary that 32-bit codes and offsets can address: number of values, and bytes of all
// texts. Tests change it.
var codable = struct{ values, bytes int }{1<<31 - 1, 1<<32 - 1}

// dictionary holds the values of a column's codes. nulls[i] is true if value i is null; nulls is nil if no value is.
type dictionary struct {
	scan.Dictionary
	nulls []bool
	ends  []int64 // for a wide dictionary, which has no offsets: ends[i] is the end of text i (widedictionary.go)
}

// isWide reports whether the dictionary is too large for 32-bit codes or offsets.
func (d *dictionary) isWide() bool { return d.ends != nil || d.Size > codable.values }

// codeBody reads the values of a column that are codes into a dictionary.
type codeBody struct {
	buffer *buffer
	width  int  // bytes of a code
	signed bool // codes have a signed type; a negative code is an error
	dict   *dictionary
	valid  []bool
}

func (b *codeBody) fit(n int, _ []bool) (int, error) { return n, nil }

func (b *codeBody) store(n int, c *table.Column) error {
	raw, err := b.buffer.nextBytes(int64(n) * int64(b.width))
	if err != nil {
		return err
	}
	codes := scan.Room(&b.buffer.memory().codes, n)
	worst := unsignedCodes(codes, raw, b.width, c.Valid)
	if n > 0 && worst >= b.limit() && (c.Valid == nil || slices.Contains(c.Valid[:n], true)) {
		return notInDictionary()
	}
	c.Codes, c.Values, c.Dict = codes, b.dict.Values, b.dict.ID
	if b.dict.nulls != nil {
		b.nullify(c)
	}
	return nil
}

// limit returns the number of valid codes: codes from 0 to limit - 1 are valid.
func (b *codeBody) limit() uint64 {
	if b.signed {
		return min(uint64(b.dict.Size), 1<<(8*b.width-1))
	}
	return uint64(b.dict.Size)
}

func notInDictionary() error { return fault.New(fault.CodeDamaged, "a code is not in the dictionary") }

// unsignedCodes decodes codes of width bytes as unsigned numbers into dst, and returns the largest code. The code of a
// null becomes 0. If the largest code is outside the dictionary, dst must not be used.
func unsignedCodes(dst []int32, raw []byte, width int, valid []bool) (worst uint64) {
	switch width {
	case 1:
		for i, b := range raw[:len(dst)] {
			dst[i] = int32(b)
		}
	case 2:
		for i := range dst {
			dst[i] = int32(little.Uint16(raw[2*i : 2*i+2]))
		}
	case 4:
		for i := range dst {
			dst[i] = int32(little.Uint32(raw[4*i : 4*i+4]))
		}
	default:
		for i := range dst {
			code := little.Uint64(raw[8*i : 8*i+8])
			if valid == nil || valid[i] {
				worst = max(worst, code)
			}
			dst[i] = int32(uint32(code))
		}
	}
	if valid != nil {
		for i, v := range valid[:len(dst)] {
			if !v {
				dst[i] = 0
			}
		}
	}
	most := uint32(0)
	for _, code := range dst {
		most = max(most, uint32(code))
	}
	return max(worst, uint64(most))
}

// nullify makes a row null if its code stands for a null in the dictionary.
func (b *codeBody) nullify(c *table.Column) {
	valid := scan.Room(&b.valid, len(c.Codes))
	for i, code := range c.Codes {
		valid[i] = (c.Valid == nil || c.Valid[i]) && !b.dict.nulls[code]
	}
	c.Valid = valid
}

// emptyDictionary returns a dictionary without values. It has one invisible entry, since the code of a null is 0.
func emptyDictionary() *dictionary {
	return &dictionary{Dictionary: scan.Dictionary{
		Values: table.Values{Ints: []int64{0}, Floats: []float64{0}, Offsets: []uint32{0, 0}}, ID: table.NextDictionary(),
	}}
}

// grow returns a dictionary of the values that r reads. If delta is set, these are appended to the values of before.
func grow(before *dictionary, r *arrayReader, delta bool) (*dictionary, error) {
	d := &dictionary{Dictionary: scan.Dictionary{ID: table.NextDictionary()}}
	switch {
	case delta && before == nil:
		return nil, fault.New(fault.CodeDamaged, "a dictionary's addition comes before the dictionary")
	case delta && before.Size > 0:
		d.Values, d.Size, d.nulls, d.ends = before.Values, before.Size, before.nulls, before.ends
	}
	for r.left > 0 {
		n, err := r.ready(scan.BatchRows)
		if err != nil {
			return nil, err
		}
		c, err := r.nextRows(n)
		if err != nil {
			return nil, err
		}
		d.add(&c)
	}
	if d.Size == 0 {
		return emptyDictionary(), r.end()
	}
	return d, r.end()
}

// add appends the values of a plain column to the dictionary.
func (d *dictionary) add(c *table.Column) {
	n, v := c.Len(), &d.Values
	v.Ints = append(v.Ints, c.Values.Ints...)
	v.Floats = append(v.Floats, c.Values.Floats...)
	if c.Type.Kind == table.String {
		d.addText(&c.Values, n)
	}
	if c.Valid != nil && d.nulls == nil {
		d.nulls = make([]bool, d.Size)
	}
	if d.nulls != nil {
		for i := range n {
			d.nulls = append(d.nulls, c.Valid != nil && !c.Valid[i])
		}
	}
	d.Size += n
}

func (d *dictionary) addText(from *table.Values, n int) {
	v := &d.Values
	if len(v.Offsets) == 0 {
		v.Offsets = []uint32{0}
	}
	if d.ends == nil && (d.Size+n > codable.values || len(v.Data)+len(from.Data) > codable.bytes) {
		d.ends = make([]int64, 0, d.Size+n)
		for _, end := range v.Offsets[1:] {
			d.ends = append(d.ends, int64(end))
		}
	}
	for i := range n {
		v.Data = append(v.Data, from.Bytes(i)...)
		if d.ends != nil {
			d.ends = append(d.ends, int64(len(v.Data)))
			continue
		}
		v.Offsets = append(v.Offsets, uint32(len(v.Data)))
	}
}

// knownDictionary is a dictionary that was read, with a digest of its bytes.
type knownDictionary struct {
	dict   *dictionary
	digest []byte
}

// knownDictionaries holds the dictionaries of a file that were read, by column index.
type knownDictionaries struct {
	mu sync.Mutex
	of map[int]knownDictionary
}
