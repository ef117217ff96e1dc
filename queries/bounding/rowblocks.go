package bounding

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math"
	"slices"

	"github.com/dprelease/dprelease/queries/internal/intern"
	"github.com/dprelease/dprelease/queries/internal/state"
)

// Rows of units in blocks
//
// A process saves its rows in blocks, which another process loads. Each block can be read without the others. If units
// are integers, a record begins with its unit. If units have text, the block holds each text once, before the records,
// and a record begins with the text's number. A block is
//
//	the shape of its records                                      (to refuse the rows of another query)
//	the number of texts, then each text after its length          (if units have text)
//	the length of the single records, then these records, with packed contents
//	the length of the counted records, then these records, with unpacked contents, each followed by its multiplicity
//
// The process that loads a block chooses partitions by its own hashes. The length of a record must not depend on
// private values, because others see the length of an encrypted block. If, for example, a block left out bytes that all
// of its records have in common, its length would reveal whether two rows are in the same cell.

// BlockBytes is the approximate length of a block. A block with a longer text is longer.
const BlockBytes = 1 << 20

// saving fills one block for each bucket. A hash assigns units to buckets, the same in all processes of a run.
type saving struct {
	*Rows
	buckets intern.Buckets
	limit   int     // a block with at least this many bytes is full
	blocks  []block // by bucket
	emit    func(bucket int, write func(*state.Writer)) error
	texts   []textOf // the texts of the records that are being saved
	number  uint32   // set by putTextOf: the number of the record's text in its block
	err     error
}

// block is the content of a block that is being filled.
type block struct {
	texts           [][]byte
	bytes           int // total length of the texts
	single, counted []byte
	generation      uint32 // the block's number among the blocks of its bucket, from 1
}

// textOf is a text of a segment: its bucket, and its number in the bucket's block of this generation.
type textOf struct {
	text       []byte
	bucket     int
	number     uint32
	generation uint32
}

// Save passes all rows to emit in blocks of about limit bytes, and empties r. It calls emit on its own goroutine; emit
// calls write to write the block. Errors are errors of the spill and of emit.
func (r *Rows) Save(b intern.Buckets, limit int, emit func(bucket int, write func(*state.Writer)) error) error {
	if r.failed != nil {
		return r.failed
	}
	s := &saving{Rows: r, buckets: b, limit: limit, blocks: make([]block, b.Number()), emit: emit}
	for i := range s.blocks {
		s.blocks[i].generation = 1
	}
	g := newGatherer(r)
	r.endSegments()
	for i := range r.partitions {
		for k := range r.partitions[i].ended {
			if err := s.saveSegment(g, &r.partitions[i].ended[k]); err != nil {
				return err
			}
		}
		r.partitions[i] = partition{}
	}
	for bucket := range s.blocks {
		s.end(bucket)
	}
	return s.err
}

// saveSegment puts the records of a segment into blocks.
func (s *saving) saveSegment(g *gatherer, from *segment) error {
	if err := s.spill.Err(); err != nil {
		return err
	}
	err := g.read(from, segmentReader{
		startTexts: func() { s.texts = s.texts[:0] },
		text: func(unit []byte) {
			s.texts = append(s.texts, textOf{text: bytes.Clone(unit), bucket: s.buckets.OfText(unit)})
		},
		single:  func(records []byte) { s.saveRecords(records, s.packedWidth()) },
		counted: func(records []byte) { s.saveRecords(records, s.packedWidth()+countBytes) },
	})
	return cmp.Or(err, s.err)
}

// timesBytes is the length of a multiplicity in a block.
const timesBytes = 8

// saveRecords copies records of width bytes into the blocks of their units' buckets.
func (s *saving) saveRecords(records []byte, width int) {
	for ; len(records) >= width; records = records[width:] {
		var b *block
		if s.units.HasText() {
			b = s.putTextOf(records)
		} else {
			b = s.roomIn(s.buckets.OfWords(records[:s.key]))
		}
		if width == s.packedWidth() {
			n := len(b.single)
			b.single = append(b.single, records[:width]...)
			if s.units.HasText() {
				binary.LittleEndian.PutUint32(b.single[n:], s.number)
			}
			continue
		}
		to := &b.counted
		if s.units.HasText() {
			*to = binary.LittleEndian.AppendUint32(*to, s.number)
		} else {
			*to = append(*to, records[:s.key]...)
		}
		n := len(*to)
		*to = slices.Grow(*to, s.Size)[:n+s.Size]
		s.unpack((*to)[n:], records[s.key:])
		*to = binary.LittleEndian.AppendUint64(*to, uint64(binary.LittleEndian.Uint32(records[s.packedWidth():])))
	}
}

