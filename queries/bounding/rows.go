// Package bounding stores the rows of privacy units and reduces each unit's rows to a query's [Limits].
//
// If the privacy unit is made of columns, a query stores a record for every row: the unit and the row's content, which
// is its cell and, if values are added up, its value. Bounds can be enforced only when all rows of a unit are known. A
// hash of the unit chooses one of up to 256 partitions, to which the record is appended without any lookup. So all rows
// of a unit are in one partition, and a partition is small enough for the processor's cache when it is grouped by unit.
// Several goroutines bound partitions at a time. Data that does not fit in memory is written to the [Spill].
//
// A partition is a list of segments; the records of a segment are in memory (in chunks) or in the spill (in pieces). To
// bound a partition, a gatherer numbers its units and its rows; a row's number is called ref. A slot is all rows of one
// unit with the same content. If several queries share records, their contents are long but few are different: the
// store keeps each content once, and records hold content numbers.
//
//	rows.go         appends records to partitions (partition.go)
//	staged.go       holds rows whose unit is text until the texts are numbered (texts.go, unitcache.go)
//	packing.go      stores contents in few bytes; contents.go numbers them
//	makeroom.go     merges equal records (repeats.go) and writes to the spill
//	rowblocks.go    saves and loads rows in blocks
//	bound.go        bounds all partitions: gather.go groups one by unit (slots.go), and unitbounder.go bounds its units;
//	                divide.go divides a partition that does not fit in memory, oversized.go bounds units that do not
//	sampler.go      chooses a unit's rows by the smallest digests (messages.go, digests.go, bottomk.go)
//	shared.go       lets several queries share records; ranked.go keeps rows for a bound that is chosen later
//	sampleby.go     chooses a unit's rows once for all queries, by columns that the job names
package bounding

import (
	"encoding/binary"
	"errors"
	"hash/maphash"
	"math"
	"slices"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/internal/columnar"

	"github.com/dprelease/dprelease/queries/internal/intern"
	"github.com/dprelease/dprelease/queries/internal/units"
)

const (
	chunkBytes = 16 << 10 // the approximate largest size of a chunk
	firstRows  = 16       // the number of records in the first chunk of a partition
)

// firstSearch is the size in bytes at which a store first searches for equal records.
const firstSearch = 8 << 20

// wordSeed and textSeed seed the hashes that choose partitions, the same for all stores of the process. They are
// random, so that an adversary cannot choose units that all fall in one partition. No answer depends on them.
var (
	wordSeed = intern.NewHashSeed()
	textSeed = maphash.MakeSeed()
)

// recordShape describes records. A record begins with a key: the unit's integers in eight bytes each, or the number of
// its text in the partition in four bytes. The packed content or the content number follows.
type recordShape struct {
	key, width int // the length in bytes of the key, and of the record
	packing
	cellWidth int   // the first cellWidth bytes of a content are the cell
	cells     int64 // the number of cells; math.MaxInt64 if cells are not numbered
}

// packedWidth returns the length of a record that holds a packed content instead of a content number.
func (s *recordShape) packedWidth() int { return s.key + s.Packed }

// contentWidth returns the length of the packed content, or of the content number, in a record.
func (s *recordShape) contentWidth() int { return s.width - s.key }

// Errors of callers that use accumulators wrongly.
var (
	// ErrSpent means that the accumulator has given its totals, or was merged into another accumulator.
	ErrSpent = errors.New("queries: the accumulator has given its totals, or was merged")
	// ErrMerge means that accumulators of different queries cannot be merged.
	ErrMerge = errors.New("queries: accumulators of different queries cannot be merged")
)

