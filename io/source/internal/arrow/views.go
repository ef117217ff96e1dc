package arrow

import (
	"github.com/dprelease/dprelease/io/source/fault"
	"github.com/dprelease/dprelease/io/source/internal/scan"
	"github.com/dprelease/dprelease/io/table"
)

const (
	// viewBytes is the length of a view. A view holds a string of at most inlineBytes bytes itself.
	viewBytes   = 16
	inlineBytes = 12
)

// viewBody reads string views. A view holds the string's length and either the string, or four of its bytes, the index
// of a buffer and an offset in it. Source: apache/arrow, docs/source/format/Columnar.rst, "Variable-size Binary View
// Layout".
type viewBody struct {
	views  *buffer
	data   []*buffer
	loaded [][]byte
	ahead  []byte // views that were read but not taken yet
	memory []byte
	out    table.Values
}

// load reads the data buffers, which hold the strings that are too long for their views.
func (b *viewBody) load() error {
	for _, d := range b.data[len(b.loaded):] {
		if err := d.open(); err != nil {
			return err
		}
		raw, err := d.nextBytes(d.left)
		if err != nil {
			return err
		}
		b.loaded = append(b.loaded, raw)
	}
	return nil
}

func (b *viewBody) fit(n int, valid []bool) (int, error) {
	if err := b.load(); err != nil {
		return 0, err
	}
	if have := len(b.ahead) / viewBytes; have < n {
		b.memory = append(b.memory[:0], b.ahead...)
		raw, err := b.views.nextBytes(int64(n-have) * viewBytes)
		if err != nil {
			return 0, err
		}
		b.memory = append(b.memory, raw...)
		b.ahead = b.memory
	}
	total, k := 0, 0
	for ; k < n; k++ {
		s, err := b.view(k, valid)
		if err != nil {
			return 0, err
		}
		if total += len(s); total > scan.BatchBytes && k > 0 {
			break
		}
	}
	return k, nil
}

// view returns the string of view i of those that were read ahead.
func (b *viewBody) view(i int, valid []bool) ([]byte, error) {
	v := b.ahead[i*viewBytes : (i+1)*viewBytes]
	n := int(int32(little.Uint32(v)))
	switch {
	case valid != nil && !valid[i]:
		return nil, nil
	case n >= 0 && n <= inlineBytes:
		return v[4 : 4+n], nil
	}
	buffer, at := int(int32(little.Uint32(v[8:]))), int(int32(little.Uint32(v[12:])))
	if n < 0 || buffer < 0 || buffer >= len(b.loaded) || at < 0 || n > len(b.loaded[buffer])-at {
		return nil, fault.New(fault.CodeDamaged, "a string view points outside its buffers")
	}
	return b.loaded[buffer][at : at+n], nil
}

func (b *viewBody) store(n int, c *table.Column) error {
	b.out.Offsets, b.out.Data = append(b.out.Offsets[:0], 0), b.out.Data[:0]
	for i := range n {
		s, err := b.view(i, c.Valid)
		if err != nil {
			return err
		}
		b.out.Data = append(b.out.Data, s...)
		b.out.Offsets = append(b.out.Offsets, uint32(len(b.out.Data)))
	}
	b.ahead = b.ahead[n*viewBytes:]
	c.Values = b.out
	return nil
}