// putTextOf copies the text of a record's unit into the block of its bucket, unless the block has the text. It returns
// the block and sets s.number.
func (s *saving) putTextOf(record []byte) *block {
	t := &s.texts[binary.LittleEndian.Uint32(record)]
	b := s.roomIn(t.bucket)
	if t.generation != b.generation {
		t.number, t.generation = uint32(len(b.texts)), b.generation
		b.texts = append(b.texts, t.text)
		b.bytes += len(t.text)
	}
	s.number = t.number
	return b
}

// roomIn returns the block of a bucket, which is not full: a full block is emitted first.
func (s *saving) roomIn(bucket int) *block {
	b := &s.blocks[bucket]
	if b.bytes+len(b.single)+len(b.counted) >= s.limit {
		s.end(bucket)
	}
	return b
}

// end emits the block of a bucket, unless it is empty.
func (s *saving) end(bucket int) {
	b := &s.blocks[bucket]
	if len(b.single)+len(b.counted) > 0 && s.err == nil {
		s.err = s.emit(bucket, func(w *state.Writer) { s.write(b, w) })
	}
	*b = block{single: b.single[:0], counted: b.counted[:0], generation: b.generation + 1}
}

func (s *saving) write(b *block, w *state.Writer) {
	for _, n := range s.shape() {
		w.Uint(n)
	}
	if s.units.HasText() {
		w.Uint(uint64(len(b.texts)))
		for _, t := range b.texts {
			w.Bytes(t)
		}
	}
	w.Bytes(b.single)
	w.Bytes(b.counted)
}

// shape describes the records: their length in bytes with packed and with unpacked contents, the length of their keys,
// and 1 if units have text. Two stores with equal shapes can exchange blocks.
func (r *Rows) shape() [4]uint64 {
	s := [4]uint64{uint64(r.packedWidth()), uint64(r.key + r.Size), uint64(r.key)}
	if r.units.HasText() {
		s[3] = 1
	}
	return s
}

// maxBlock is an upper bound on the length of a block's records and of a text: a text in a file has fewer than 2^31
// bytes.
const maxBlock = 1<<31 - 1

// loadedText is a text of a block that is being loaded, or of a segment that is being divided, with its hash and, once
// it has one, its number in the partition.
type loadedText struct {
	text []byte
	unit cachedUnit
}

func (r *Rows) loaded(text []byte) loadedText {
	return loadedText{text, cachedUnit{hash: r.units.Hash(textSeed, text)}}
}

// Load adds the rows of a block. valid reports whether the query can have an unpacked content. Errors are
// state.ErrState, if the block is malformed or of another query, and errors of the spill.
func (r *Rows) Load(from *state.Reader, valid func(content []byte) bool) error {
	if r.failed != nil {
		return r.failed
	}
	for _, n := range r.shape() {
		from.Expect(n)
	}
	r.split(0)
	r.writeContents()
	var texts []loadedText
	if r.units.HasText() {
		for left := from.Uint(); left > 0 && from.Err() == nil; left-- {
			text := from.Bytes(maxBlock)
			if !r.units.IsUnit(text) {
				return from.Fail()
			}
			texts = append(texts, r.loaded(text))
		}
	}
	if !r.loadSingle(from.Block(maxBlock), texts, valid) {
		return from.Fail()
	}
	records, width := from.Block(maxBlock), r.key+r.Size+timesBytes
	if from.Err() != nil || len(records)%width != 0 {
		return from.Fail()
	}
	for ; len(records) > 0; records = records[width:] {
		if !r.loadRecord(records[:width], texts, valid) {
			return from.Fail()
		}
		if r.failed != nil {
			return r.failed
		}
	}
	return r.failed
}

// loadSingle adds records of one row each, with packed contents. It returns false if a record is invalid.
func (r *Rows) loadSingle(records []byte, texts []loadedText, valid func(content []byte) bool) bool {
	width := r.packedWidth()
	if len(records)%width != 0 {
		return false
	}
	whole := make([]byte, r.key+r.Size)
	content := whole[r.key:]
	for ; len(records) > 0 && r.failed == nil; records = records[width:] {
		record := records[:width]
		r.unpack(content, record[r.key:])
		if r.units.HasText() {
			copy(whole, record[:r.key])
			if !r.loadRecord(whole, texts, valid) {
				return false
			}
			continue
		}
		if !valid(content) {
			return false
		}
		copy(r.appendRecord(r.partitionOf(hashBytes(record[:r.key]))), record)
	}
	return true
}