// Rows stores the rows of all units that one worker has read.
type Rows struct {
	units *units.Reader
	recordShape
	spill      Spill
	partitions []partition // nil before the first record
	open       [][]byte    // the chunk of each partition to which records are appended
	shift      uint8       // partitionOf shifts a hash right by this many bits
	unitCache  unitCache
	staged     staging
	shared     bool            // several queries share the records
	maskBytes  int             // if shared: the length in bytes of the queries' bits, with which a content begins
	sample     *Sample         // chooses rows for all queries; nil if each query chooses its own
	numbers    *contentNumbers // numbers the contents; nil if records hold contents
	free       [][]byte        // empty chunks to be used again
	held       int64           // bytes in memory, including free chunks but not staged rows
	nextSearch int64           // the value of held at which the next search for equal records starts
	making     bool            // makeRoom is running
	repeats    repeats
	pending    pendingContents
	failed     error // the first error of the spill
}

// pendingContents holds the contents of some rows of the current batch, one after the other, until the batch ends. rows
// lists their indexes.
type pendingContents struct {
	rows     []int32
	contents []byte
}

// add appends an empty content of size bytes for a row and returns it.
func (p *pendingContents) add(row, size int) []byte {
	p.rows = append(p.rows, int32(row))
	n := len(p.contents)
	p.contents = slices.Grow(p.contents, size)[:n+size]
	return p.contents[n:]
}

// NewRows returns an empty store. A row's content has the given fields; its first cellWidth bytes are the cell. A nil
// spill means unlimited memory.
func NewRows(u *units.Reader, cellWidth int, content []Field, s Spill) *Rows {
	key := 8 * u.Columns()
	if u.HasText() {
		key = 4
	}
	if s == nil {
		s = inMemory{}
	}
	s.Join()
	shape := recordShape{key: key, cellWidth: cellWidth, cells: math.MaxInt64}
	if cellWidth == CellBytes {
		shape.cells = content[0].Max + 1
	}
	shape.add(content)
	shape.width = key + shape.Packed
	return &Rows{units: u, unitCache: unitCache{generation: 1}, nextSearch: firstSearch, recordShape: shape, spill: s}
}

// AddCells stores the rows of a batch for a query that only counts rows: cells[i] is the cell of row i, or negative if
// the row has none. It skips rows without a unit or a cell.
func (r *Rows) AddCells(b *table.Batch, cells []int32) error {
	if err := r.Start(b, cells); err != nil {
		return err
	}
	if !r.units.HasText() && r.units.Columns() == 1 {
		if !r.addWords(cells) {
			return columnar.ErrShape
		}
		return r.failed
	}
	for row, cell := range cells {
		if cell >= 0 && putLow(r.record(row), uint64(cell)) > 0 {
			return columnar.ErrShape
		}
	}
	return r.failed
}

// Start reads the units of a batch and sets cells[i] to Dropped if row i has no unit. Then Record may be called for
// each row whose cell is not Dropped, and EndBatch stores these rows.
func (r *Rows) Start(b *table.Batch, cells []int32) error {
	r.pending.rows, r.pending.contents = r.pending.rows[:0], r.pending.contents[:0]
	if r.failed != nil {
		return r.failed
	}
	if err := r.units.Open(b, cells); err != nil {
		return err
	}
	r.split(0)
	r.unitCache.startBatch(r.units, r.spill.Share())
	return nil
}

// addWords does the same as AddCells if the unit is one integer. It returns false if a cell is out of range.
func (r *Rows) addWords(cells []int32) bool {
	words, rest := r.units.AllWords()[:len(cells)], uint64(0)
	for row, cell := range cells {
		if cell < 0 {
			continue
		}
		word := words[row]
		record := r.appendRecord(r.partitionOf(wordSeed.Of(word)))
		binary.LittleEndian.PutUint64(record, word)
		rest |= putLow(record[8:], uint64(cell))
	}
	return rest == 0
}

// Record returns an empty content for a row. The caller fills it before EndBatch.
func (r *Rows) Record(row int) []byte { return r.pending.add(row, r.Size) }

