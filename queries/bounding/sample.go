package bounding

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"slices"
)

// Which rows of a unit over its bounds are kept
//
// A row's content is its cell and, if values are added up, its value in quanta. Rows of a unit with the same content are told
// apart by an occurrence number, 0 to n − 1. Each (unit, cell) and each (unit, content, occurrence) has a digest; the rows with
// the smallest digests are kept: of all cells the L smallest, in each the m smallest rows, of these the k smallest. That is a uniform
// sample of the unit's own rows at each step, it depends on nothing else, and rows need no order. Digests are computed
// only for units over a bound.
//
// A digest is the SHA-256 of
//
//	key (16 bytes), "c", unit, cell (8 bytes)
//	key (16 bytes), "r", unit, cell (8 bytes), each component of the value (8 bytes), occurrence (8 bytes)
//	key (16 bytes), "u", unit, content for all queries (with 4 bytes of 0 before it), occurrence 0 (8 bytes), if queries share records;
//	the digest of occurrence 0 (32 bytes), occurrence (8 bytes) for the others: contents for many queries are long, and hashed once
//
// with big-endian integers and the unit as in [columnar.AppendValue]. The key is a constant and no secret: the bounds hold for
// every choice that depends on the unit alone.
const (
	// BoundKey, CellOrder and RowOrder begin the messages that are hashed, for engines that follow the same rule.
	BoundKey  = "dprelease/bound1"
	CellOrder = 'c' // of a cell
	RowOrder  = 'r' // of a row
	// sharedOrder is RowOrder if several queries share records, whose contents are those for all of them.
	sharedOrder = 'u'
)

// slot is rows of a unit with the same content; ref is the number of one of them.
type slot struct {
	ref  uint32
	at   int32 // place among the unit's slots, if several queries share records
	rows uint64
}

// unitContents are a unit's canonical text, and what its rows hold by number: the cell in four bytes, big-endian, and the
// components of the value in eight bytes each.
type unitContents interface {
	appendUnit(dst []byte) []byte
	content(ref uint32) []byte
}

// CellBytes is the length of the cell in a content; in a digest it has four bytes more, which are 0.
const CellBytes = 4

// CellOf returns the cell of a content.
func CellOf(content []byte) int32 { return int32(binary.BigEndian.Uint32(content)) }

// sampler bounds the rows of one unit after the other.
type sampler struct {
	limits   Limits
	contents unitContents
	// cellWidth bytes of a content are its cell, from cellFrom on
	cellFrom, cellWidth int
	order               byte        // of rows
	digests             *rowDigests // nil if records are of one query
	// message is what is hashed; its first prefix bytes are the unit's, 0 as long as none was needed
	message []byte
	prefix  int
	later   [sha256.Size + 8]byte // of occurrences after the first, if queries share records
	cells   []span
	// what the unit, and what it in one cell, might contribute
	inAll, inCell bottomK
}

// span is the places of the slots of one cell.
type span struct{ from, to int }

// ofCell returns the digest of a cell.
func (s *sampler) ofCell(cell []byte) digest {
	s.write(CellOrder, cell)
	return sha256.Sum256(s.message)
}

// cell returns the cell of a content.
func (s *sampler) cell(content []byte) []byte { return content[s.cellFrom : s.cellFrom+s.cellWidth] }

// addDigests adds the rows of a slot with their digests to l, under the slot's place, and says whether any was taken.
func (s *sampler) addDigests(l *bottomK, x slot, place int) (taken bool) {
	if s.digests != nil && s.digests.on {
		for _, d := range s.digests.of(x, s) {
			if l.addDigest(d, place) {
				taken = true
			}
		}
		return taken
	}
	s.writeRow(x)
	for n := range x.rows {
		if l.addDigest(s.digestOf(n), place) {
			taken = true
		}
	}
	return taken
}

// writeRow writes the message of a row, of which the last eight bytes are its occurrence number.
func (s *sampler) writeRow(x slot) {
	s.write(s.order, s.contents.content(x.ref))
	s.message = append(s.message, 0, 0, 0, 0, 0, 0, 0, 0)
}

// digestOf returns the digest of an occurrence of the row that was written last. They are asked for in order, from 0 on.
func (s *sampler) digestOf(n uint64) digest {
	if n > 0 && s.order == sharedOrder {
		binary.BigEndian.PutUint64(s.later[sha256.Size:], n)
		return sha256.Sum256(s.later[:])
	}
	binary.BigEndian.PutUint64(s.message[len(s.message)-8:], n)
	d := sha256.Sum256(s.message)
	if s.order == sharedOrder {
		copy(s.later[:], d[:])
	}
	return d
}

