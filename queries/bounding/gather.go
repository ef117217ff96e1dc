package bounding

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"

	"github.com/dprelease/dprelease/queries/internal/columnar"

	"github.com/dprelease/dprelease/queries/internal/intern"
)

// errTooManyRows means that the rows of a pass do not fit in memory.
var errTooManyRows = errors.New("queries: the rows of a pass do not fit")

// gatherer groups the rows of one partition after the other by unit.
type gatherer struct {
	*Rows
	pass pass
	room int64 // approximately, in bytes; 0 if there is no bound
	// the units by number, the skipped ones first; words is used if a unit is a word, texts otherwise
	words *intern.Uint64s
	texts *intern.Texts
	skip  setAside
	grouped
	unit unitSlots
	all  *allContents // nil if records hold their contents
	// working memory for one segment
	buf      []byte
	expanded []byte
	numbers  []int32
	placed   []uint32 // indices of the segment's contents among all contents
}

// setAside holds oversized units, which are bounded one at a time.
type setAside struct {
	units [][]byte
	bytes int64 // bytes of the segment's texts in the gatherer's texts
}

// unitSlots groups the rows of one unit: rows with the same content are one slot.
type unitSlots struct {
	id     int32
	slots  []slot
	table  []uint32 // index of a slot + 1, by a hash of its content
	cells  []slot   // by cell
	sorted []uint64 // cells, and indices of slots
	of     []uint32 // index of the slot of a content + 1, by the content's index among all; 0 between units
	starts []uint32 // where each cell begins among the slots
}

// grouped holds rows grouped by unit: the content and the unit of each row, and the end of each unit's rows in order.
type grouped struct {
	contents []byte
	places   []uint32 // indices of contents, if they are numbered
	ids      []int32
	ends     []uint32
	order    []uint32
	counts   []uint64 // the multiplicity of each row; empty if each row occurs once
}

// countOf returns the multiplicity of a row.
func (g *grouped) countOf(ref uint32) uint64 {
	if len(g.counts) == 0 {
		return 1
	}
	return g.counts[ref]
}

// pass selects the units of a partition that are gathered at a time, by some bits of their hash.
type pass struct{ bits, mask uint64 }

// has reports whether a unit with that hash is in the pass.
func (p pass) has(hash uint64) bool { return hash>>(64-partitionBits-24)&p.mask == p.bits }

// halves cuts a pass into two.
func (p pass) halves() (one, other pass) {
	return pass{p.bits, 2*p.mask + 1}, pass{p.bits | (p.mask + 1), 2*p.mask + 1}
}

const maxPasses = 1 << 24

func newGatherer(r *Rows) *gatherer {
	return &gatherer{Rows: r, words: intern.NewUint64s(), texts: intern.NewTexts()}
}

// gather groups the rows of segments of a partition that are in the pass and whose units are not skipped.
func (g *gatherer) gather(segments []segment, in pass) error {
	g.pass = in
	g.forget()
	for _, unit := range g.skip.units {
		g.unitOf(unit)
	}
	g.skip.bytes = g.texts.Bytes()
	for i := range segments {
		if err := g.segment(&segments[i]); err != nil {
			return err
		}
	}
	if len(g.counts) > 0 {
		g.countUpTo(len(g.ids))
	}
	g.group()
	return nil
}

// forget drops all units and rows.
func (g *gatherer) forget() {
	g.words.Reset()
	g.texts.Reset()
	g.contents, g.places, g.ids, g.counts = g.contents[:0], g.places[:0], g.ids[:0], g.counts[:0]
}

// perRow is the memory of a gathered row besides its record: its unit, its index in order, and a unit of its own.
const perRow = 4 + 4 + 24

// fits returns errTooManyRows if the rows or the texts do not fit in memory. Without rows, texts always fit: a text
// longer than the memory has rows, and these show that its unit is oversized.
func (g *gatherer) fits() error {
	size := g.key + g.Size + perRow
	if g.all != nil {
		size = 4 + perRow
	}
	n := int64(len(g.ids))
	if n >= math.MaxInt32/2 || g.room > 0 && n > 0 && n*int64(size)+3*(g.texts.Bytes()-g.skip.bytes) > g.room {
		return errTooManyRows
	}
	return nil
}

