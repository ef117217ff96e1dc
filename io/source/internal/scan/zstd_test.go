package scan

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"
	"testing"
	"testing/iotest"

	"github.com/klauspost/compress/zstd"
)

// frame returns a frame in a single segment that states the given length and has one block of two bytes.
func frame(length uint64) []byte {
	b := binary.LittleEndian.AppendUint64([]byte("\x28\xb5\x2f\xfd\xe4"), length)
	return append(b, "\x11\x00\x00abSUM!"...)
}

// Only the headers of single segments of more than 2 GiB change: they get a window of 2 GiB.
func TestHeadersOfLongSegments(t *testing.T) {
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	small := w.EncodeAll([]byte("some text"), nil)
	skipped := []byte("\x5f\x2a\x4d\x18\x02\x00\x00\x00..")
	for _, long := range []uint64{1<<31 + 1, 1 << 40, 1<<64 - 2} {
		in, want := bytes.Clone(small), bytes.Clone(small)
		for _, b := range [][]byte{skipped, frame(1 << 31), small, nil, frame(2), []byte("trailing bytes")} {
			if b == nil {
				in = append(in, frame(long)...)
				b = frame(long)
				b = append(append(append([]byte{}, b[:4]...), 0xc4, 21<<3), b[5:]...)
				want = append(want, b...)
				continue
			}
			in, want = append(in, b...), append(want, b...)
		}
		for cut := range len(in) + 1 {
			var r io.Reader = bytes.NewReader(in[:cut])
			if cut%2 == 0 {
				r = iotest.OneByteReader(r)
			}
			got, err := io.ReadAll(&zstdFrames{r: bufio.NewReader(r)})
			if err != nil || cut == len(in) && !bytes.Equal(got, want) || len(got) < cut || len(got) > cut+1 {
				t.Fatalf("%d of %d bytes: %x, %v; want %x", cut, len(in), got, err, want)
			}
		}
	}
}
