package bounding

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"

	"github.com/dprelease/dprelease/queries/internal/columnar"

	"github.com/dprelease/dprelease/queries/internal/intern"
)

// errTooManyRows means that the rows of a pass do not fit in memory. The caller splits the pass.
var errTooManyRows = errors.New("queries: the rows of a pass do not fit")

// gatherer reads the rows of one partition after the other and groups them by unit.
type gatherer struct {
	*Rows
	pass pass
	room int64 // bytes that the rows may take, approximately; 0 if there is no limit
	// The units of the partition by number, units to skip first. words is used if a unit is one integer, texts otherwise.
	words *intern.Uint64s
	texts *intern.Texts
	skip  setAside
	grouped
	unit unitSlots
	all  *allContents // the distinct contents; nil if records hold their contents
	// working memory for one segment:
	buf      []byte
	expanded []byte
	numbers  []int32
	placed   []uint32 // for each content number of the segment, its place in all
}

// setAside holds the oversized units of a partition, which are bounded one at a time. The gatherer skips their rows.
type setAside struct {
	units [][]byte
	bytes int64 // bytes of these units' texts, which do not count towards room
}

// unitSlots groups the rows of one unit by content: a slot is all rows with the same content.
type unitSlots struct {
	id     int32
	slots  []slot
	table  []uint32 // hash table of slots by content: a slot's index + 1, or 0
	cells  []slot   // by cell
	sorted []uint64 // cells, each with the index of its slot, for sorting
	of     []uint32 // by the place of a content, the index of its slot + 1; 0 if the unit has no such rows
	starts []uint32 // by cell, the index of its first slot
}

// grouped holds the rows that were read. Row i belongs to unit ids[i]; the rows of unit u are order[ends[u-1]:ends[u]].
type grouped struct {
	contents []byte
	places   []uint32 // by row, the place of its content, if contents are numbered
	ids      []int32
	ends     []uint32
	order    []uint32
	counts   []uint64 // by row, its multiplicity; empty if each row occurs once
}

// countOf returns the multiplicity of row ref.
func (g *grouped) countOf(ref uint32) uint64 {
	if len(g.counts) == 0 {
		return 1
	}
	return g.counts[ref]
}

// pass selects some units of a partition by bits of their hash: the units that are in memory at the same time.
type pass struct{ bits, mask uint64 }

// has reports whether a unit with this hash is in the pass.
func (p pass) has(hash uint64) bool { return hash>>(64-partitionBits-24)&p.mask == p.bits }

// halves splits a pass into two passes.
func (p pass) halves() (one, other pass) {
	return pass{p.bits, 2*p.mask + 1}, pass{p.bits | (p.mask + 1), 2*p.mask + 1}
}

const maxPasses = 1 << 24

func newGatherer(r *Rows) *gatherer {
	return &gatherer{Rows: r, words: intern.NewUint64s(), texts: intern.NewTexts()}
}

// gather reads the rows of a partition's segments whose units are in the pass and not set aside, and groups them by
// unit.
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

// forget drops all units and rows that were read.
func (g *gatherer) forget() {
	g.words.Reset()
	g.texts.Reset()
	g.contents, g.places, g.ids, g.counts = g.contents[:0], g.places[:0], g.ids[:0], g.counts[:0]
}

// perRow is the memory for a gathered row besides its record: the number of its unit, its index in order, and a unit if
// it is the only row of its unit.
const perRow = 4 + 4 + 24

// fits returns errTooManyRows if rows and units take more than room. It accepts any units before the first row is read:
// if one text is longer than the memory, its rows show later that this unit is oversized.
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

// expandedRecords is how many records get their contents in place of content numbers at a time: contents for many
// queries are long.
const expandedRecords = 1 << 12

// records calls add with the records r of segment s, some at a time, as long as the rows fit in memory. Each record is
// followed by more bytes. Records hold their contents unless the gatherer has the list of all contents.
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

// read reads a piece from the spill into buf.
func (g *gatherer) read(x piece) error {
	g.buf = columnar.Resize(g.buf, int(x.size))
	return g.spill.Read(g.buf, x.at)
}

// names calls take for each text of a segment, in the order of their numbers.
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

// name gives a text of a segment its number in the gatherer, or none if the unit is not in the pass.
func (g *gatherer) name(unit []byte) {
	id := int32(intern.None)
	if g.pass.has(g.units.Hash(textSeed, unit)) {
		id = g.texts.ID(unit)
	}
	g.numbers = append(g.numbers, id)
}

// addRecords adds records that stand for one row each.
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

// addWords does the work of addRecords for units of one integer and queries without values.
func (g *gatherer) addWords(records []byte, ids []int32, contents []byte) {
	for i, width := 0, g.plainWidth(); i < len(ids); i++ {
		r := records[width*i : width*(i+1)]
		ids[i] = g.words.ID(binary.LittleEndian.Uint64(r))
		binary.BigEndian.PutUint32(contents[CellBytes*i:], uint32(low(r[8:])))
	}
}

// addContent appends the unpacked content of a record.
func (g *gatherer) addContent(packed []byte) {
	n := len(g.contents)
	g.contents = slices.Grow(g.contents, g.Size)[:n+g.Size]
	g.unpack(g.contents[n:], packed)
}

// addCounted adds records that are followed by their multiplicities.
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

// addNumbered adds records that hold content numbers. If more is not 0, the multiplicity follows each record.
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

// countUpTo sets the multiplicity of rows that have none to 1, up to row n.
func (g *gatherer) countUpTo(n int) {
	for len(g.counts) < n {
		g.counts = append(g.counts, 1)
	}
}

// recorded returns the number of the unit of a record that begins with key, or intern.None if the unit is not in the
// pass.
func (g *gatherer) recorded(key []byte) int32 {
	switch {
	case g.units.HasText():
		return g.numbers[binary.LittleEndian.Uint32(key)]
	case g.pass.mask > 0 && !g.pass.has(hashBytes(key)):
		return intern.None
	}
	return g.unitOf(key)
}

// unitOf returns the number of a unit, a new one if it is new. unit is its integers in eight bytes each, or its text.
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

// hashBytes returns the hash of a unit of integers, which key holds in eight bytes each, as hashWords does.
func hashBytes(key []byte) uint64 {
	hash := uint64(0)
	for ; len(key) >= 8; key = key[8:] {
		hash = wordSeed.Of(binary.LittleEndian.Uint64(key) ^ hash)
	}
	return hash
}

// group fills order with the rows, those of each unit together.
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
