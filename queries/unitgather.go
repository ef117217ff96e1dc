package queries

import (
	"bytes"
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
}

// unitSlots is the rows of one unit, those with the same content as one slot.
type unitSlots struct {
	id     int32
	sorted []uint64 // cells and rows
	slots  []slot
}

// pass is which units of a part are gathered at a time: those whose hash has some bits.
type pass struct{ bits, mask uint64 }

// has says whether a unit with that hash is in the pass.
func (p pass) has(hash uint64) bool { return hash>>(64-partBits-24)&p.mask == p.bits }

const maxPasses = 1 << 24

func newGatherer(r *unitRows) *gatherer {
	return &gatherer{unitRows: r, words: newWords(), texts: newTexts()}
}

// passes returns in how many passes a part is gathered within the room for it.
func (g *gatherer) passes(p *unitPart) uint64 {
	rows, names := int64(0), int64(0)
	for i := range p.segments {
		r, n := p.segments[i].size()
		rows, names = rows+r/int64(g.width), names+n
	}
	const perRow = 4 + 4 + 24 // its unit, its place in order, and a unit of its own
	need := rows*int64(g.width+perRow) + 3*names
	passes := uint64(1)
	for passes < maxPasses && (need/int64(passes) > g.spill.Room() || rows/int64(passes) > math.MaxInt32/2) {
		passes *= 2
	}
	return passes
}

// size returns the bytes of a segment's records, and of its texts.
func (s *segment) size() (rows, names int64) {
	for _, c := range s.chunks {
		rows += int64(len(c))
	}
	for _, p := range s.rows {
		rows += p.size
	}
	for _, p := range s.names {
		names += p.size
	}
	if s.texts != nil {
		names += int64(len(s.texts.data))
	}
	return rows, names
}

// gather groups the rows of a part that are in the pass.
func (g *gatherer) gather(p *unitPart, in pass) error {
	g.pass = in
	g.words.reset()
	g.texts.reset()
	g.contents, g.ids = g.contents[:0], g.ids[:0]
	for i := range p.segments {
		if err := g.segment(&p.segments[i]); err != nil {
			return err
		}
	}
	if len(g.ids) >= math.MaxInt32 {
		return errRows
	}
	g.group()
	return nil
}

func (g *gatherer) segment(s *segment) error {
	if err := g.names(s); err != nil {
		return err
	}
	for _, c := range s.chunks {
		g.add(c)
	}
	for _, x := range s.rows {
		if err := g.read(x); err != nil {
			return err
		}
		g.add(g.buf)
	}
	return nil
}

// read gets a piece into buf.
func (g *gatherer) read(x piece) error {
	g.buf = resize(g.buf, int(x.size))
	return g.spill.Read(g.buf, x.at)
}

// names numbers the texts of a segment.
func (g *gatherer) names(s *segment) error {
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
	for ; len(records) >= g.width; records = records[g.width:] {
		id := g.unitOf(records[:g.key])
		if id >= 0 {
			g.ids = append(g.ids, id)
			g.contents = append(g.contents, records[g.key:g.width]...)
		}
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

// content returns what row ref holds, apart from its unit.
func (g *gatherer) content(ref uint32) []byte {
	n := g.width - g.key
	return g.contents[int(ref)*n : (int(ref)+1)*n]
}

// appendUnit appends the canonical text of the unit whose slots were made.
func (g *gatherer) appendUnit(dst []byte) []byte {
	if !g.units.text && len(g.units.columns) == 1 {
		return appendValue(dst, g.words.keys[g.unit.id], g.units.columns[0].kind)
	}
	return g.units.appendText(dst, g.texts.at(g.unit.id))
}

// slotsOf returns the rows of a unit with the same content as one slot, and those of a cell together.
func (g *gatherer) slotsOf(id int32, refs []uint32) []slot {
	u := &g.unit
	u.id, u.slots, u.sorted = id, u.slots[:0], u.sorted[:0]
	for _, ref := range refs {
		u.sorted = append(u.sorted, uint64(cellOf(g.content(ref)))<<32|uint64(ref))
	}
	slices.Sort(u.sorted)
	if g.width-g.key > cellBytes {
		g.sortValues()
	}
	for i, x := range u.sorted {
		ref := uint32(x)
		if i > 0 {
			if last := &u.slots[len(u.slots)-1]; bytes.Equal(g.content(last.ref), g.content(ref)) {
				last.rows++
				continue
			}
		}
		u.slots = append(u.slots, slot{ref, 1})
	}
	return u.slots
}

// sortValues sorts the rows of each cell by their values.
func (g *gatherer) sortValues() {
	for from := 0; from < len(g.unit.sorted); {
		to := from + 1
		for to < len(g.unit.sorted) && g.unit.sorted[to]>>32 == g.unit.sorted[from]>>32 {
			to++
		}
		if to > from+1 {
			slices.SortFunc(g.unit.sorted[from:to], func(a, b uint64) int {
				return bytes.Compare(g.content(uint32(a)), g.content(uint32(b)))
			})
		}
		from = to
	}
}
