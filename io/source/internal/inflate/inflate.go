// Package inflate decompresses gzip (RFC 1952), which is deflate (RFC 1951) with a header before it and a checksum behind it.
//
// It takes half of the time of the libraries for Go, which matters as one stream cannot be decompressed by several threads: the bits that follow are in
// a word that is filled up eight bytes at once, one look into a table finds two literals if their codes are short (texts of digits are little else),
// and short copies move eight bytes at once. Its tests compare it with compress/gzip, byte by byte and error by error.
package inflate

import (
	"compress/gzip"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
)

// ErrCorrupt says that the bytes are not deflate's.
var ErrCorrupt = errors.New("corrupt deflate stream")

const (
	window   = 32 << 10       // how far back a copy may reach
	room     = 128 << 10      // bytes that are decompressed at once
	slack    = 300            // bytes behind the room to which a step of the fast loop may write
	inBytes  = 64<<10 + ahead // bytes that are read at once, and those that were left
	ahead    = 16             // bytes that a step of the fast loop may look at
	litBits  = 11
	distBits = 9
)

// state is what the next bits are.
type state uint8

const (
	atBlock state = iota
	inSymbols
	inStored
	atTrailer
)

// Reader decompresses the members of a gzip file, one after the other.
type Reader struct {
	r        io.Reader
	in       []byte
	pos, end int   // the part of in that is not taken
	inErr    error // why there is no more behind in

	// The next bits, from the lowest on, n of which are taken from in. Those above are zeros or the bits that follow.
	bits uint64
	n    uint

	state       state
	final       bool // the block is the member's last one
	left        int  // bytes of a stored block
	lits, dists code
	lengths     [288 + 32]uint8

	out    []byte
	start  int // of the member's bytes in out; nothing before it is copied
	read   int // bytes of out that the caller has
	w      int // bytes of out that are decompressed
	summed int // bytes of out that are in the sums
	crc    uint32
	size   uint32
	err    error
}

// NewReader reads the first header of a gzip file. Errors are io.EOF if there is nothing, io.ErrUnexpectedEOF, gzip.ErrHeader and those of r.
func NewReader(r io.Reader) (*Reader, error) {
	z := &Reader{in: make([]byte, inBytes), out: make([]byte, window+room+slack)}
	z.lits.first, z.dists.first = litBits, distBits
	return z, z.Reset(r)
}

// Reset is NewReader in the same memory.
func (z *Reader) Reset(r io.Reader) error {
	*z = Reader{r: r, in: z.in, out: z.out, lits: z.lits, dists: z.dists}
	z.err = z.member()
	return z.err
}

// Read implements io.Reader. Errors are io.ErrUnexpectedEOF, gzip.ErrHeader, gzip.ErrChecksum, ErrCorrupt and those of the reader below.
func (z *Reader) Read(p []byte) (int, error) {
	for z.read == z.w {
		if z.err != nil {
			return 0, z.err
		}
		if z.w > window+room {
			moved := z.w - copy(z.out, z.out[z.w-window:z.w])
			z.start = max(0, z.start-moved)
			z.read, z.w, z.summed = window, window, window
		}
		z.err = z.run()
		z.sum()
	}
	n := copy(p, z.out[z.read:z.w])
	z.read += n
	return n, nil
}

// sum adds what was decompressed since to the sums.
func (z *Reader) sum() {
	b := z.out[z.summed:z.w]
	z.crc, z.size, z.summed = crc32.Update(z.crc, crc32.IEEETable, b), z.size+uint32(len(b)), z.w
}

// run decompresses until the room is full.
func (z *Reader) run() (err error) {
	for err == nil && z.w <= window+room {
		switch {
		case z.state == inSymbols:
			err = z.symbols()
		case z.state == inStored:
			err = z.stored()
		case z.state == atTrailer:
			err = z.trailer()
		case z.final:
			z.state = atTrailer
		default:
			err = z.block()
		}
	}
	return err
}

