// Package state writes and reads the numbers and texts of accumulators, so that one process can continue with the
// totals of another.
//
// The written numbers are exact and private; the caller must encrypt them. A [Reader] accepts any bytes without panic,
// and allocates at most as many bytes as the input has, plus a constant. Counts and lengths are unsigned varints. The
// numbers of a vector have eight bytes each, so that the length of an encrypted state does not reveal them.
package state

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
)

// ErrState means that the bytes are not a valid state of the accumulator that reads them.
var ErrState = errors.New("queries: this is not a state of the query's accumulator")

// Source is the input of a Reader.
type Source interface {
	io.Reader
	io.ByteReader
}

// Writer writes a state. After its first error it writes nothing.
type Writer struct {
	w   io.Writer
	buf []byte
	err error
}

// bufferBytes is the size of the Writer's buffer, and the largest text for which a Reader trusts the stated length.
const bufferBytes = 64 << 10

// NewWriter returns a Writer to w.
func NewWriter(w io.Writer) *Writer { return &Writer{w: w, buf: make([]byte, 0, bufferBytes)} }

// Reset discards the buffered bytes and the error, and continues with a new destination.
func (w *Writer) Reset(to io.Writer) { w.w, w.buf, w.err = to, w.buf[:0], nil }

// Flush writes the buffered bytes and returns the first error.
func (w *Writer) Flush() error {
	if w.err == nil && len(w.buf) > 0 {
		_, w.err = w.w.Write(w.buf)
	}
	w.buf = w.buf[:0]
	return w.err
}

// Fail sets the writer's error, unless err is nil or the writer has failed before.
func (w *Writer) Fail(err error) {
	if w.err == nil {
		w.err = err
	}
}

// room flushes the buffer if it has no room for n bytes.
func (w *Writer) room(n int) {
	if len(w.buf)+n > cap(w.buf) {
		_ = w.Flush() // w.err keeps the error
	}
}

// Uint writes a number as a varint.
func (w *Writer) Uint(x uint64) {
	w.room(binary.MaxVarintLen64)
	w.buf = binary.AppendUvarint(w.buf, x)
}

// Uint64 writes a number in eight bytes.
func (w *Writer) Uint64(x uint64) {
	w.room(8)
	w.buf = binary.BigEndian.AppendUint64(w.buf, x)
}

// Bytes writes the length of a text, and the text.
func (w *Writer) Bytes(b []byte) {
	w.Uint(uint64(len(b)))
	if len(b) <= cap(w.buf)-len(w.buf) {
		w.buf = append(w.buf, b...)
		return
	}
	if w.Flush() == nil {
		_, w.err = w.w.Write(b)
	}
}

// Int64s writes how many numbers there are, then each number in eight bytes.
func (w *Writer) Int64s(numbers []int64) {
	w.Uint(uint64(len(numbers)))
	for _, x := range numbers {
		w.Uint64(uint64(x))
	}
}

// Reader reads a state. After its first error, all numbers are 0 and all texts empty.
type Reader struct {
	r     Source
	err   error
	block bytes.Buffer // memory that Block reuses
}

// NewReader returns a Reader from r.
func NewReader(r Source) *Reader { return &Reader{r: r} }

// Err returns the first error: ErrState, or an error of the source.
func (r *Reader) Err() error { return r.err }

// Fail sets the error ErrState, unless the reader has failed before, and returns the reader's error.
func (r *Reader) Fail() error {
	if r.err == nil {
		r.err = ErrState
	}
	return r.err
}

// fail sets the reader's error to an error of the source, or to ErrState if the input ended early.
func (r *Reader) fail(err error) {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = ErrState
	}
	if r.err == nil {
		r.err = err
	}
}

// Uint reads a varint.
func (r *Reader) Uint() uint64 {
	x := uint64(0)
	for shift := 0; r.err == nil; shift += 7 {
		b, err := r.r.ReadByte()
		if err != nil {
			r.fail(err)
			break
		}
		if shift == 63 && b > 1 {
			_ = r.Fail() // Err returns it
			break
		}
		x |= uint64(b&0x7f) << shift
		if b < 0x80 {
			return x
		}
	}
	return 0
}

// Expect reads a varint and sets the error ErrState if it is not want.
func (r *Reader) Expect(want uint64) {
	if r.Uint() != want {
		_ = r.Fail() // Err returns it
	}
}

// Uint64 reads a number that Uint64 wrote.
func (r *Reader) Uint64() uint64 {
	var b [8]byte
	if r.err == nil {
		if _, err := io.ReadFull(r.r, b[:]); err != nil {
			r.fail(err)
			return 0
		}
	}
	return binary.BigEndian.Uint64(b[:])
}

// Int64s reads n numbers that [Writer.Int64s] wrote and calls add(i, x) for each. It sets the error ErrState if their
// number is not n.
func (r *Reader) Int64s(n int, add func(i int, x int64)) {
	r.Expect(uint64(n))
	var b [8 << 10]byte
	for i := 0; i < n && r.err == nil; {
		piece := b[:min(len(b), 8*(n-i))]
		if _, err := io.ReadFull(r.r, piece); err != nil {
			r.fail(err)
			return
		}
		for ; len(piece) > 0; piece = piece[8:] {
			add(i, int64(binary.BigEndian.Uint64(piece)))
			i++
		}
	}
}

// Bytes reads a text. It sets the error ErrState if the text is longer than limit bytes.
func (r *Reader) Bytes(limit uint64) []byte {
	var b bytes.Buffer
	return r.text(limit, &b)
}

// Block does the same as Bytes without a copy: the text is valid until the next call of Block or a change of the
// source.
func (r *Reader) Block(limit uint64) []byte {
	r.block.Reset()
	return r.text(limit, &r.block)
}

// text reads a text into buffer b, or returns the source's own bytes if it is in memory.
func (r *Reader) text(limit uint64, b *bytes.Buffer) []byte {
	n := r.Uint()
	if n > limit {
		_ = r.Fail() // Err returns it
	}
	if r.err != nil {
		return nil
	}
	if memory, ok := r.r.(*bytes.Buffer); ok {
		if uint64(memory.Len()) < n {
			_ = r.Fail() // Err returns it
			return nil
		}
		return memory.Next(int(n))
	}
	if n <= bufferBytes {
		b.Grow(int(n))
	}
	if _, err := io.CopyN(b, r.r, int64(n)); err != nil {
		r.fail(err)
		return nil
	}
	return b.Bytes()
}