// loadRecord adds a record with an unpacked content and, in a counted record, a multiplicity. It returns false if the
// record is invalid.
func (r *Rows) loadRecord(record []byte, texts []loadedText, valid func(content []byte) bool) bool {
	key, content, number := record[:r.key], record[r.key:r.key+r.Size], record[r.key+r.Size:]
	if !valid(content) {
		return false
	}
	times := uint64(1)
	if len(number) > 0 {
		times = binary.LittleEndian.Uint64(number)
	}
	if times == 0 || times > maxTimes {
		return false
	}
	if !r.units.HasText() {
		return r.addLoaded(r.partitionOf(hashBytes(key)), content, times, func(to []byte) { copy(to, key) })
	}
	at := binary.LittleEndian.Uint32(key)
	if uint64(at) >= uint64(len(texts)) {
		return false
	}
	t := &texts[at]
	return r.addLoaded(r.partitionOf(t.unit.hash), content, times, func(to []byte) { r.putLoaded(to, t) })
}

// putLoaded writes the number of a text to the record that was appended last. Appending a record may spill the texts of
// its partition, so that their numbers change.
func (r *Rows) putLoaded(record []byte, t *loadedText) {
	if t.unit.generation != r.unitCache.generation {
		t.unit.id, t.unit.generation = r.numberText(t.unit.hash, t.text), r.unitCache.generation
	}
	binary.LittleEndian.PutUint32(record, t.unit.id)
}

// maxTimes is the largest multiplicity that Load accepts, because a table has at most 2^48 rows.
const maxTimes = 1 << 48

// addLoaded adds a record with a multiplicity to a partition. putKey writes the record's key: the unit's integers, or
// the number of its text. addLoaded returns false if the content is out of range.
func (r *Rows) addLoaded(partition uint64, content []byte, times uint64, putKey func(to []byte)) bool {
	if times == 1 {
		to := r.appendRecord(partition)
		putKey(to)
		return r.pack(to[r.key:], content)
	}
	for times > 0 {
		some := min(times, math.MaxUint32)
		to := r.appendCountedRecord(partition)
		putKey(to)
		if !r.pack(to[r.key:r.width], content) {
			return false
		}
		binary.LittleEndian.PutUint32(to[r.width:], uint32(some))
		times -= some
	}
	return true
}

// appendCountedRecord appends an empty counted record to a partition and returns it.
func (r *Rows) appendCountedRecord(partition uint64) []byte {
	width := r.width + countBytes
	p := &r.partitions[partition]
	last := len(p.counted) - 1
	if last < 0 || len(p.counted[last])+width > cap(p.counted[last]) {
		size := firstRows * width
		if last >= 0 {
			size = max(size, min(2*cap(p.counted[last]), r.chunk()/r.width*width))
		}
		if r.failed == nil {
			r.fail(r.makeRoom(partition, int64(size)))
		}
		p.counted = append(p.counted, make([]byte, 0, size))
		r.held += int64(size)
		last = len(p.counted) - 1
	}
	c := p.counted[last]
	c = c[:len(c)+width]
	p.counted[last] = c
	return c[len(c)-width:]
}

// Save does the same as [Rows.Save] for queries that share records. The first query saves the rows of all queries; for
// the others, Save does nothing.
func (p *QueryRows) Save(b intern.Buckets, limit int, emit func(bucket int, write func(*state.Writer)) error) error {
	if p.number > 0 {
		return nil
	}
	return p.store.Save(b, limit, emit)
}

// First reports whether this is the first query of those that share records, which saves and loads the rows of all.
func (p *QueryRows) First() bool { return p.number == 0 }

// LoadTogether adds the rows of a block to queries that share records. valid[i] reports whether query i can have an
// unpacked content. Errors are those of [Rows.Load].
func LoadTogether(parts []*QueryRows, from *state.Reader, valid []func(content []byte) bool) error {
	s := parts[0].store
	return s.Load(from, func(content []byte) bool {
		// rows that count nowhere are stored only if there is a sample, in which they take up places
		countsNowhere := !anyBit(content[:s.maskBytes])
		unknownBits := len(parts) < 8*s.maskBytes && content[s.maskBytes-1]>>(len(parts)%8) != 0
		if countsNowhere && s.sample == nil || unknownBits {
			return false
		}
		for i, p := range parts {
			if p.has(content) {
				if !valid[i](p.own(content)) {
					return false
				}
			} else if anyBit(p.own(content)) {
				return false
			}
		}
		return true
	})
}