// EndBatch stores the rows of the batch for which Record was called.
func (r *Rows) EndBatch() error {
	for i, row := range r.pending.rows {
		if !r.pack(r.record(int(row)), r.pending.contents[i*r.Size:]) {
			return columnar.ErrShape
		}
	}
	r.pending.rows, r.pending.contents = r.pending.rows[:0], r.pending.contents[:0]
	return r.failed
}

// record appends a record with the unit of a row and returns the bytes for its content.
func (r *Rows) record(row int) []byte {
	if r.units.HasText() {
		return r.textRecord(row)
	}
	words := r.units.Uint64s(row)
	record := r.appendRecord(r.partitionOf(hashWords(words)))
	for i, w := range words {
		binary.LittleEndian.PutUint64(record[8*i:], w)
	}
	return record[r.key:]
}

func hashWords(words []uint64) uint64 {
	hash := uint64(0)
	for _, w := range words {
		hash = wordSeed.Of(w ^ hash)
	}
	return hash
}

// appendRecord appends an empty record to a partition and returns it.
func (r *Rows) appendRecord(partition uint64) []byte {
	o := r.open[partition]
	n := len(o)
	if n+r.width > cap(o) {
		return r.startChunk(partition)
	}
	o = o[:n+r.width]
	r.open[partition] = o
	return o[n:]
}

// startChunk starts the next chunk of a partition and returns the chunk's first record, which is empty. If memory is
// short, it frees memory first.
func (r *Rows) startChunk(partition uint64) []byte {
	size := min(max(2*cap(r.open[partition]), firstRows*r.width), r.chunk())
	if r.failed == nil && (len(r.free) == 0 || r.numbersRunOut(partition)) {
		r.fail(r.makeRoom(partition, int64(size)))
	}
	r.closeChunk(partition)
	var o []byte
	if n := len(r.free); n > 0 {
		o, r.free = r.free[n-1], r.free[:n-1]
	} else {
		o = make([]byte, 0, size)
		r.held += int64(size)
	}
	r.open[partition] = o[:r.width]
	return r.open[partition]
}

// closeChunk adds the open chunk of a partition to the partition's chunks.
func (r *Rows) closeChunk(partition uint64) {
	if o := r.open[partition]; len(o) > 0 {
		r.partitions[partition].single = append(r.partitions[partition].single, o)
	}
	r.open[partition] = nil
}

func (r *Rows) fail(err error) {
	if r.failed == nil {
		r.failed = err
	}
}

// Merge moves all rows of o to r.
func (r *Rows) Merge(o *Rows) error {
	switch {
	case r == nil || o == nil:
		return ErrSpent
	case !r.units.Same(o.units):
		return ErrMerge
	}
	r.endSegments()
	o.endSegments()
	r.mergePartitions(o)
	r.staged.drop()
	o.staged.drop()
	r.fail(o.failed)
	r.held += o.held
	r.unitCache.generation++
	for _, c := range o.free {
		if o.width == r.width {
			r.free = append(r.free, c)
		} else { // a record may be longer than the chunk
			r.held -= int64(cap(c))
		}
	}
	o.free = nil
	return nil
}

// mergePartitions moves the ended segments of o to r. If one of the two has fewer partitions, so does r afterwards:
// partitions are numbered by the first bits of hashes, so that some consecutive partitions become one.
func (r *Rows) mergePartitions(o *Rows) {
	if len(r.partitions) == 0 || len(o.partitions) > 0 && len(o.partitions) < len(r.partitions) {
		r.partitions, r.open, r.shift, r.staged, o.partitions, o.open, o.shift, o.staged =
			o.partitions, o.open, o.shift, o.staged, r.partitions, r.open, r.shift, r.staged
	}
	for i := range o.partitions {
		p := &r.partitions[i*len(r.partitions)/len(o.partitions)]
		p.ended = append(p.ended, o.partitions[i].ended...)
	}
	o.partitions = nil
}

// Failure returns the first error of the spill.
func (r *Rows) Failure() error { return r.failed }
