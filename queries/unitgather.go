package queries

import (
	"encoding/binary"
	"errors"
	"hash/maphash"
	"math"
	"slices"
)

// errRows is an error of size: one part has 2^31 - 1 rows that cannot be told apart by their units' hashes.
var errRows = errors.New("queries: more than 2^31 - 1 rows of one privacy unit")

// gatherer groups the rows of one part after the other by unit.
type gatherer struct {
	*unitRows
	pass pass
	// units by number: words where a unit is one, else texts
	words *words
	texts *texts
	grouped
	unit unitSlots
	// of a segment
	buf     []byte
	numbers []int32
}

// grouped is rows: of each its content and its unit; of each unit where its rows end in order.
type grouped struct {
	contents []byte
	ids      []int32
	ends     []uint32
	order    []uint32
	counts   []uint64 // of each row how often it is there; empty: once
}

// countOf returns how often a row is there.
func (g *grouped) countOf(ref uint32) uint64 {
	if len(g.counts) == 0 {
		return 1
	}
	return g.counts[ref]
}

// pass is which units of a part are gathered at a time: those whose hash has some bits.
type pass struct{ bits, mask uint64 }

// has says whether a unit with that hash is in the pass.
func (p pass) has(hash uint64) bool { return hash>>(64-partBits-24)&p.mask == p.bits }

const maxPasses = 1 << 24

func newGatherer(r *unitRows) *gatherer {
	return &gatherer{unitRows: r, words: newWords(), texts: newTexts()}
}

// passes returns in how many passes the rows of a part are gathered within the room for it.
func (g *gatherer) passes(segments []segment) uint64 {
	rows, names := int64(0), int64(0)
	for i := range segments {
		s := &segments[i]
		rows += s.single.size()/int64(g.width) + s.counted.size()/int64(g.width+countBytes)
		for _, p := range s.names {
			names += p.size
		}
		if s.texts != nil {
			names += s.texts.bytes()
		}
	}
	const perRow = 4 + 4 + 24 // its unit, its place in order, and a unit of its own
	need := rows*int64(g.width+perRow) + 3*names
	passes := uint64(1)
	for passes < maxPasses && (need/int64(passes) > g.spill.Room() || rows/int64(passes) > math.MaxInt32/2) {
		passes *= 2
	}
	return passes
}

// gather groups the rows of segments of a part that are in the pass.
func (g *gatherer) gather(segments []segment, in pass) error {
	g.pass = in
	g.words.reset()
	g.texts.reset()
	g.contents, g.ids, g.counts = g.contents[:0], g.ids[:0], g.counts[:0]
	for i := range segments {
		if err := g.segment(&segments[i]); err != nil {
			return err
		}
	}
	if len(g.ids) >= math.MaxInt32 {
		return errRows
	}
	if len(g.counts) > 0 {
		g.countUpTo(len(g.ids))
	}
	g.group()
	return nil
}

func (g *gatherer) segment(s *segment) error {
	if err := g.number(s); err != nil {
		return err
	}
	if err := g.records(&s.single, g.add); err != nil {
		return err
	}
	return g.records(&s.counted, g.addCounted)
}

// records hands records to add.
func (g *gatherer) records(r *records, add func([]byte)) error {
	for _, c := range r.chunks {
		add(c)
	}
	for _, x := range r.outside {
		if err := g.read(x); err != nil {
			return err
		}
		add(g.buf)
	}
	return nil
}

// read gets a piece into buf.
func (g *gatherer) read(x piece) error {
	g.buf = resize(g.buf, int(x.size))
	return g.spill.Read(g.buf, x.at)
}

// number numbers the texts of a segment.
func (g *gatherer) number(s *segment) error {
	g.numbers = g.numbers[:0]
	if s.texts != nil {
		for i := range s.texts.len() {
			g.name(s.texts.at(int32(i)))
		}
	}
	for _, x := range s.names {
		if err := g.read(x); err != nil {
			return err
		}
		for at := g.buf; len(at) >= 4; {
			n := 4 + binary.LittleEndian.Uint32(at)
			if uint64(n) > uint64(len(at)) {
				return errShape
			}
			g.name(at[4:n])
			at = at[n:]
		}
	}
	return nil
}

func (g *gatherer) name(unit []byte) {
	id := int32(none)
	if g.pass.has(maphash.Bytes(textSeed, unit)) {
		id = g.texts.id(unit)
	}
	g.numbers = append(g.numbers, id)
}

// add takes in records.
func (g *gatherer) add(records []byte) {
	if g.key == 8 && g.width == 8+cellBytes && g.pass.mask == 0 {
		g.addWords(records)
		return
	}
	for ; len(records) >= g.width; records = records[g.width:] {
		id := g.unitOf(records[:g.key])
		if id >= 0 {
			g.ids = append(g.ids, id)
			g.contents = append(g.contents, records[g.key:g.width]...)
		}
	}
}

// addWords is add for units of one word whose rows are counted, all of them.
func (g *gatherer) addWords(records []byte) {
	const width = 8 + cellBytes
	n, from := len(records)/width, len(g.ids)
	g.ids = slices.Grow(g.ids, n)[:from+n]
	g.contents = slices.Grow(g.contents, cellBytes*n)[:cellBytes*(from+n)]
	ids, contents := g.ids[from:], g.contents[cellBytes*from:]
	for i := range ids {
		r := records[width*i : width*i+width]
		ids[i] = g.words.id(binary.LittleEndian.Uint64(r))
		binary.LittleEndian.PutUint32(contents[cellBytes*i:], binary.LittleEndian.Uint32(r[8:]))
	}
}

// addCounted takes in records with their numbers.
func (g *gatherer) addCounted(records []byte) {
	for n := g.width + countBytes; len(records) >= n; records = records[n:] {
		id := g.unitOf(records[:g.key])
		if id >= 0 {
			g.countUpTo(len(g.ids))
			g.ids = append(g.ids, id)
			g.contents = append(g.contents, records[g.key:g.width]...)
			g.counts = append(g.counts, binary.LittleEndian.Uint64(records[g.width:]))
		}
	}
}

// countUpTo makes records single that have no number yet.
func (g *gatherer) countUpTo(n int) {
	for len(g.counts) < n {
		g.counts = append(g.counts, 1)
	}
}

// unitOf returns the number of a record's unit, or none where it is not in the pass.
func (g *gatherer) unitOf(key []byte) int32 {
	switch {
	case g.units.text:
		return g.numbers[binary.LittleEndian.Uint32(key)]
	case len(key) > 8:
		if g.pass.mask > 0 && !g.pass.has(hashBytes(key)) {
			return none
		}
		return g.texts.id(key)
	}
	word := binary.LittleEndian.Uint64(key)
	if g.pass.mask > 0 && !g.pass.has(wordSeed.of(word)) {
		return none
	}
	return g.words.id(word)
}

// hashBytes is hashWords of words in eight bytes each.
func hashBytes(key []byte) uint64 {
	hash := uint64(0)
	for ; len(key) >= 8; key = key[8:] {
		hash = wordSeed.of(binary.LittleEndian.Uint64(key) ^ hash)
	}
	return hash
}

// group puts the numbers of the rows of each unit together.
func (g *gatherer) group() {
	g.ends = resize(g.ends, g.texts.len()+g.words.len())
	clear(g.ends)
	for _, id := range g.ids {
		g.ends[id]++
	}
	start := uint32(0)
	for id, n := range g.ends {
		g.ends[id] = start
		start += n
	}
	g.order = resize(g.order, len(g.ids))
	for i, id := range g.ids {
		g.order[g.ends[id]] = uint32(i)
		g.ends[id]++
	}
}
