package bounding

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"

	"github.com/dprelease/dprelease/queries/internal/columnar"

	"github.com/dprelease/dprelease/queries/internal/intern"
)

// errTooManyRows means that the rows of some segments do not fit in memory.
var errTooManyRows = errors.New("queries: the rows of a partition do not fit")

// gatherer reads the rows of one partition after another and groups them by unit.
type gatherer struct {
	*Rows
	room int64 // bytes that the rows may take, approximately; 0 if there is no limit
	// words or texts numbers the units of the partition from 0; the units to skip have the first numbers. words is used if
	// a unit is one integer, texts otherwise.
	words *intern.Uint64s
	texts *intern.Texts
	skip  setAside
	grouped
	unit unitSlots
	all  *allContents // the distinct contents, if records hold content numbers; else nil
	// Working memory for one segment:
	buf        []byte
	expanded   []byte
	numbers    []int32
	contentIDs []uint32 // for each content number of the segment, the content's ID in all
}

// setAside is the oversized units of a partition, whose rows the gatherer skips because they are bounded one at a time.
type setAside struct {
	units [][]byte
	bytes int64 // the length of these units' texts, which does not count towards the gatherer's room
}

// unitSlots groups the rows of one unit by content: a slot is all rows with the same content.
type unitSlots struct {
	id    int32 // the number of the unit
	slots []slot
	// Working memory:
	table  []uint32 // a hash table of slots by content: a slot's index + 1, or 0
	cells  []slot
	sorted []uint64 // a cell in the upper 32 bits and the index of a slot in the lower ones, for sorting
	of     []uint32 // for each content ID, the index of its slot + 1; 0 if the unit has no row with the content
	starts []uint32 // for each cell, the index of its first slot
}

// grouped holds the rows that a gatherer has read. A row's index in these lists is its number, called ref in other
// files. Row i belongs to unit ids[i]. The rows of unit u are order[ends[u-1]:ends[u]].
type grouped struct {
	contents  []byte
	contentOf []uint32 // by row, the ID of its content in all; empty if records hold their contents
	ids       []int32
	ends      []uint32
	order     []uint32
	counts    []uint64 // by row, its multiplicity; empty if each row occurs once
}

func (g *grouped) countOf(ref uint32) uint64 {
	if len(g.counts) == 0 {
		return 1
	}
	return g.counts[ref]
}

func newGatherer(r *Rows) *gatherer {
	return &gatherer{Rows: r, words: intern.NewUint64s(), texts: intern.NewTexts()}
}

// gather reads the rows of some segments and groups them by unit. It skips units that are set aside. It returns
// errTooManyRows if the rows do not fit in memory.
func (g *gatherer) gather(segments []segment) error {
	g.forget()
	for _, unit := range g.skip.units {
		g.unitOf(unit)
	}
	g.skip.bytes = g.texts.Bytes()
	for i := range segments {
		if err := g.readSegment(&segments[i]); err != nil {
			return err
		}
	}
	if len(g.counts) > 0 {
		g.countUpTo(len(g.ids))
	}
	g.group()
	return nil
}

// forget removes all units and rows that were read.
func (g *gatherer) forget() {
	g.words.Reset()
	g.texts.Reset()
	g.contents, g.contentOf, g.ids, g.counts = g.contents[:0], g.contentOf[:0], g.ids[:0], g.counts[:0]
}

// perRow is the memory in bytes that a gathered row takes in addition to its record: the number of its unit (4), its
// index in order (4), and the table entry of its unit (24) if it is the unit's only row.
const perRow = 4 + 4 + 24

// fits returns errTooManyRows if rows and units take more memory than room. Before the first row is read, it accepts
// units of any size, because only its rows show whether a unit with a very long text is oversized.
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

func (g *gatherer) readSegment(s *segment) error {
	single, counted := g.addRecords, g.addCounted
	if g.all != nil {
		g.contentIDs = g.all.idsOf(s.numbers)
		single = func(records []byte) { g.addNumbered(records, 0) }
		counted = func(records []byte) { g.addNumbered(records, countBytes) }
	}
	return g.read(s, segmentReader{func() { g.numbers = g.numbers[:0] }, g.addText, single, counted})
}

// segmentReader holds the functions that receive the data of a segment. A segment alternates between texts and the
// records that refer to these texts by number. Records come some at a time, with content numbers if the gatherer has
// the list of all contents, otherwise with contents.
type segmentReader struct {
	startTexts      func() // the numbers of texts start again from 0
	text            func(unit []byte)
	single, counted func(records []byte)
}

// read passes a segment to the functions of to. It stops with errTooManyRows if the gathered rows no longer fit in
// memory.
func (g *gatherer) read(s *segment, to segmentReader) error {
	if s.numbers != nil && g.all == nil {
		to.single, to.counted = g.expanding(s.numbers, 0, to.single), g.expanding(s.numbers, countBytes, to.counted)
	}
	for _, x := range s.spilled {
		g.buf = columnar.Resize(g.buf, int(x.size))
		if err := g.spill.Read(g.buf, x.at); err != nil {
			return err
		}
		switch x.kind {
		case singleRecords:
			to.single(g.buf)
		case countedRecords:
			to.counted(g.buf)
		case firstTexts, moreTexts:
			if x.kind == firstTexts {
				to.startTexts()
			}
			if err := eachText(g.buf, to.text); err != nil {
				return err
			}
		}
		if x.kind <= countedRecords && g.fits() != nil {
			return errTooManyRows
		}
	}
	if s.texts != nil {
		to.startTexts()
		for i := range s.texts.Len() {
			to.text(s.texts.At(int32(i)))
		}
	}
	for i, chunks := range [][][]byte{s.single, s.counted} {
		add := to.single
		if i > 0 {
			add = to.counted
		}
		for _, c := range chunks {
			if add(c); g.fits() != nil {
				return errTooManyRows
			}
		}
	}
	return nil
}