func (g *gatherer) segment(s *segment) error {
	g.numbers = g.numbers[:0]
	if err := g.names(s, g.name); err != nil {
		return err
	}
	if g.all != nil {
		g.placed = g.all.places(s.numbers)
		if err := g.records(s, &s.single, 0, func(records []byte) { g.addNumbered(records, 0) }); err != nil {
			return err
		}
		return g.records(s, &s.counted, countBytes, func(records []byte) { g.addNumbered(records, countBytes) })
	}
	if err := g.records(s, &s.single, 0, g.addRecords); err != nil {
		return err
	}
	return g.records(s, &s.counted, countBytes, g.addCounted)
}

// expandedRecords is the number of records whose numbers are replaced by contents at a time: contents for many queries
// are long.
const expandedRecords = 1 << 12

// records passes the records of a segment to add, as long as the result fits. more is the number of bytes after each
// record. Records contain their contents unless the gatherer has the list of all contents.
func (g *gatherer) records(s *segment, r *records, more int, add func([]byte)) error {
	if s.numbers != nil && g.all == nil {
		addWhole := add
		add = func(records []byte) {
			for some := range slices.Chunk(records, expandedRecords*(g.key+numberWidth+more)) {
				g.expanded = s.numbers.expand(g.expanded[:0], some, g.key, more)
				addWhole(g.expanded)
			}
		}
	}
	for _, c := range r.chunks {
		if add(c); g.fits() != nil {
			return errTooManyRows
		}
	}
	for _, x := range r.outside {
		if err := g.read(x); err != nil {
			return err
		}
		if add(g.buf); g.fits() != nil {
			return errTooManyRows
		}
	}
	return nil
}

// read gets a piece into buf.
func (g *gatherer) read(x piece) error {
	g.buf = columnar.Resize(g.buf, int(x.size))
	return g.spill.Read(g.buf, x.at)
}

// names passes the texts of a segment to take, in the order of their numbers.
func (g *gatherer) names(s *segment, take func(unit []byte)) error {
	if s.texts != nil {
		for i := range s.texts.Len() {
			take(s.texts.At(int32(i)))
		}
	}
	for _, x := range s.names {
		if err := g.read(x); err != nil {
			return err
		}
		for at := g.buf; len(at) >= 4; {
			n := 4 + uint64(binary.LittleEndian.Uint32(at))
			if n > uint64(len(at)) {
				return columnar.ErrShape
			}
			take(at[4:n])
			at = at[n:]
		}
	}
	return nil
}

// name numbers a text of a segment.
func (g *gatherer) name(unit []byte) {
	id := int32(intern.None)
	if g.pass.has(g.units.Hash(textSeed, unit)) {
		id = g.texts.ID(unit)
	}
	g.numbers = append(g.numbers, id)
}

// addRecords adds records.
func (g *gatherer) addRecords(records []byte) {
	width := g.plainWidth()
	if g.pass.mask > 0 || len(g.skip.units) > 0 {
		for ; len(records) >= width; records = records[width:] {
			if id := g.recorded(records[:g.key]); id >= int32(len(g.skip.units)) {
				g.ids = append(g.ids, id)
				g.addContent(records[g.key:width])
			}
		}
		return
	}
	n, from := len(records)/width, len(g.ids)
	g.ids = slices.Grow(g.ids, n)[:from+n]
	g.contents = slices.Grow(g.contents, g.Size*n)[:g.Size*(from+n)]
	ids, contents := g.ids[from:], g.contents[g.Size*from:]
	if g.oneWord() && g.Size == CellBytes {
		g.addWords(records, ids, contents)
		return
	}
	for i := range ids {
		r := records[width*i : width*(i+1)]
		ids[i] = g.recorded(r[:g.key])
		g.unpack(contents[g.Size*i:g.Size*(i+1)], r[g.key:])
	}
}

