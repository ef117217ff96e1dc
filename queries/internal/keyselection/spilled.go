package keyselection

import (
	"crypto/sha256"
	"encoding/binary"
	"math"

	"github.com/dprelease/dprelease/internal/mechanism/int128"
	"github.com/dprelease/dprelease/queries/bounding"
)

// Totals by key, and the keys themselves, in memory or in the spill
//
// There may be more keys than fit in memory. An accumulator gathers the numbers of each key (totals) and the keys
// (names) in memory. When they take more than the accumulator's share, it writes both to the spill, which encrypts
// them, and continues with empty ones. So the spill can hold several records of one key, all in the partition that the
// key's digest chooses. At the end, the records of one partition after another are added up.

// ContentBytes is the length in bytes of a row's content without its value: a cell, which is 0 if all dimensions are in
// the key, and the SHA-256 of the key.
const ContentBytes = bounding.CellBytes + sha256.Size

// digest is the SHA-256 of a key. It identifies the key in all accumulators, which may have different key numbers.
type digest [sha256.Size]byte

const (
	partitions    = 1 << partitionBits
	partitionBits = 6
	flushBytes    = 16 << 10 // a buffer of at least this many bytes is written to the spill
	bytesOfName   = 128      // approximate memory for a key besides its text, in bytes
	bytesOfTotal  = 144      // approximate memory for an entry besides its numbers, including unused space of the map
	bytesOfNumber = 24       // approximate memory for a number of an entry
	widthOfNumber = 16       // the length of a number in a record in the spill
	spareEntries  = 1 << 16  // totals count as full when the index can take at most this many further entries
)

func partitionOf(d []byte) int { return int(d[0] >> (8 - partitionBits)) }

// piece is size consecutive bytes in the spill, beginning at offset at.
type piece struct{ at, size int64 }

// written holds the records of a spill, by partition.
type written struct {
	spill   bounding.Spill
	pieces  [partitions][]piece
	buffers [partitions][]byte // records that are not yet in the spill
	records uint64             // the number of records of all partitions
}

// add appends a record to the buffer of a partition: record appends the record's bytes. If the buffer is full, add
// writes it to the spill.
func (w *written) add(partition int, record func([]byte) []byte) error {
	w.records++
	w.buffers[partition] = record(w.buffers[partition])
	if len(w.buffers[partition]) < flushBytes {
		return nil
	}
	return w.flushOne(partition)
}

// flushOne writes the buffer of a partition to the spill.
func (w *written) flushOne(partition int) error {
	b := w.buffers[partition]
	if len(b) == 0 {
		return nil
	}
	at, err := w.spill.Write(b)
	w.pieces[partition] = append(w.pieces[partition], piece{at, int64(len(b))})
	w.buffers[partition] = b[:0]
	return err
}

func (w *written) flush() error {
	for i := range w.buffers {
		if err := w.flushOne(i); err != nil {
			return err
		}
		w.buffers[i] = nil
	}
	return nil
}

// each reads the records of a partition from the spill, piece by piece, and calls take with each piece.
func (w *written) each(partition int, take func(records []byte) error) error {
	var buf []byte
	for _, p := range w.pieces[partition] {
		if int64(cap(buf)) < p.size {
			buf = make([]byte, p.size)
		}
		if err := w.spill.Read(buf[:p.size], p.at); err != nil {
			return err
		}
		if err := take(buf[:p.size]); err != nil {
			return err
		}
	}
	return nil
}

// size returns how many bytes a partition has in the spill.
func (w *written) size(partition int) int64 {
	n := int64(0)
	for _, p := range w.pieces[partition] {
		n += p.size
	}
	return n
}

// merge moves the records of o to w. Both must be in the same spill.
func (w *written) merge(o *written) {
	for i := range o.pieces {
		w.pieces[i] = append(w.pieces[i], o.pieces[i]...)
		o.pieces[i] = nil
	}
	w.records, o.records = w.records+o.records, 0
}

// entry identifies the numbers of a key in a cell: the cell in the dimensions that are not in the key (four bytes),
// then the digest of the key.
type entry [ContentBytes]byte

func (e *entry) digest() digest { return digest(e[bounding.CellBytes:]) }

// totals holds width numbers for each entry.
type totals struct {
	width   int
	index   map[entry]int32 // the numbers of an entry with index i begin at numbers[i*width]
	numbers int128.Slice
	outside written // the entries in the spill
}

func newTotals(width int, s bounding.Spill) *totals {
	return &totals{width: width, index: map[entry]int32{}, outside: written{spill: s}}
}

// at returns the index in t.numbers of an entry's first number. If there is no such entry, at adds one with zeros.
func (t *totals) at(e *entry) int {
	slot, ok := t.index[*e]
	if !ok {
		slot = int32(len(t.index))
		t.index[*e] = slot
		for range t.width {
			t.numbers.High, t.numbers.Low = append(t.numbers.High, 0), append(t.numbers.Low, 0)
		}
	}
	return int(slot) * t.width
}