// expandedBytes is the approximate length of the records that are expanded at a time, from content numbers to contents.
const expandedBytes = 1 << 18

// expanding returns a function that replaces the content numbers in records by contents and passes the records to add.
// more is the length of the multiplicity after each record, 0 or countBytes.
func (g *gatherer) expanding(n *contentNumbers, more int, add func([]byte)) func([]byte) {
	return func(records []byte) {
		rows := max(expandedBytes/(g.packedWidth()+more), 1)
		for some := range slices.Chunk(records, rows*(g.key+numberWidth+more)) {
			g.expanded = n.expand(g.expanded[:0], some, g.key, more)
			add(g.expanded)
		}
	}
}

// eachText calls take for each text of a piece.
func eachText(piece []byte, take func(unit []byte)) error {
	for len(piece) >= 4 {
		n := 4 + uint64(binary.LittleEndian.Uint32(piece))
		if n > uint64(len(piece)) {
			return columnar.ErrShape
		}
		take(piece[4:n])
		piece = piece[n:]
	}
	return nil
}

// addText numbers a unit of text in the gatherer, and appends the number to g.numbers.
func (g *gatherer) addText(unit []byte) { g.numbers = append(g.numbers, g.texts.ID(unit)) }

// addRecords adds records of one row each, which hold their contents.
func (g *gatherer) addRecords(records []byte) {
	width := g.packedWidth()
	if len(g.skip.units) > 0 {
		for ; len(records) >= width; records = records[width:] {
			if id := g.unitOfRecord(records[:g.key]); id >= int32(len(g.skip.units)) {
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
		ids[i] = g.unitOfRecord(r[:g.key])
		g.unpack(contents[g.Size*i:g.Size*(i+1)], r[g.key:])
	}
}

// addWords does the work of addRecords if a unit is one integer and a content is one cell number.
func (g *gatherer) addWords(records []byte, ids []int32, contents []byte) {
	for i, width := 0, g.packedWidth(); i < len(ids); i++ {
		r := records[width*i : width*(i+1)]
		ids[i] = g.words.ID(binary.LittleEndian.Uint64(r))
		binary.BigEndian.PutUint32(contents[CellBytes*i:], uint32(low(r[8:])))
	}
}

// addContent unpacks the content of a record and appends it.
func (g *gatherer) addContent(packed []byte) {
	n := len(g.contents)
	g.contents = slices.Grow(g.contents, g.Size)[:n+g.Size]
	g.unpack(g.contents[n:], packed)
}

// addCounted adds records that hold their contents, each followed by its multiplicity.
func (g *gatherer) addCounted(records []byte) {
	width := g.packedWidth()
	for n := width + countBytes; len(records) >= n; records = records[n:] {
		if id := g.unitOfRecord(records[:g.key]); id >= int32(len(g.skip.units)) {
			g.countUpTo(len(g.ids))
			g.ids = append(g.ids, id)
			g.addContent(records[g.key:width])
			g.counts = append(g.counts, uint64(binary.LittleEndian.Uint32(records[width:])))
		}
	}
}

// addNumbered adds records that hold content numbers. If more is not 0, a multiplicity of more bytes follows each
// record.
func (g *gatherer) addNumbered(records []byte, more int) {
	width := g.key + numberWidth + more
	g.ids, g.contentOf = slices.Grow(g.ids, len(records)/width), slices.Grow(g.contentOf, len(records)/width)
	for ; len(records) >= width; records = records[width:] {
		id := g.unitOfRecord(records[:g.key])
		if id < int32(len(g.skip.units)) {
			continue
		}
		if more > 0 {
			g.countUpTo(len(g.ids))
			g.counts = append(g.counts, uint64(binary.LittleEndian.Uint32(records[g.key+numberWidth:])))
		}
		g.ids, g.contentOf = append(g.ids, id), append(g.contentOf, g.contentIDs[numberIn(records[g.key:])])
	}
}

// countUpTo appends a multiplicity of 1 for each row up to n - 1 that has none yet.
func (g *gatherer) countUpTo(n int) {
	for len(g.counts) < n {
		g.counts = append(g.counts, 1)
	}
}

// unitOfRecord returns the number of a record's unit. key is the beginning of the record.
func (g *gatherer) unitOfRecord(key []byte) int32 {
	if g.units.HasText() {
		return g.numbers[binary.LittleEndian.Uint32(key)]
	}
	return g.unitOf(key)
}

// unitOf returns the number of a unit, a new number if the unit is new. unit is the unit's integers, eight bytes each,
// or its text.
func (g *gatherer) unitOf(unit []byte) int32 {
	if g.oneWord() {
		return g.words.ID(binary.LittleEndian.Uint64(unit))
	}
	return g.texts.ID(unit)
}

// unitAt returns the unit to which unitOf gave the number id.
func (g *gatherer) unitAt(id int32) []byte {
	if g.oneWord() {
		return binary.LittleEndian.AppendUint64(nil, g.words.Keys[id])
	}
	return g.texts.At(id)
}

func (g *gatherer) oneWord() bool { return !g.units.HasText() && g.units.Columns() == 1 }

// hashBytes hashes a unit of integers. key holds them in eight bytes each. The hash equals that of hashWords.
func hashBytes(key []byte) uint64 {
	hash := uint64(0)
	for ; len(key) >= 8; key = key[8:] {
		hash = wordSeed.Of(binary.LittleEndian.Uint64(key) ^ hash)
	}
	return hash
}

// group fills ends and order, so that the rows of each unit are together. It is a counting sort by unit.
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