// addWords adds records of units of one word whose rows are counted.
func (g *gatherer) addWords(records []byte, ids []int32, contents []byte) {
	for i, width := 0, g.plainWidth(); i < len(ids); i++ {
		r := records[width*i : width*(i+1)]
		ids[i] = g.words.ID(binary.LittleEndian.Uint64(r))
		binary.BigEndian.PutUint32(contents[CellBytes*i:], uint32(low(r[8:])))
	}
}

// addContent adds the content of a record.
func (g *gatherer) addContent(packed []byte) {
	n := len(g.contents)
	g.contents = slices.Grow(g.contents, g.Size)[:n+g.Size]
	g.unpack(g.contents[n:], packed)
}

// addCounted adds records with their multiplicities.
func (g *gatherer) addCounted(records []byte) {
	width := g.plainWidth()
	for n := width + countBytes; len(records) >= n; records = records[n:] {
		if id := g.recorded(records[:g.key]); id >= int32(len(g.skip.units)) {
			g.countUpTo(len(g.ids))
			g.ids = append(g.ids, id)
			g.addContent(records[g.key:width])
			g.counts = append(g.counts, uint64(binary.LittleEndian.Uint32(records[width:])))
		}
	}
}

// addNumbered adds records with the numbers of their contents and, if there are more bytes, their multiplicities.
func (g *gatherer) addNumbered(records []byte, more int) {
	width := g.key + numberWidth + more
	g.ids, g.places = slices.Grow(g.ids, len(records)/width), slices.Grow(g.places, len(records)/width)
	for ; len(records) >= width; records = records[width:] {
		id := g.recorded(records[:g.key])
		if id < int32(len(g.skip.units)) {
			continue
		}
		if more > 0 {
			g.countUpTo(len(g.ids))
			g.counts = append(g.counts, uint64(binary.LittleEndian.Uint32(records[g.key+numberWidth:])))
		}
		g.ids, g.places = append(g.ids, id), append(g.places, g.placed[numberIn(records[g.key:])])
	}
}

// countUpTo gives records without a multiplicity the multiplicity 1.
func (g *gatherer) countUpTo(n int) {
	for len(g.counts) < n {
		g.counts = append(g.counts, 1)
	}
}

// recorded returns the number of a record's unit, or none if it is not in the pass.
func (g *gatherer) recorded(key []byte) int32 {
	switch {
	case g.units.HasText():
		return g.numbers[binary.LittleEndian.Uint32(key)]
	case g.pass.mask > 0 && !g.pass.has(hashBytes(key)):
		return intern.None
	}
	return g.unitOf(key)
}

// unitOf returns the number of a unit: of its words in eight bytes each, or of its text.
func (g *gatherer) unitOf(unit []byte) int32 {
	if g.oneWord() {
		return g.words.ID(binary.LittleEndian.Uint64(unit))
	}
	return g.texts.ID(unit)
}

// unitAt returns the unit with a number that unitOf returned.
func (g *gatherer) unitAt(id int32) []byte {
	if g.oneWord() {
		return binary.LittleEndian.AppendUint64(nil, g.words.Keys[id])
	}
	return g.texts.At(id)
}

func (g *gatherer) oneWord() bool { return !g.units.HasText() && g.units.Columns() == 1 }

// hashBytes is hashWords for words in eight bytes each.
func hashBytes(key []byte) uint64 {
	hash := uint64(0)
	for ; len(key) >= 8; key = key[8:] {
		hash = wordSeed.Of(binary.LittleEndian.Uint64(key) ^ hash)
	}
	return hash
}

// group puts the numbers of the rows of each unit together.
func (g *gatherer) group() {
	g.ends = columnar.Resize(g.ends, g.texts.Len()+g.words.Len())
	clear(g.ends)
	for _, id := range g.ids {
		g.ends[id]++
	}
	start := uint32(0)
	for id, n := range g.ends {
		g.ends[id] = start
		start += n
	}
	g.order = columnar.Resize(g.order, len(g.ids))
	for i, id := range g.ids {
		g.order[g.ends[id]] = uint32(i)
		g.ends[id]++
	}
}
