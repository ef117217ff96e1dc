package arrow

import (
	"slices"

	"github.com/dprelease/dprelease/io/source/internal/scan"
	"github.com/dprelease/dprelease/io/table"
)

// arrayReader reads one array of a record batch in order, so that memory does not depend on the array's length.
type arrayReader struct {
	typ     table.Type
	left    int64       // rows that were not taken yet
	bits    []bitReader // readers of validity bits: of the array and of each struct around it, if there are nulls
	body    body
	buffers []*buffer
	ahead   []bool // validity of rows that were not taken yet; unused if bits is empty
	memory  []bool
	around  []bool // memory for the validity of one struct around the array
}

// body reads the values of an array. At a null, it may return any value that is valid for the type.
type body interface {
	// fit returns how many of the next n rows fit into a batch: at least one. n is at least one. valid has an item for
	// each of the n rows; it is nil if there are no nulls.
	fit(n int, valid []bool) (int, error)
	// store stores the next n rows in c, whose validity is set already.
	store(n int, c *table.Column) error
}

// ready returns how many rows, at most n, the caller can take now. Rows that nextRows returned before are no longer
// valid.
func (r *arrayReader) ready(n int) (int, error) {
	n = int(min(int64(n), r.left))
	if n == 0 {
		return 0, nil
	}
	if err := r.validity(n); err != nil {
		return 0, err
	}
	if len(r.bits) == 0 {
		return r.body.fit(n, nil)
	}
	return r.body.fit(n, r.ahead[:n])
}

// validity reads ahead until the validity of the next n rows is known.
func (r *arrayReader) validity(n int) error {
	have := len(r.ahead)
	if len(r.bits) == 0 || have >= n {
		return nil
	}
	r.memory = append(r.memory[:0], r.ahead...)
	memory, err := r.bits[0].appendBits(n-have, r.memory)
	for i := 1; i < len(r.bits) && err == nil; i++ {
		if r.around, err = r.bits[i].appendBits(n-have, r.around[:0]); err != nil {
			break
		}
		for j, valid := range r.around {
			memory[have+j] = memory[have+j] && valid
		}
	}
	r.memory, r.ahead = memory, memory
	return err
}

// nextRows returns the next n rows; n is at most the last result of ready.
func (r *arrayReader) nextRows(n int) (table.Column, error) {
	c := table.Column{Type: r.typ}
	if len(r.bits) > 0 {
		if valid := r.ahead[:n]; slices.Contains(valid, false) {
			c.Valid = valid
		}
		r.ahead = r.ahead[n:]
	}
	r.left -= int64(n)
	return c, r.body.store(n, &c)
}

// end checks that each compressed buffer ends where its values end.
func (r *arrayReader) end() error {
	for _, b := range r.buffers {
		if err := b.end(); err != nil {
			return err
		}
	}
	return nil
}

// nullBody reads an array of nulls, which has no buffers.
type nullBody struct{ out table.Column }

func (b *nullBody) fit(n int, _ []bool) (int, error) { return n, nil }

func (b *nullBody) store(n int, c *table.Column) error {
	c.Valid = scan.Room(&b.out.Valid, n)
	c.Values.Offsets = scan.Room(&b.out.Values.Offsets, n+1)
	clear(c.Valid)
	clear(c.Values.Offsets)
	return nil
}

// textBody reads strings that are given by their offsets in a buffer.
type textBody struct {
	offsets offsetReader
	data    *buffer
	out     []uint32
	long    bool // the next string is too long to be read, so its row is null
}

func (b *textBody) fit(n int, _ []bool) (int, error) {
	first, err := b.offsets.start()
	if err == nil {
		err = b.data.skip(first)
	}
	if err != nil {
		return 0, err
	}
	n, b.long, err = b.offsets.fit(n, scan.BatchBytes, scan.MaxPage)
	return n, err
}

func (b *textBody) store(n int, c *table.Column) (err error) {
	if b.long {
		_, size := b.offsets.appendOffsets(n, b.out[:0])
		c.Valid, c.Values.Offsets = []bool{false}, []uint32{0, 0}
		return b.data.skip(size)
	}
	offsets, size := b.offsets.appendOffsets(n, b.out[:0])
	b.out, c.Values.Offsets = offsets, offsets
	c.Values.Data, err = b.data.nextBytes(size)
	return err
}

// listBody reads lists of numbers: lists that are given by offsets, or lists of one fixed length.
type listBody struct {
	offsets  *offsetReader // nil if all lists have one length
	length   int
	elements *arrayReader
	floats   []float64
	out      []uint32
	long     bool // the next list is too long to be read, so its row is null
}

func (b *listBody) fit(n int, _ []bool) (int, error) {
	if b.offsets == nil {
		return min(n, max(scan.BatchElements/max(b.length, 1), 1)), nil
	}
	first, err := b.offsets.start()
	if err == nil {
		err = b.elements.skip(first)
	}
	if err != nil {
		return 0, err
	}
	n, b.long, err = b.offsets.fit(n, scan.BatchElements, scan.MaxListed)
	return n, err
}

func (b *listBody) store(n int, c *table.Column) (err error) {
	b.out = b.out[:0]
	if b.long {
		_, size := b.offsets.appendOffsets(n, b.out)
		c.Valid, c.Lists = []bool{false}, []uint32{0, 0}
		return b.elements.skip(size)
	}
	if b.offsets != nil {
		b.out, _ = b.offsets.appendOffsets(n, b.out)
	} else {
		for i := range n + 1 {
			b.out = append(b.out, uint32(i*b.length))
		}
	}
	c.Lists = b.out
	b.floats, err = b.elements.floats(int(b.out[n]), b.floats[:0])
	c.Values.Floats = b.floats
	return err
}
