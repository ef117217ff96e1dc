package arrow

import (
	"encoding/binary"
	"io"

	"github.com/dprelease/dprelease/io/source/fault"
	"github.com/dprelease/dprelease/io/source/internal/scan"
)

const (
	slotVersion    = 0 // slots of the table Message
	slotHeaderType = 1
	slotHeader     = 2
	slotBodyLength = 3

	headSchema     = 1
	headDictionary = 2
	headRecords    = 3

	versionV4 = 3
	versionV5 = 4
)

// message is a message of a stream or a file: metadata in memory, and a body that is still in the file.
type message struct {
	meta    []byte // the metadata as in the file, with its length before it
	table   flatTable
	body    int64 // offset of the body in the file
	size    int64 // length of the body
	version int
}

// node is the number of rows and of nulls in an array of a record batch.
type node struct{ rows, nulls int64 }

// span is the place of a buffer in the body of a message.
type span struct{ at, size int64 }

// recordBatch is the decoded metadata of a record batch.
type recordBatch struct {
	rows    int64
	nodes   []node
	buffers []span
	views   []int64 // views[i] is the number of data buffers of the i-th array of string views
	packed  bool
	codec   byte // the compression codec; only if packed is set
	message *message
}

// readMessage reads the metadata of the message at offset at, which must end before end. The error is io.EOF at the
// mark that ends a stream.
func readMessage(f io.ReaderAt, at, end int64) (*message, error) {
	var head [8]byte
	prefix := 4
	if err := readWithin(f, head[:4], at, end); err != nil {
		return nil, err
	}
	size := int64(int32(binary.LittleEndian.Uint32(head[:])))
	if size == -1 { // a continuation mark, which older writers leave out
		if err := readWithin(f, head[4:], at+4, end); err != nil {
			return nil, err
		}
		prefix, size = 8, int64(int32(binary.LittleEndian.Uint32(head[4:])))
	}
	switch {
	case size == 0:
		if at+int64(prefix) != end {
			return nil, fault.New(fault.CodeDamaged, "there is more behind the end of the stream")
		}
		return nil, io.EOF
	case size < 0:
		return nil, undecodedMessage()
	case size > end-at:
		return nil, fault.New(fault.CodeTruncated, "the file ends too early")
	}
	m := &message{meta: make([]byte, int64(prefix)+size)}
	copy(m.meta, head[:prefix]) // read no byte twice: a scan.Handle may not allow it
	if err := readWithin(f, m.meta[prefix:], at+int64(prefix), end); err != nil {
		return nil, err
	}
	return m, m.decode(prefix, at, end)
}

// readWithin reads the bytes at offset at into p. It fails if they do not end at or before end.
func readWithin(f io.ReaderAt, p []byte, at, end int64) error {
	if at < 0 || at > end || int64(len(p)) > end-at {
		return fault.New(fault.CodeTruncated, "the file ends too early")
	}
	return scan.ReadAt(f, p, at)
}

func undecodedMessage() error { return fault.New(fault.CodeDamaged, "a message cannot be decoded") }

func (m *message) decode(prefix int, at, end int64) error {
	f := &flatBuffer{b: m.meta[prefix:]}
	m.table = f.root()
	m.version, m.size = m.table.i16(slotVersion), m.table.i64(slotBodyLength)
	m.body = at + int64(len(m.meta))
	switch {
	case f.bad || m.size < 0:
		return undecodedMessage()
	case m.version != versionV4 && m.version != versionV5:
		return fault.New(fault.CodeUnsupported, "the file is in a version of the format that cannot be read").
			Advise("write it with a library of Arrow 0.8 or later")
	case m.size > end-m.body:
		return fault.New(fault.CodeTruncated, "the file ends too early")
	}
	return nil
}

func (m *message) kind() byte { return m.table.u8(slotHeaderType) }

// records decodes the metadata of a record batch.
func (m *message) records(t flatTable) (*recordBatch, error) {
	f := t.f
	b := &recordBatch{rows: t.i64(0), message: m}
	if v := t.vector(1, 16); v.n > 0 {
		b.nodes = make([]node, v.n)
		for i := range b.nodes {
			b.nodes[i] = node{f.i64(v.at + 16*i), f.i64(v.at + 16*i + 8)}
		}
	}
	if v := t.vector(2, 16); v.n > 0 {
		b.buffers = make([]span, v.n)
		for i := range b.buffers {
			b.buffers[i] = span{f.i64(v.at + 16*i), f.i64(v.at + 16*i + 8)}
		}
	}
	if t.has(3) {
		c := t.table(3)
		b.packed, b.codec = true, c.u8(0)
		if c.u8(1) != 0 {
			return nil, unknownPacking()
		}
	}
	for v, i := t.vector(4, 8), 0; i < v.n; i++ {
		b.views = append(b.views, f.i64(v.at+8*i))
	}
	return b, b.check(f)
}

func unknownPacking() error {
	return fault.New(fault.CodeUnsupported, "the compression cannot be read").Advise("write the file with lz4, zstd or " +
		"no compression")
}

func (b *recordBatch) check(f *flatBuffer) error {
	switch {
	case f.bad:
		return undecodedMessage()
	case b.rows < 0 || b.rows > scan.MaxRows:
		return fault.New(fault.CodeTooLarge, "a record batch announces an impossible number of rows")
	case b.packed && b.codec > packedZstd:
		return unknownPacking()
	}
	for _, n := range b.nodes {
		if n.rows < 0 {
			return fault.New(fault.CodeDamaged, "a record batch has an array of an impossible length")
		}
	}
	for _, s := range b.buffers {
		if s.at < 0 || s.size < 0 || s.at > b.message.size || s.size > b.message.size-s.at {
			return fault.New(fault.CodeDamaged, "a buffer is not within its record batch")
		}
	}
	return nil
}
