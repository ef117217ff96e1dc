package arrow

import (
	"github.com/dprelease/dprelease/io/source/internal/scan"
	"github.com/dprelease/dprelease/io/table"
)

// A table.Column has 32-bit codes into a dictionary, and 32-bit offsets of its texts. But Arrow has 64-bit codes and
// large texts, and the rows of a file decide how many values a dictionary has and how long they are. Such a dictionary
// is wide, and the values of a column with a wide dictionary are copied row by row.

// text returns text i of a wide dictionary.
func (d *dictionary) text(i uint64) []byte {
	if i == 0 {
		return d.Values.Data[:d.ends[0]]
	}
	return d.Values.Data[d.ends[i-1]:d.ends[i]]
}

// wideBody reads the values of a column that are codes into a wide dictionary.
type wideBody struct {
	codeBody
	typ    table.Type
	ahead  []uint64 // codes that were read but not taken yet; 0 for a null
	memory []uint64
	out    table.Values
}

func (b *wideBody) fit(n int, valid []bool) (int, error) {
	if err := b.read(n, valid); err != nil {
		return 0, err
	}
	if b.typ.Kind != table.String {
		return n, nil
	}
	k := 0
	for total := 0; k < n; k++ {
		if valid != nil && !valid[k] {
			continue
		}
		if total += len(b.dict.text(b.ahead[k])); total > scan.BatchBytes && k > 0 {
			break
		}
	}
	return k, nil
}

// read reads ahead until the codes of the next n rows are in memory.
func (b *wideBody) read(n int, valid []bool) error {
	have := len(b.ahead)
	if have >= n {
		return nil
	}
	raw, err := b.buffer.nextBytes(int64(n-have) * int64(b.width))
	if err != nil {
		return err
	}
	b.memory = append(b.memory[:0], b.ahead...)
	for i := have; i < n; i++ {
		var eight [8]byte
		copy(eight[:], raw[:b.width])
		code := little.Uint64(eight[:])
		raw = raw[b.width:]
		switch {
		case valid != nil && !valid[i]:
			code = 0
		case code >= b.limit():
			return notInDictionary()
		}
		b.memory = append(b.memory, code)
	}
	b.ahead = b.memory
	return nil
}

func (b *wideBody) store(n int, c *table.Column) error {
	valid, nulls := scan.Room(&b.valid, n), false
	v := &b.out
	v.Ints, v.Floats, v.Data, v.Offsets = v.Ints[:0], v.Floats[:0], v.Data[:0], append(v.Offsets[:0], 0)
	for i, code := range b.ahead[:n] {
		valid[i] = (c.Valid == nil || c.Valid[i]) && (b.dict.nulls == nil || !b.dict.nulls[code])
		nulls = nulls || !valid[i]
		switch b.typ.Kind {
		case table.Float:
			v.Floats = append(v.Floats, b.dict.Values.Floats[code])
		case table.String:
			if valid[i] {
				v.Data = append(v.Data, b.dict.text(code)...)
			}
			v.Offsets = append(v.Offsets, uint32(len(v.Data)))
		default:
			v.Ints = append(v.Ints, b.dict.Values.Ints[code])
		}
	}
	b.ahead = b.ahead[n:]
	if c.Values = *v; nulls {
		c.Valid = valid
	}
	return nil
}
