package bounding

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"
	"slices"
)

// Oversized units
//
// An oversized unit has more rows than fit in the memory for one partition; an identifier that stands for "unknown" can
// be such a unit. It is bounded separately from the other units of its partition. Its rows are read several times:
// first to choose its cells, then in passes, each of which gathers the rows whose contents have certain hash bits.
// Memory holds the rows of one pass and the rows that may be kept.

// oversizedUnits returns the units that have at least a quarter of the gathered rows. It is called when memory is full.
func (g *gatherer) oversizedUnits() (units [][]byte) {
	rows := make([]int, g.words.Len()+g.texts.Len())
	for _, id := range g.ids {
		rows[id]++
	}
	for id, n := range rows {
		if n > 0 && 4*n >= len(g.ids) {
			units = append(units, bytes.Clone(g.unitAt(int32(id))))
		}
	}
	return units
}

// rowsOf calls take for each record of a unit, with the record's content and multiplicity.
func (g *gatherer) rowsOf(segments []segment, unit []byte, take func(content []byte, rows uint64)) error {
	content, width := make([]byte, g.Size), g.packedWidth()
	key := unit
	var texts uint32
	to := segmentReader{
		startTexts: func() { key, texts = noText, 0 },
		text: func(name []byte) {
			if bytes.Equal(name, unit) {
				key = binary.LittleEndian.AppendUint32(nil, texts)
			}
			texts++
		},
		single: func(records []byte) {
			for ; len(records) >= width; records = records[width:] {
				if bytes.Equal(records[:g.key], key) {
					g.unpack(content, records[g.key:width])
					take(content, 1)
				}
			}
		},
		counted: func(records []byte) {
			for n := width + countBytes; len(records) >= n; records = records[n:] {
				if bytes.Equal(records[:g.key], key) {
					g.unpack(content, records[g.key:width])
					take(content, uint64(binary.LittleEndian.Uint32(records[width:])))
				}
			}
		},
	}
	for i := range segments {
		if err := g.read(&segments[i], to); err != nil {
			return err
		}
	}
	return nil
}

// pass selects rows of a unit by bits of their contents' hashes: those at which mask is 1 must equal bits.
type pass struct{ bits, mask uint64 }

func (p pass) has(hash uint64) bool { return hash&p.mask == p.bits }

const maxPasses = 1 << 24

// noText is a key that no record has, because there are never so many texts.
var noText = []byte{0xff, 0xff, 0xff, 0xff}

// oversizedUnit bounds one oversized unit by the limits of one query.
type oversizedUnit struct {
	*unitBounder
	query    *queryBounder
	segments []segment
	unit     []byte
	cells    bottomKCells // the cells that are kept
	// contents holds the contents of the rows that may be kept. The candidates in the samples all and inCell are
	// indexes in contents.
	contents [][]byte
	all      bottomK             // the sample of the rows of all cells
	inCell   map[string]*bottomK // for each cell, the sample of its rows; empty if RowsPerCell does not bind
	kept     []slot              // a kept slot's Ref is an index in contents
	cut      uint64              // the number of rows that the limits drop
}

func (c *oversizedUnit) Content(ref uint32) []byte { return c.contents[ref] }

// bound enforces the query's limits on the unit and puts the kept rows into c.kept.
func (c *oversizedUnit) bound() error {
	g, s := c.rows, &c.query.sampler
	l := s.Limits
	all := g.all
	g.room, g.all = 0, nil // the gatherer reads whole contents, and this function limits the memory
	defer func() { g.room, g.all = g.spill.Room(), all }()
	g.forget()
	g.unit.id = g.unitOf(c.unit)
	if g.sample != nil {
		return c.boundSample()
	}
	s.startUnit()
	c.digests.On = false
	c.cells = bottomKCells{limit: l.Cells, digests: map[string]digest{}}
	records := int64(0)
	err := g.rowsOf(c.segments, c.unit, func(content []byte, rows uint64) {
		records++
		if c.query.has(content) {
			c.cut += rows
			c.cells.addCell(c.query.cell(content), s)
		}
	})
	if err != nil {
		return err
	}
	c.cells.cut()
	c.inCell = map[string]*bottomK{}
	c.all.reset(l.Rows)
	passes := uint64(1)
	for records*int64(g.key+g.Size+perRow)/int64(passes) > g.spill.Room() && passes < maxPasses {
		passes *= 2
	}
	for i := range passes {
		if err := c.gather(pass{i, passes - 1}); err != nil {
			return err
		}
	}
	c.finish()
	return nil
}

