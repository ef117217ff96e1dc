package arrow

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"io"
	"sync"

	"github.com/dprelease/dprelease/io/source/internal/scan"
)

const (
	// splitBytes is what the record batches of a split have together at least, except those of the last one.
	splitBytes = 4 << 20
	// maxFooter is the longest footer that is read: some million record batches.
	maxFooter = 64 << 20
	// blockBytes is the length of a block in a footer.
	blockBytes = 24
)

// block is where a message of a file is.
type block struct {
	at, meta, body int64
	id             int64 // of a dictionary
}

// readFooter returns the file's footer with its length and magic, as bytes.
func readFooter(f io.ReaderAt, size int64) ([]byte, error) {
	const head, tail = 8, 4 + int64(len(fileMagic))
	var end [tail]byte
	if err := readWithin(f, end[:], size-tail, size); err != nil {
		return nil, err
	}
	n := int64(int32(binary.LittleEndian.Uint32(end[:])))
	switch {
	case string(end[4:]) != fileMagic:
		return nil, scan.Fault(scan.CodeTruncated, "the file does not end as an Arrow file does")
	case n <= 0 || n > size-tail-head:
		return nil, scan.Fault(scan.CodeDamaged, "the footer is longer than the file")
	case n > maxFooter:
		return nil, scan.Fault(scan.CodeTooLarge, "the footer is longer than 64 MiB").Advise("write fewer record batches or columns a file")
	}
	b := make([]byte, n+tail)
	return b, scan.ReadAt(f, b, size-tail-n)
}

// loadFooter takes the footer's blocks and returns its schema.
func (a *file) loadFooter(f io.ReaderAt, raw []byte) (flatTable, error) {
	b := &flatBuffer{b: raw[:len(raw)-4-len(fileMagic)]}
	footer := b.root()
	end := a.Size - int64(len(raw))
	records, err := blocksOf(footer.vector(3, blockBytes), end)
	if err != nil {
		return flatTable{}, err
	}
	a.dicts, err = blocksOf(footer.vector(2, blockBytes), end)
	if err != nil {
		return flatTable{}, err
	}
	schema := footer.table(1)
	if b.bad || !footer.has(1) {
		return flatTable{}, scan.Fault(scan.CodeDamaged, "the footer cannot be decoded")
	}
	a.groups = grouped(records)
	return schema, a.identify(f)
}

// blocksOf returns the blocks of a footer, which are all before end.
func blocksOf(v flatVector, end int64) ([]block, error) {
	out := make([]block, v.n)
	for i := range out {
		at := v.at + i*blockBytes
		b := block{at: v.f.i64(at), meta: int64(int32(v.f.u32(at + 8))), body: v.f.i64(at + 16)}
		if b.at < 8 || b.meta < 4 || b.body < 0 || b.at > end || b.meta > end-b.at || b.body > end-b.at-b.meta {
			return nil, scan.Fault(scan.CodeDamaged, "a record batch or dictionary is not within the file")
		}
		out[i] = b
	}
	return out, nil
}

// grouped joins neighbouring record batches to splits.
func grouped(blocks []block) (out [][]block) {
	from, size := 0, int64(0)
	for i, b := range blocks {
		if size += b.meta + b.body; size >= splitBytes || i == len(blocks)-1 {
			out = append(out, blocks[from:i+1])
			from, size = i+1, 0
		}
	}
	return out
}

// identify finds out which dictionary each block has.
func (a *file) identify(f io.ReaderAt) error {
	for i := range a.dicts {
		m, err := a.dicts[i].message(f, headDictionary)
		if err != nil {
			return err
		}
		if a.dicts[i].id = m.table.table(slotHeader).i64(0); m.table.f.bad {
			return undecodedMessage()
		}
	}
	return nil
}

// message reads the block's metadata, which must be of a kind.
func (b *block) message(f io.ReaderAt, kind byte) (*message, error) {
	m, err := readMessage(f, b.at, b.at+b.meta+b.body)
	switch {
	case errors.Is(err, io.EOF):
		return nil, undecodedMessage()
	case err != nil:
		return nil, err
	case int64(len(m.meta)) > b.meta || m.size != b.body || m.kind() != kind:
		return nil, scan.Fault(scan.CodeDamaged, "a message contradicts the footer")
	}
	m.body = b.at + b.meta
	return m, nil
}

// knownDictionary is a dictionary that was read, and the digest of its bytes then.
type knownDictionary struct {
	dict   *dictionary
	digest []byte
}

// knownDictionaries are the dictionaries that were read, by column.
type knownDictionaries struct {
	mu sync.Mutex
	of map[int]knownDictionary
}

// learnAll gets the dictionaries of the columns. One that was read before is shared by all splits.
func (s *batchScan) learnAll() error {
	for i, at := range s.used {
		if !s.file.columns[at].coded() {
			continue
		}
		if err := s.guarded(i, func() error { return s.learnShared(i, at) }); err != nil {
			return err
		}
	}
	return nil
}

// learnShared gets the dictionary of a file's column.
func (s *batchScan) learnShared(i, at int) error {
	s.file.known.mu.Lock()
	defer s.file.known.mu.Unlock()
	k, ok := s.file.known.of[at]
	if !ok || s.yield == nil {
		var err error
		if k, err = s.readShared(i, at); err != nil {
			return err
		}
	}
	if s.yield != nil {
		s.file.known.of[at] = k
	}
	s.dicts[i] = k.dict
	s.h.Write(k.digest)
	return nil
}

// readShared reads the dictionary of a file's column: one block, and blocks that add to it.
func (s *batchScan) readShared(i, at int) (knownDictionary, error) {
	outer := s.h
	s.h = sha256.New()
	defer func() { s.h = outer }()
	first := true
	for _, b := range s.file.dicts {
		if b.id != s.file.columns[at].dictionary {
			continue
		}
		m, err := b.message(s.f, headDictionary)
		if err != nil {
			return knownDictionary{}, err
		}
		if delta := m.table.table(slotHeader).u8(2) != 0; delta == first {
			return knownDictionary{}, scan.Fault(scan.CodeDamaged, "a file has a dictionary twice, or none to add to")
		}
		if err := s.learn(m, i); err != nil {
			return knownDictionary{}, err
		}
		first = false
	}
	return knownDictionary{s.dicts[i], s.h.Sum(nil)}, nil
}
