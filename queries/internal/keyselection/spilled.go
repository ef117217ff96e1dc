package keyselection

import (
	"crypto/sha256"
	"encoding/binary"
	"math"

	"github.com/dprelease/dprelease/internal/mechanism/int128"
	"github.com/dprelease/dprelease/queries/bounding"
)

// Totals by key, and the keys themselves, in memory or in the scratch space
//
// There may be more keys than fit in memory. The sums for each key ([totals]) and the keys ([names]) are gathered in
// memory. When an accumulator holds more than its share, it writes both to the spill, which encrypts them, and
// continues with empty ones. All records of a key are in one partition, which its digest determines. At the end, the
// records of one partition at a time are added up.

// ContentBytes is the length of a row's content: a cell, which is 0 if all dimensions are in the key, and the SHA-256
// of the key.
const ContentBytes = bounding.CellBytes + sha256.Size

// digest identifies a key: its SHA-256, which is the same for every accumulator.
type digest [sha256.Size]byte

const (
	partitions    = 1 << partitionBits
	partitionBits = 6
	writtenAtOnce = 16 << 10
	bytesOfName   = 128 // approximate memory for a key besides its text
	bytesOfTotal  = 144 // approximate memory for an entry besides its numbers, with the gaps of the map
	bytesOfNumber = 24
	widthOfNumber = 16
	spareEntries  = 1 << 16
)

func partitionOf(d []byte) int { return int(d[0] >> (8 - partitionBits)) }

// piece is size bytes in the spill, which begin at at.
type piece struct{ at, size int64 }

// written holds records that were written to a spill, by partition.
type written struct {
	spill   bounding.Spill
	pieces  [partitions][]piece
	buffers [partitions][]byte
	records uint64
}

// add appends a record to a partition. record appends the record's bytes to a buffer, which is written when it is full,
// or by flush.
func (w *written) add(partition int, record func([]byte) []byte) error {
	w.records++
	w.buffers[partition] = record(w.buffers[partition])
	if len(w.buffers[partition]) < writtenAtOnce {
		return nil
	}
	return w.flushOne(partition)
}

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

// each calls take with the records of a partition, piece by piece.
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

// entry identifies a total: the cell in the other dimensions (four bytes), and the digest of the key.
type entry [ContentBytes]byte

func (e *entry) digest() digest { return digest(e[bounding.CellBytes:]) }

// totals adds up width numbers for each entry.
type totals struct {
	width   int
	index   map[entry]int32
	numbers int128.Slice
	outside written
}

func newTotals(width int, s bounding.Spill) *totals {
	return &totals{width: width, index: map[entry]int32{}, outside: written{spill: s}}
}

// at returns the index in t.numbers of the first number of an entry. It adds a new entry with zeros.
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

// add adds numbers to those of an entry.
func (t *totals) add(e *entry, numbers int128.Slice) {
	at := t.at(e)
	for i := range t.width {
		t.numbers.Add(at+i, numbers.At(i))
	}
}

// bytes returns the approximate memory of the totals.
func (t *totals) bytes() int64 {
	return int64(len(t.index)) * int64(bytesOfTotal+bytesOfNumber*t.width)
}

// full reports whether there is no room for another entry in memory.
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

// each calls take for all entries, in memory and in the spill. An entry may come several times, each time with a part
// of its sums.
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

// size returns an upper bound on the number of entries.
func (t *totals) size() uint64 { return uint64(len(t.index)) + t.outside.records }

// merge adds the sums of o and empties o.
func (t *totals) merge(o *totals) {
	for e, slot := range o.index {
		t.add(&e, o.numbers.Cut(int(slot)*t.width, int(slot+1)*t.width))
	}
	o.forget()
	t.outside.merge(&o.outside)
}

// names maps the digests of keys to the keys.
type names struct {
	held    map[digest]string
	texts   int64
	outside written
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

// bytes returns the approximate memory of the keys.
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

// eachWritten calls take for each key of a partition in the spill. A key may come several times.
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

// share is how many bytes an accumulator may hold. It is read from the spill once, after all accumulators have joined.
type share struct {
	spill bounding.Spill
	bytes int64
}

func (s *share) most() int64 {
	switch {
	case s.spill == nil:
		return math.MaxInt64
	case s.bytes == 0:
		s.bytes = s.spill.Share()
	}
	return s.bytes
}