// gather reads the unit's rows whose cells are kept and whose contents are in the pass, and adds them to the samples.
func (c *oversizedUnit) gather(in pass) error {
	g := c.rows
	g.contents, g.ids, g.counts = g.contents[:0], g.ids[:0], g.counts[:0]
	err := g.rowsOf(c.segments, c.unit, func(content []byte, rows uint64) {
		if in.has(maphash.Bytes(textSeed, content)) && c.query.has(content) && c.cells.has(c.query.cell(content)) {
			g.contents, g.ids, g.counts = append(g.contents, content...), append(g.ids, g.unit.id), append(g.counts, rows)
		}
	})
	if err != nil {
		return err
	}
	g.group()
	for _, x := range g.slotsOf(g.unit.id, g.order) {
		content := g.Content(x.Ref)
		l := c.bottomKFor(content)
		if c.query.sampler.addRows(l, []slot{x}, len(c.contents)); l.Taken {
			c.contents, l.Taken = append(c.contents, bytes.Clone(content)), false
		}
	}
	return nil
}

// bottomKFor returns the sample to which a row with this content is added: the sample of its cell, or of the whole unit
// if the limit on rows in a cell cannot bind.
func (c *oversizedUnit) bottomKFor(content []byte) *bottomK {
	if l := c.query.sampler.Limits; l.RowsPerCell >= l.Rows {
		return &c.all
	}
	cell := string(c.query.cell(content))
	l, ok := c.inCell[cell]
	if !ok {
		l = &bottomK{}
		l.reset(c.query.sampler.Limits.RowsPerCell)
		c.inCell[cell] = l
	}
	return l
}

// finish keeps the k rows with the smallest digests among the rows in the samples of all cells.
func (c *oversizedUnit) finish() {
	for _, l := range c.inCell {
		for _, x := range l.kept() {
			c.all.add(&x.Digest, x.Index)
		}
	}
	if q := c.query; q.ranked != nil {
		c.cut -= q.keepRanks(c.all.kept(), func(index int) uint32 { return uint32(index) }, &c.kept)
		return
	}
	rows := make([]uint64, len(c.contents))
	for _, x := range c.all.kept() {
		rows[x.Index]++
	}
	for i, n := range rows {
		if n > 0 {
			c.kept = append(c.kept, slot{Ref: uint32(i), Rows: n})
			c.cut -= n
		}
	}
}

// bottomKCells is a bottom-k sample of cells. Unlike a bottomK, it holds a cell once even if the cell is added often.
type bottomKCells struct {
	limit   int64             // the size of the sample
	digests map[string]digest // by cell
	full    bool              // there were more than limit cells: cells with digest worst or larger are rejected
	worst   digest
}

func (l *bottomKCells) has(cell []byte) bool {
	_, ok := l.digests[string(cell)]
	return ok
}

func (l *bottomKCells) addCell(cell []byte, s *sampler) {
	if l.has(cell) {
		return
	}
	d := s.ofCell(cell)
	if l.full && d.Compare(&l.worst) >= 0 {
		return
	}
	l.digests[string(cell)] = d
	if int64(len(l.digests))-l.limit >= l.limit {
		l.cut()
	}
}

// cut drops all cells except the limit cells with the smallest digests.
func (l *bottomKCells) cut() {
	if int64(len(l.digests)) <= l.limit {
		return
	}
	all := make([]digest, 0, len(l.digests))
	for _, d := range l.digests {
		all = append(all, d)
	}
	slices.SortFunc(all, func(a, b digest) int { return a.Compare(&b) })
	l.full, l.worst = true, all[l.limit]
	for cell, d := range l.digests {
		if d.Compare(&l.worst) >= 0 {
			delete(l.digests, cell)
		}
	}
}
