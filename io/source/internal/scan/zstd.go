package scan

import (
	"bufio"
	"encoding/binary"
	"io"
	"math"

	"github.com/klauspost/compress/zstd"
)

// A zstd frame states its window: how far back its copies may reach. The decoder must hold that many bytes in memory. A
// writer chooses a window of up to 2 GiB, and a shorter one for shorter contents. So one more row can make the window
// longer, and a reader must accept every window that a writer can choose. A frame in a single segment states its length
// instead of a window, without a limit, and the decoder would allocate all of it: if it is longer than 2 GiB, its
// header is rewritten to a window of 2 GiB. The system provides memory only as it is filled.

// maxWindow is the longest window of a zstd frame. Source: zstd 1.5, lib/zstd.h, ZSTD_WINDOWLOG_MAX_64.
const maxWindow = 1 << 31

// NewZstdReader returns a reader that decompresses zstd frames.
func NewZstdReader(r io.Reader) (*zstd.Decoder, error) {
	frames := &zstdFrames{r: bufio.NewReaderSize(r, BlockSize)}
	return zstd.NewReader(frames, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(maxWindow), zstd.WithDecoderMaxMemory(math.MaxInt64))
}

// zstdFrames is a reader of zstd frames that rewrites the headers of long single segments. It leaves bytes that it does
// not understand as they are, so that the decoder returns the error. Source: RFC 8878, 3.1.
type zstdFrames struct {
	r       *bufio.Reader
	head    []byte // the part of a rewritten frame header that Read has not returned yet
	left    int64  // number of bytes up to the next header of a block or a frame
	inFrame bool
	sum     int64 // length of the checksum at the frame's end
}

func (z *zstdFrames) Read(p []byte) (int, error) {
	for len(z.head) == 0 && z.left == 0 {
		if err := z.next(); err != nil {
			return 0, err
		}
	}
	if len(z.head) > 0 {
		n := copy(p, z.head)
		z.head = z.head[n:]
		return n, nil
	}
	n, err := z.r.Read(p[:min(int64(len(p)), z.left)])
	z.left -= int64(n)
	return n, err
}

// next parses the next header.
func (z *zstdFrames) next() error {
	if z.inFrame {
		return z.block()
	}
	const longest = 18
	b, err := z.r.Peek(longest)
	if len(b) == 0 {
		return err
	}
	switch {
	case len(b) >= 8 && b[0]&0xf0 == 0x50 && string(b[1:4]) == "\x2a\x4d\x18": // a skippable frame
		z.left = 8 + int64(binary.LittleEndian.Uint32(b[4:]))
	case len(b) >= 5 && string(b[:4]) == "\x28\xb5\x2f\xfd":
		z.frame(b)
	default:
		z.left = math.MaxInt64
	}
	return nil
}

// frame parses the frame header at the start of b, and rewrites it if necessary.
func (z *zstdFrames) frame(b []byte) {
	flags := b[4]
	single := flags&0x20 != 0
	length := [4]int{0, 1, 2, 4}[flags&3] // length of the dictionary's id
	content := [4]int{0, 2, 4, 8}[flags>>6]
	if single && content == 0 {
		content = 1
	}
	at := 5 + length
	if !single {
		at++
	}
	z.inFrame, z.sum, z.left = true, int64(flags>>2&1)*4, int64(at+content)
	if !single || content < 4 || len(b) < at+content {
		return
	}
	var size [8]byte
	if copy(size[:], b[at:at+content]); binary.LittleEndian.Uint64(size[:]) <= maxWindow {
		return
	}
	z.head = append([]byte{}, b[:4]...)
	z.head = append(z.head, flags&^0x20, (31-10)<<3) // no single segment, and a window of 2^31 bytes
	z.head = append(z.head, b[5:at+content]...)
	_, _ = z.r.Discard(at + content) // cannot fail: these bytes were peeked at
	z.left = 0
}

// block parses the header of a block.
func (z *zstdFrames) block() error {
	b, err := z.r.Peek(3)
	if len(b) < 3 {
		z.left = int64(len(b))
		if len(b) > 0 {
			return nil
		}
		return err
	}
	head := uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16
	z.left = 3 + int64(head>>3)
	if head>>1&3 == 1 { // a run of one byte
		z.left = 3 + 1
	}
	if head&1 == 1 {
		z.inFrame = false
		z.left += z.sum
	}
	return nil
}