// fill reads more, so that there are some bytes, unless there are no more.
func (z *Reader) fill(some int) {
	if z.end-z.pos >= some || z.inErr != nil {
		return
	}
	z.end = copy(z.in, z.in[z.pos:z.end])
	z.pos = 0
	for z.end < some && z.inErr == nil {
		var n int
		n, z.inErr = z.r.Read(z.in[z.end:])
		z.end += n
	}
}

// refill makes at least 57 bits ready if there are as many, byte by byte.
func (z *Reader) refill() {
	for z.n <= 56 {
		if z.pos == z.end {
			if z.fill(1); z.pos == z.end {
				return
			}
		}
		z.bits |= uint64(z.in[z.pos]) << z.n
		z.pos++
		z.n += 8
	}
}

// ended is the error of a text that ends too early.
func (z *Reader) ended() error {
	if errors.Is(z.inErr, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return z.inErr
}

// take takes some bits, at most 32.
func (z *Reader) take(n uint) (uint32, error) {
	if z.n < n {
		if z.refill(); z.n < n {
			return 0, z.ended()
		}
	}
	b := uint32(z.bits & (1<<n - 1))
	z.bits >>= n
	z.n -= n
	return b, nil
}

// align drops the bits before the next whole byte.
func (z *Reader) align() {
	z.bits >>= z.n & 7
	z.n &^= 7
}

// member reads the header of a member. The error is io.EOF if there is none.
func (z *Reader) member() error {
	if z.refill(); z.n == 0 {
		return z.inErr
	}
	h := &headerReader{z: z}
	var head [10]byte
	h.fill(head[:])
	if h.err == nil && (head[0] != 0x1f || head[1] != 0x8b || head[2] != 8) {
		return gzip.ErrHeader
	}
	flags := head[3]
	if flags&4 != 0 { // extra fields
		var size [2]byte
		h.fill(size[:])
		for range int(binary.LittleEndian.Uint16(size[:])) {
			h.next()
		}
	}
	for _, text := range []byte{8, 16} { // name, comment
		for n := 0; flags&text != 0 && h.err == nil && h.next() != 0; n++ {
			if n == longestText {
				return gzip.ErrHeader
			}
		}
	}
	sum := uint16(h.crc)
	if flags&2 != 0 {
		var stated [2]byte
		if h.fill(stated[:]); h.err == nil && binary.LittleEndian.Uint16(stated[:]) != sum {
			return gzip.ErrHeader
		}
	}
	z.state, z.final, z.start, z.crc, z.size = atBlock, false, z.w, 0, 0
	return h.err
}

// longestText is how long a name or comment may be, as compress/gzip has it.
const longestText = 511

// headerReader reads bytes of a header. After an error they are 0.
type headerReader struct {
	z   *Reader
	crc uint32
	err error
}

func (h *headerReader) next() byte {
	if h.err != nil {
		return 0
	}
	var b uint32
	b, h.err = h.z.take(8)
	one := [1]byte{byte(b)}
	h.crc = crc32.Update(h.crc, crc32.IEEETable, one[:])
	return one[0]
}

func (h *headerReader) fill(b []byte) {
	for i := range b {
		b[i] = h.next()
	}
}

// trailer compares the sums of a member with those that it states, and goes on to the next member.
func (z *Reader) trailer() error {
	z.sum()
	z.align()
	crc, err := z.take(32)
	if err != nil {
		return err
	}
	size, err := z.take(32)
	if err != nil {
		return err
	}
	if crc != z.crc || size != z.size {
		return gzip.ErrChecksum
	}
	return z.member()
}

// stored copies bytes that are not compressed.
func (z *Reader) stored() error {
	for z.left > 0 && z.w <= window+room {
		if z.n > 0 { // whole bytes
			b, _ := z.take(8)
			z.out[z.w] = byte(b)
			z.w++
			z.left--
			continue
		}
		z.bits = 0 // what is above the n bits is read again
		if z.fill(1); z.pos == z.end {
			return z.ended()
		}
		n := copy(z.out[z.w:min(z.w+z.left, window+room+1)], z.in[z.pos:z.end])
		z.pos += n
		z.w += n
		z.left -= n
	}
	if z.left == 0 {
		z.state = atBlock
	}
	return nil
}
