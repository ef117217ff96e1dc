package bounding

import (
	"crypto/sha256"
	"encoding/binary"

	"github.com/dprelease/dprelease/queries/internal/manyhash"
)

// Which rows of a unit over its bounds are kept
//
// A row's content is its cell and, if values are added up, its value in quanta. Rows of a unit with the same content
// are distinguished by an occurrence number, 0 to n − 1. Each (unit, cell) and each (unit, content, occurrence) has a
// digest; the rows with the smallest digests are kept: the Limits.Cells cells of smallest digest, in each of them the
// Limits.RowsPerCell rows of smallest digest, and of these the Limits.Rows rows of smallest digest. That is a uniform
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
// with big-endian integers and the unit as in [columnar.AppendValue]. The key is a constant and no secret: the bounds
// hold for every choice that depends on the unit alone.
const (
	// BoundKey, CellOrder and RowOrder begin the messages that are hashed, for engines that follow the same rule.
	BoundKey  = "dprelease/bound1"
	CellOrder = 'c' // in a message that orders a unit's cells
	RowOrder  = 'r' // in a message that orders a unit's rows
	// sharedOrder is RowOrder if several queries share records, whose contents are for all of them.
	sharedOrder = 'u'
)

// CellField returns the field of a cell number below size.
func CellField(size int) Field { return Field{Bytes: CellBytes, Max: int64(size) - 1} }

// digest orders the rows or cells that a unit might contribute.
type digest = manyhash.Sum

// unitContents gives access to a unit's canonical text, and to the contents of its rows by number: the cell in four
// bytes, big-endian, then each component of the value in eight bytes.
type unitContents interface {
	AppendUnit(dst []byte) []byte
	Content(ref uint32) []byte
}

// CellBytes is the length of the cell in a content; in a digest it has four bytes more, which are 0.
const CellBytes = 4

// CellOf returns the cell of a content.
func CellOf(content []byte) int32 { return int32(binary.BigEndian.Uint32(content)) }

// slot is the rows of a unit with the same content; ref is the number of one of them.
type slot struct {
	Ref  uint32
	At   int32 // index among the unit's slots, if several queries share records
	Rows uint64
}

// messages builds the messages to hash for the rows of one unit after another.
type messages struct {
	Contents unitContents
	Order    byte   // CellOrder or RowOrder
	unit     []byte // the common prefix of the unit's messages; empty until it is needed
	batch    manyhash.Batch
	before   []byte // the end of the prefix: a part of the number, if the cell is shorter than that
}

// startUnit forgets the unit before.
func (m *messages) startUnit() { m.unit = m.unit[:0] }

// prefix returns the common prefix of the unit's messages in an order.
func (m *messages) prefix(order byte) []byte {
	if len(m.unit) == 0 {
		m.unit = append(append(m.unit, BoundKey...), order)
		m.unit = append(m.Contents.AppendUnit(m.unit), 0, 0, 0, 0)
	}
	m.unit[len(BoundKey)] = order
	return m.unit
}

// openCells prepares the batch for cells of some width. The last eight bytes of a message are the number that varies:
// the last bytes of the cell, preceded by bytes of the prefix if the cell is shorter.
func (m *messages) openCells(width int) {
	prefix := m.prefix(CellOrder)
	own := len(prefix) + width - manyhash.NumberBytes
	m.before = prefix[min(own, len(prefix)):]
	m.batch.Open(prefix[:len(prefix)-len(m.before)], len(prefix)+width)
}

// addCell adds a cell to the batch.
func (m *messages) addCell(cell []byte, tag int32) {
	if n := len(cell) - manyhash.NumberBytes; n > 0 {
		m.batch.SetContent(cell[:n])
		cell = cell[n:]
	}
	number := uint64(0)
	for _, b := range m.before {
		number = number<<8 | uint64(b)
	}
	for _, b := range cell {
		number = number<<8 | uint64(b)
	}
	m.batch.Add(number, tag)
}

// ofCell returns the digest of a cell.
func (m *messages) ofCell(cell []byte) manyhash.Sum {
	return manyhash.Of(append(m.prefix(CellOrder), cell...))
}

// openRows prepares the batch for contents and occurrence numbers.
func (m *messages) openRows(width int) {
	prefix := m.prefix(m.Order)
	m.batch.Open(prefix, len(prefix)+width+manyhash.NumberBytes)
}

// ofFirst returns the digest of occurrence 0 of a content.
func (m *messages) ofFirst(content []byte) digest {
	message := append(m.prefix(m.Order), content...)
	return manyhash.Of(append(message, make([]byte, manyhash.NumberBytes)...))
}

// openLater prepares the batch for occurrences after the first, if several queries share records. Their content is the
// digest of the first.
func (m *messages) openLater() { m.batch.Open(nil, sha256.Size+manyhash.NumberBytes) }

// totalRows returns the number of rows in slots.
func totalRows(slots []slot) uint64 {
	n := uint64(0)
	for _, x := range slots {
		n += x.Rows
	}
	return n
}
