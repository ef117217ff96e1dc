package arrow

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"slices"

	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"github.com/dprelease/dprelease/io/source/fault"
	"github.com/dprelease/dprelease/io/source/internal/scan"
)

const (
	packedLZ4  = 0
	packedZstd = 1

	// maxAtOnce is the longest compressed buffer that is decompressed in one step. Longer ones are decompressed while
	// they are read.
	maxAtOnce = 1 << 20
	// maxStep limits how much memory is allocated before the bytes for it were read, since a damaged length can
	// announce gigabytes.
	maxStep = 1 << 20
)

// buffer reads one buffer of a record batch in order, decompresses it, and hashes its bytes as they are in the file.
type buffer struct {
	section *scan.Section
	packed  bool
	codec   byte
	codecs  *codecs
	r       io.Reader // the decompressed bytes; nil before open
	close   func()
	left    int64  // decompressed bytes not yet taken
	whole   []byte // the bytes not yet taken of a buffer that was decompressed in one step
	room    *room  // nil before the first read and after release
}

// codecs holds the decompressors that all buffers of a scan share.
type codecs struct {
	scan.Codecs
	lz4 *lz4.Reader
	src []byte
}

// open reads the length of the decompressed buffer and prepares its decompression.
func (b *buffer) open() error {
	b.r, b.close = b.section, func() {}
	b.memory()
	if !b.packed || b.left == 0 {
		return nil
	}
	var head [8]byte
	if b.left < 8 {
		return shortBuffer()
	}
	if _, err := io.ReadFull(b.section, head[:]); err != nil {
		return err
	}
	stored := b.left - 8
	switch b.left = int64(binary.LittleEndian.Uint64(head[:])); {
	case b.left == -1: // -1 means that the buffer is not compressed
		b.left = stored
		return nil
	case b.left < 0:
		return fault.New(fault.CodeDamaged, "a buffer has an impossible length")
	case b.left <= maxAtOnce && stored <= 2*maxAtOnce:
		return b.unpack(stored)
	}
	return b.stream()
}

func shortBuffer() error { return fault.New(fault.CodeDamaged, "a buffer is shorter than its values") }

func unpacked() error { return fault.New(fault.CodeDamaged, "a buffer cannot be decompressed") }

// unpack decompresses the whole buffer.
func (b *buffer) unpack(stored int64) error {
	src := scan.Sized(b.codecs.src, int(stored))
	b.codecs.src = src
	if _, err := io.ReadFull(b.section, src); err != nil {
		return err
	}
	m := b.memory()
	m.plain = scan.Sized(m.plain, int(b.left))
	if err := b.codecs.unpack(b.codec, m.plain, src); err != nil {
		return unpacked()
	}
	b.r, b.whole = bytes.NewReader(nil), m.plain
	return nil
}

// unpack decompresses src into dst, which has the decompressed length.
func (c *codecs) unpack(codec byte, dst, src []byte) error {
	if codec == packedZstd {
		return c.ZstdInto(dst, src)
	}
	if c.lz4 == nil {
		c.lz4 = lz4.NewReader(nil)
	}
	c.lz4.Reset(bytes.NewReader(src))
	return scan.Exactly(c.lz4, dst)
}

// stream decompresses the buffer as it is read.
func (b *buffer) stream() error {
	if b.codec == packedLZ4 {
		b.r = lz4.NewReader(bufio.NewReaderSize(b.section, 64<<10))
		return nil
	}
	z, err := scan.NewZstdReader(b.section)
	if err != nil {
		return b.mapError(err)
	}
	b.r, b.close = z, z.Close
	return nil
}

// nextBytes returns the next n bytes. They are valid until the next call.
func (b *buffer) nextBytes(n int64) ([]byte, error) {
	if b.r == nil {
		if err := b.open(); err != nil {
			return nil, err
		}
	}
	if n > b.left {
		return nil, shortBuffer()
	}
	b.left -= n
	if b.whole != nil {
		out := b.whole[:n:n]
		b.whole = b.whole[n:]
		return out, nil
	}
	m := b.memory()
	m.out = m.out[:0]
	for int64(len(m.out)) < n {
		from := len(m.out)
		step := int(min(n-int64(from), max(maxStep, int64(from))))
		m.out = slices.Grow(m.out, step)[:from+step]
		if _, err := io.ReadFull(b.r, m.out[from:]); err != nil {
			return nil, b.mapError(err)
		}
	}
	return m.out, nil
}

// mapError converts an error of the file or of a decompressor to an error of package fault. It keeps an error of the
// context.
func (b *buffer) mapError(err error) error {
	var own *fault.Error
	switch {
	case errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) || errors.As(err, &own):
		return err
	case errors.Is(err, zstd.ErrWindowSizeExceeded):
		return fault.New(fault.CodeTooLarge, "a buffer has a window of more than 2 GiB").
			Advise("compress it with a smaller window")
	}
	return unpacked()
}

// skip discards the next n bytes.
func (b *buffer) skip(n int64) error {
	for n > 0 {
		step := min(n, maxStep)
		if _, err := b.nextBytes(step); err != nil {
			return err
		}
		n -= step
	}
	return nil
}

// end discards the bytes that no row has used. If the buffer is compressed, end also checks that no compressed bytes
// are left.
func (b *buffer) end() error {
	if b.r == nil || !b.packed {
		return nil
	}
	if err := b.skip(b.left); err != nil {
		return err
	}
	var more [1]byte
	if n, err := b.r.Read(more[:]); n > 0 || !errors.Is(err, io.EOF) {
		return b.mapError(err)
	}
	return nil
}

// sum reads the rest of the buffer in the file and returns the digest of the whole buffer. Bytes that nextBytes
// returned are no longer valid.
func (b *buffer) sum() ([]byte, error) {
	if b.close != nil {
		b.close()
	}
	if b.section.At < b.section.End {
		b.memory()
	}
	defer b.release()
	return b.section.Sum()
}

// memory returns the buffer's room. It gets one from the pool at the first call.
func (b *buffer) memory() *room {
	if b.room == nil {
		b.room = newRoom()
		b.section.Lend(b.room.block)
	}
	return b.room
}

// release returns the room to the pool, for other buffers. Bytes that nextBytes returned are no longer valid.
func (b *buffer) release() {
	m := b.room
	if m == nil {
		return
	}
	b.room, b.whole = nil, nil
	m.block = b.section.Reclaim()
	m.giveBack()
}
