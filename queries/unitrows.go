package queries

import (
	"encoding/binary"
	"errors"
	"hash/maphash"
	"slices"

	"github.com/dprelease/dprelease/io/table"
)

// The rows of units
//
// A query whose privacy unit is made of columns keeps of every row its unit and its content, that is its cell and, where
// values are added up, its value; bounds are enforced on the whole of a unit's rows when all are known. Records are
// appended, nothing is looked up, to one of 256 parts that a hash of the unit chooses: all rows of a unit are in one part.
// Parts are small enough to be grouped by unit in the processor's cache, by several goroutines. What does not fit in memory is
// written to the [Spill].

const (
	partBits   = 8
	partitions = 1 << partBits
	chunkBytes = 16 << 10
	firstRows  = 16 // of the first chunk of a part
)

// The hashes that choose parts, the same for all accumulators of the process. No answer depends on them, and their random seeds
// keep made-up units from falling in one part.
var (
	wordSeed = newHashSeed()
	textSeed = maphash.MakeSeed()
)

// recordShape is the bytes of a record: the words of its unit, or the number of its text among the part's in four bytes; then
// its content: the cell in four bytes and each component of the value in eight, big-endian.
type recordShape struct {
	key, width int
	cellWidth  int // bytes of the content that are its cell
}

// Errors in the use of an accumulator.
var (
	// errSpent says that the accumulator was sealed, or merged into another.
	errSpent = errors.New("queries: the accumulator is sealed or merged")
	// errMerge says that the accumulators are of different queries.
	errMerge = errors.New("queries: accumulators of different queries cannot be merged")
)

// unitRows keeps the rows of units.
type unitRows struct {
	units *units
	recordShape
	spill  Spill
	open   [partitions][]byte // the last chunk of each part
	parts  [partitions]unitPart
	known  knownUnits
	free   [][]byte // chunks that were emptied
	held   int64    // bytes in memory, with free ones
	dense  density
	failed error // the first error of the spill
}

// newUnitRows returns an empty store of rows whose contents are a cell of cellWidth bytes and values of some components.
func newUnitRows(u *units, cellWidth, components int, s Spill) *unitRows {
	key := 8 * len(u.columns)
	if u.text {
		key = 4
	}
	if s == nil {
		s = inMemory{}
	}
	s.Join()
	return &unitRows{
		units: u, known: knownUnits{generation: 1}, dense: density{next: firstLook},
		recordShape: recordShape{key, key + cellWidth + 8*components, cellWidth}, spill: s,
	}
}

// addCells keeps the units and cells of the rows of a batch that have both.
func (r *unitRows) addCells(b *table.Batch, cells []int32) error {
	if err := r.start(b, cells); err != nil {
		return err
	}
	if !r.units.text && len(r.units.columns) == 1 {
		r.addWords(cells)
		return r.failed
	}
	for row, cell := range cells {
		if cell >= 0 {
			binary.BigEndian.PutUint32(r.record(row), uint32(cell))
		}
	}
	return r.failed
}

// start reads the units of a batch, after which record may be called for each row whose cell is not dropped.
func (r *unitRows) start(b *table.Batch, cells []int32) error {
	if r.failed != nil {
		return r.failed
	}
	if err := r.units.open(b, cells); err != nil {
		return err
	}
	r.known.open(r.units)
	return nil
}

// addWords is addCells where the unit is one word.
func (r *unitRows) addWords(cells []int32) {
	words := r.units.words[:len(cells)]
	for row, cell := range cells {
		if cell < 0 {
			continue
		}
		word := words[row]
		record := r.next(wordSeed.of(word) >> (64 - partBits))
		binary.LittleEndian.PutUint64(record, word)
		binary.BigEndian.PutUint32(record[8:], uint32(cell))
	}
}

// record makes a record of a row's unit and returns the place of its content.
func (r *unitRows) record(row int) []byte {
	if r.units.text {
		return r.textRecord(row)
	}
	words := r.units.wordsOf(row)
	record := r.next(hashWords(words) >> (64 - partBits))
	for i, w := range words {
		binary.LittleEndian.PutUint64(record[8*i:], w)
	}
	return record[r.key:]
}

func hashWords(words []uint64) uint64 {
	hash := uint64(0)
	for _, w := range words {
		hash = wordSeed.of(w ^ hash)
	}
	return hash
}

// textRecord is record where the unit has text: its number among the part's texts stands for it.
func (r *unitRows) textRecord(row int) []byte {
	k := r.known.of(row)
	if k.generation == 0 {
		k.part = uint8(maphash.Bytes(textSeed, r.units.bytesOf(row)) >> (64 - partBits))
	}
	record := r.next(uint64(k.part)) // this may spill the part's texts
	if k.generation != r.known.generation {
		k.id, k.generation = r.number(k.part, r.units.bytesOf(row)), r.known.generation
	}
	binary.LittleEndian.PutUint32(record, k.id)
	return record[r.key:]
}

// number returns the number of a unit among the texts of its part.
func (r *unitRows) number(part uint8, unit []byte) uint32 {
	p := &r.parts[part]
	if p.texts == nil {
		p.texts = newTexts()
	}
	before := p.texts.len()
	id := p.texts.id(unit)
	if id < 0 {
		r.fail(errUnits)
		return 0
	}
	if p.texts.len() > before {
		r.held += int64(len(unit)) + textBytes
	}
	return uint32(id)
}

// next makes room for a record in a part.
func (r *unitRows) next(part uint64) []byte {
	o := r.open[part]
	n := len(o)
	if n+r.width > cap(o) {
		return r.turn(part)
	}
	o = o[:n+r.width]
	r.open[part] = o
	return o[n:]
}

// turn starts the next chunk of a part, after making room for it where memory is short, and makes room for a record.
func (r *unitRows) turn(part uint64) []byte {
	size := min(max(2*cap(r.open[part]), firstRows*r.width), r.chunk())
	if r.failed == nil && len(r.free) == 0 {
		r.fail(r.makeRoom(part, int64(size)))
	}
	if o := r.open[part]; len(o) > 0 {
		r.parts[part].single.chunks = append(r.parts[part].single.chunks, o)
	}
	var o []byte
	if n := len(r.free); n > 0 {
		o, r.free = r.free[n-1], r.free[:n-1]
	} else {
		o = make([]byte, 0, size)
		r.held += int64(size)
	}
	r.open[part] = o[:r.width]
	return r.open[part]
}

func (r *unitRows) fail(err error) {
	if r.failed == nil {
		r.failed = err
	}
}

// merge takes in all rows of o and empties it. Of accumulators that are spent there are none.
func (r *unitRows) merge(o *unitRows) error {
	switch {
	case r == nil || o == nil:
		return errSpent
	case !r.units.same(o.units):
		return errMerge
	}
	r.fail(o.failed)
	for i := range r.parts {
		r.close(i)
		o.close(i)
		r.parts[i].ended = append(r.parts[i].ended, o.parts[i].ended...)
		o.parts[i] = unitPart{}
	}
	r.held += o.held
	r.known.generation++
	r.free, o.free = slices.Concat(r.free, o.free), nil
	return nil
}

// failure returns the first error of the spill.
func (r *unitRows) failure() error { return r.failed }
