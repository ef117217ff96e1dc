package arrow

import (
	"encoding/binary"
	"errors"
	"io"

	"github.com/dprelease/dprelease/io/source/fault"
	"github.com/dprelease/dprelease/io/source/internal/scan"
)

const (
	// splitBytes is the minimum length of the record batches of a split together; the last split may be shorter.
	splitBytes = 4 << 20
	// blockBytes is the length of a block in a footer.
	blockBytes = 24
)

// The first bytes of a file, and of a file in the format's first version.
const (
	fileMagic    = "ARROW1"
	featherMagic = "FEA1"
)

// block is the place of a message (a record batch or a dictionary) in a file: offset, length of metadata, length of
// body.
type block struct {
	at, meta, body int64
	id             int64 // if the message is a dictionary: its id
}

// readFooter returns the file's footer as bytes, including its length and the magic after it.
func readFooter(f io.ReaderAt, size int64) ([]byte, error) {
	const head, tail = 8, 4 + int64(len(fileMagic))
	var end [tail]byte
	if err := readWithin(f, end[:], size-tail, size); err != nil {
		return nil, err
	}
	n := int64(int32(binary.LittleEndian.Uint32(end[:])))
	switch {
	case string(end[4:]) != fileMagic:
		return nil, fault.New(fault.CodeTruncated, "the file does not end as an Arrow file does")
	case n <= 0 || n > size-tail-head:
		return nil, fault.New(fault.CodeDamaged, "the footer is longer than the file")
	}
	b := make([]byte, n+tail)
	return b, scan.ReadAt(f, b, size-tail-n)
}

// blocksOf returns the blocks of a footer and checks that all of them end before end.
func blocksOf(v flatVector, end int64) ([]block, error) {
	out := make([]block, v.n)
	for i := range out {
		at := v.at + i*blockBytes
		b := block{at: v.f.i64(at), meta: int64(int32(v.f.u32(at + 8))), body: v.f.i64(at + 16)}
		if b.at < 8 || b.meta < 4 || b.body < 0 || b.at > end || b.meta > end-b.at || b.body > end-b.at-b.meta {
			return nil, fault.New(fault.CodeDamaged, "a record batch or dictionary is not within the file")
		}
		out[i] = b
	}
	return out, nil
}

// groupBlocks joins neighbouring record batches into splits.
func groupBlocks(blocks []block) (out [][]block) {
	from, size := 0, int64(0)
	for i, b := range blocks {
		if size += b.meta + b.body; size >= splitBytes || i == len(blocks)-1 {
			out = append(out, blocks[from:i+1])
			from, size = i+1, 0
		}
	}
	return out
}

// message reads the metadata of the message in a block, and checks that the message is of the given kind.
func (b *block) message(f io.ReaderAt, kind byte) (*message, error) {
	m, err := readMessage(f, b.at, b.at+b.meta+b.body)
	switch {
	case errors.Is(err, io.EOF):
		return nil, undecodedMessage()
	case err != nil:
		return nil, err
	case int64(len(m.meta)) > b.meta || m.size != b.body || m.kind() != kind:
		return nil, fault.New(fault.CodeDamaged, "a message contradicts the footer")
	}
	m.body = b.at + b.meta
	return m, nil
}
