package scan

import (
	"bufio"
	"encoding/binary"
	"io"
	"math"

	"github.com/klauspost/compress/zstd"
)

// A zstd frame states its window: how far back it may copy from, which its decoder must hold. A writer is told how long
// a window it may take, up to 2 GiB in zstd's own library, and takes a shorter one for contents that are shorter. So a
// row more can make the window longer, and every window that a writer can take is decoded. A frame in a single segment
// states no window but its length, which has no limit: it is given a window of 2 GiB if it is longer, since the decoder
// would take memory for all of it. The memory is only touched as it is filled.

// maxWindow is the longest window of a zstd frame. Source: zstd 1.5, lib/zstd.h, ZSTD_WINDOWLOG_MAX_64.
const maxWindow = 1 << 31

// NewZstdReader returns a reader of what zstd frames hold.
func NewZstdReader(r io.Reader) (*zstd.Decoder, error) {
	frames := &zstdFrames{r: bufio.NewReaderSize(r, BlockSize)}
	return zstd.NewReader(frames, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(maxWindow), zstd.WithDecoderMaxMemory(math.MaxInt64))
}

// zstdFrames gives the bytes of zstd frames as they are, but for the headers of long single segments. What it does not
// understand, it gives to the decoder, whose errors they are. Source: RFC 8878, 3.1.
type zstdFrames struct {
	r       *bufio.Reader
	head    []byte // of a frame, to be given before what follows
	left    int64  // bytes that follow, before the next header of a block or a frame
	inFrame bool
	sum     int64 // bytes of the frame's checksum
}

// Read implements io.Reader.
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

// next looks at the next header.
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
	case len(b) >= 8 && b[0]&0xf0 == 0x50 && string(b[1:4]) == "\x2a\x4d\x18": // to be skipped
		z.left = 8 + int64(binary.LittleEndian.Uint32(b[4:]))
	case len(b) >= 5 && string(b[:4]) == "\x28\xb5\x2f\xfd":
		z.frame(b)
	default:
		z.left = math.MaxInt64
	}
	return nil
}

// frame reads the header of a frame, perhaps behind which there are other bytes.
func (z *zstdFrames) frame(b []byte) {
	flags := b[4]
	single := flags&0x20 != 0
	length := [4]int{0, 1, 2, 4}[flags&3] // of the dictionary's number
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
	z.head = append(z.head, flags&^0x20, (31-10)<<3) // not a single segment, and a window of 2^31
	z.head = append(z.head, b[5:at+content]...)
	_, _ = z.r.Discard(at + content) // which was peeked at
	z.left = 0
}

// block reads the header of a block.
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
	if head>>1&3 == 1 { // a byte that is repeated
		z.left = 3 + 1
	}
	if head&1 == 1 {
		z.inFrame = false
		z.left += z.sum
	}
	return nil
}