// add adds numbers[i] to number i of an entry.
func (t *totals) add(e *entry, numbers int128.Slice) {
	at := t.at(e)
	for i := range t.width {
		t.numbers.Add(at+i, numbers.At(i))
	}
}

// bytes returns the approximate memory of the totals in bytes.
func (t *totals) bytes() int64 {
	return int64(len(t.index)) * int64(bytesOfTotal+bytesOfNumber*t.width)
}

// full reports whether the index, an int32, is nearly too small for another entry.
func (t *totals) full() bool { return len(t.index) >= math.MaxInt32-spareEntries }

// write moves everything in memory to the spill.
func (t *totals) write() error {
	for e, slot := range t.index {
		err := t.outside.add(partitionOf(e[bounding.CellBytes:]), func(b []byte) []byte {
			b = append(b, e[:]...)
			for i := range t.width {
				x := t.numbers.At(int(slot)*t.width + i)
				b = binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(b, uint64(x.High)), x.Low)
			}
			return b
		})
		if err != nil {
			return err
		}
	}
	t.forget()
	return t.outside.flush()
}

func (t *totals) forget() {
	t.numbers.Wipe()
	t.index, t.numbers = map[entry]int32{}, int128.Slice{}
}

// each calls take for all entries, in memory and in the spill. take may get an entry several times; the entry's numbers
// are the sums of what it gets.
func (t *totals) each(take func(e *entry, numbers int128.Slice)) error {
	for e, slot := range t.index {
		take(&e, t.numbers.Cut(int(slot)*t.width, int(slot+1)*t.width))
	}
	for i := range partitions {
		if err := t.eachWritten(i, take); err != nil {
			return err
		}
	}
	return nil
}

// eachWritten calls take for each entry of a partition in the spill.
func (t *totals) eachWritten(partition int, take func(e *entry, numbers int128.Slice)) error {
	numbers := int128.Make(t.width)
	return t.outside.each(partition, func(records []byte) error {
		for n := ContentBytes + widthOfNumber*t.width; len(records) >= n; records = records[n:] {
			for i := range t.width {
				at := records[ContentBytes+widthOfNumber*i:]
				numbers.Set(i, int128.Int{High: int64(binary.LittleEndian.Uint64(at)), Low: binary.LittleEndian.Uint64(at[8:])})
			}
			take((*entry)(records), numbers)
		}
		return nil
	})
}

// size returns how often each calls take: an upper bound on the number of entries.
func (t *totals) size() uint64 { return uint64(len(t.index)) + t.outside.records }

// merge adds the numbers of o to t and empties o.
func (t *totals) merge(o *totals) {
	for e, slot := range o.index {
		t.add(&e, o.numbers.Cut(int(slot)*t.width, int(slot+1)*t.width))
	}
	o.forget()
	t.outside.merge(&o.outside)
}

// names maps the digests of keys to the keys.
type names struct {
	held    map[digest]string // the keys in memory
	texts   int64             // the length of these keys in bytes
	outside written           // the keys in the spill
}

func newNames(s bounding.Spill) *names {
	return &names{held: map[digest]string{}, outside: written{spill: s}}
}

func (n *names) add(d digest, key string) {
	if _, ok := n.held[d]; !ok {
		n.held[d] = key
		n.texts += int64(len(key))
	}
}

// bytes returns the approximate memory of the keys in bytes.
func (n *names) bytes() int64 { return int64(len(n.held))*bytesOfName + n.texts }

// write moves everything in memory to the spill.
func (n *names) write() error {
	for d, key := range n.held {
		err := n.outside.add(partitionOf(d[:]), func(b []byte) []byte {
			return append(binary.LittleEndian.AppendUint32(b, uint32(len(key))), key...)
		})
		if err != nil {
			return err
		}
	}
	n.held, n.texts = map[digest]string{}, 0
	return n.outside.flush()
}

// eachWritten calls take for each key of a partition in the spill. take may get a key several times.
func (n *names) eachWritten(partition int, take func(key []byte)) error {
	return n.outside.each(partition, func(records []byte) error {
		for len(records) >= 4 {
			end := 4 + uint64(binary.LittleEndian.Uint32(records))
			if end > uint64(len(records)) {
				return errKey
			}
			take(records[4:end])
			records = records[end:]
		}
		return nil
	})
}

// size returns an upper bound on the number of keys.
func (n *names) size() uint64 { return uint64(len(n.held)) + n.outside.records }

func (n *names) merge(o *names) {
	for d, key := range o.held {
		n.add(d, key)
	}
	o.held, o.texts = nil, 0
	n.outside.merge(&o.outside)
}

// share is how many bytes an accumulator may hold in memory. It asks the spill once, when rows come, because by then
// all accumulators have joined.
type share struct {
	spill bounding.Spill
	bytes int64 // 0 before the first call of limit
}

func (s *share) limit() int64 {
	switch {
	case s.spill == nil:
		return math.MaxInt64
	case s.bytes == 0:
		s.bytes = s.spill.Share()
	}
	return s.bytes
}
