package scan

import (
	"bufio"
	"encoding/binary"
	"io"

	"github.com/ulikunitz/xz"
)

// newXZReader decompresses an xz stream whose first block asks for no more memory than maxWindow: the library would take what is asked for.
func newXZReader(r io.Reader) (io.Reader, error) {
	b := bufio.NewReader(r)
	head, _ := b.Peek(12 + 32) // a shorter file is an error of the reader
	if xzDictionary(head) > maxWindow {
		return nil, Fault(CodeTooLarge, "the compressed file asks for more than 128 MiB of memory").Advise("compress it with a smaller dictionary")
	}
	return xz.NewReader(b)
}

// xzDictionary returns the size of the dictionary that the first block of a stream states, 0 if none is found. The block header stands behind
// the 12 bytes of the stream header: its size, flags, sizes that the flags announce, and the filters, of which LZMA2 (0x21) has one byte that
// codes the size (The .xz file format, version 1.2.1, sections 3.1 and 5.3.1).
func xzDictionary(head []byte) int64 {
	if len(head) < 14 {
		return 0
	}
	flags, at := head[13], 14
	next := func() uint64 {
		v, n := binary.Uvarint(head[min(at, len(head)):])
		at += max(n, 1)
		return v
	}
	for _, announced := range []byte{0x40, 0x80} {
		if flags&announced != 0 {
			next()
		}
	}
	for range flags&3 + 1 {
		id, size := next(), next()
		if at >= len(head) {
			return 0
		}
		if bits := head[at] & 0x3f; id == 0x21 && size == 1 {
			return int64(2|bits&1) << (bits/2 + 11)
		}
		at += int(min(size, 32))
	}
	return 0
}

// maxWindow is the most memory that a zstd stream may ask for.
const maxWindow = 128 << 20