// write writes the message of a content.
func (s *sampler) write(order byte, content []byte) {
	if s.prefix == 0 {
		s.message = append(append(s.message[:0], BoundKey...), order)
		s.message = append(s.contents.appendUnit(s.message), 0, 0, 0, 0)
		s.prefix = len(s.message)
	}
	s.message[len(BoundKey)] = order
	s.message = append(s.message[:s.prefix], content...)
}

// keepWithinLimits returns the unit's slots that it may contribute to and the rows that it may have in each; it changes slots, of
// which those of a cell are together.
func (s *sampler) keepWithinLimits(slots []slot) []slot {
	s.prefix = 0
	s.cut(slots)
	slots = s.keepCells(slots)
	left := int64(0)
	for _, c := range s.cells {
		left += s.limits.capped(total(slots[c.from:c.to]))
	}
	if left > s.limits.Rows {
		s.keepRows(slots)
		return slots
	}
	for _, c := range s.cells {
		s.keepInCell(slots[c.from:c.to])
	}
	return slots
}

func total(slots []slot) uint64 {
	n := uint64(0)
	for _, x := range slots {
		n += x.rows
	}
	return n
}

// cut finds the slots of each cell.
func (s *sampler) cut(slots []slot) {
	s.cells = s.cells[:0]
	var last []byte
	for i, x := range slots {
		cell := s.cell(s.contents.content(x.ref))
		if i == 0 || !bytes.Equal(cell, last) {
			s.cells = append(s.cells, span{i, i})
		}
		last = cell
		s.cells[len(s.cells)-1].to = i + 1
	}
}

// keepCells keeps the L cells of smallest digest.
func (s *sampler) keepCells(slots []slot) []slot {
	if int64(len(s.cells)) <= s.limits.Groups {
		return slots
	}
	s.inAll.reset(s.limits.Groups)
	for i, c := range s.cells {
		s.inAll.addDigest(s.ofCell(s.cell(s.contents.content(slots[c.from].ref))), i)
	}
	kept := s.inAll.kept()
	slices.SortFunc(kept, func(a, b item) int { return a.index - b.index })
	end := 0
	for i, x := range kept {
		c := s.cells[x.index] // i is at most the index: no later cell is lost
		n := copy(slots[end:], slots[c.from:c.to])
		s.cells[i] = span{end, end + n}
		end += n
	}
	s.cells = s.cells[:len(kept)]
	return slots[:end]
}

// keepInCell keeps the m rows of smallest digest of a cell.
func (s *sampler) keepInCell(slots []slot) {
	switch n := total(slots); {
	case n <= uint64(s.limits.PerGroup):
	case len(slots) == 1: // any m of equal rows
		slots[0].rows = uint64(s.limits.PerGroup)
	default:
		recount(slots, s.bottomKInCell(slots, 0))
	}
}

// recount leaves in slots the rows that are kept.
func recount(slots []slot, kept []item) {
	for i := range slots {
		slots[i].rows = 0
	}
	for i := range kept {
		slots[kept[i].index].rows++
	}
}

// bottomKInCell returns the m rows of smallest digest of a cell whose slots start at a place.
func (s *sampler) bottomKInCell(slots []slot, place int) []item {
	s.inCell.reset(s.limits.PerGroup)
	for i, x := range slots {
		s.addDigests(&s.inCell, x, place+i)
	}
	return s.inCell.kept()
}

// keepRows keeps, of the m rows of smallest digest in each cell, the k of smallest digest. If m is not below k, these are the k of smallest digest of all.
func (s *sampler) keepRows(slots []slot) {
	s.inAll.reset(s.limits.Rows)
	for _, c := range s.cells {
		if s.limits.PerGroup >= s.limits.Rows || total(slots[c.from:c.to]) <= uint64(s.limits.PerGroup) {
			for i := c.from; i < c.to; i++ {
				s.addDigests(&s.inAll, slots[i], i)
			}
			continue
		}
		for _, x := range s.bottomKInCell(slots[c.from:c.to], c.from) {
			s.inAll.addDigest(x.digest, x.index)
		}
	}
	recount(slots, s.inAll.kept())
}
