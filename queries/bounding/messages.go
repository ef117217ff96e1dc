package bounding

import (
	"crypto/sha256"
	"encoding/binary"

	"github.com/dprelease/dprelease/queries/internal/manyhash"
)

// Which rows of a unit over its bounds are kept
//
// A row's content is its cell and, if values are added up, its value in quanta. If n rows of a unit have the same
// content, an occurrence number from 0 to n − 1 distinguishes them. Each (unit, cell) and each (unit, content,
// occurrence) has a digest. Three steps keep the smallest digests: first Limits.Cells cells, then in each of them
// Limits.RowsPerCell rows, and of these rows Limits.Rows. Each step is a uniform sample, depends on the unit's own rows
// alone, and needs no order of the rows. Digests are computed only for units over a bound.
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
	// BoundKey, CellOrder and RowOrder begin the hashed messages. They are exported for engines that compute the digests
	// themselves.
	BoundKey  = "dprelease/bound1"
	CellOrder = 'c' // in a message that orders a unit's cells
	RowOrder  = 'r' // in a message that orders a unit's rows
	// sharedOrder takes the place of RowOrder if several queries share records: their contents are the contents for all
	// queries.
	sharedOrder = 'u'
)

// CellField returns the field of a cell number from 0 to size - 1.
func CellField(size int) Field { return Field{Bytes: CellBytes, Max: int64(size) - 1} }

// digest is the SHA-256 of a row or cell of a unit. The smallest digests are kept.
type digest = manyhash.Sum

// unitContents appends a unit's canonical text, and returns the content of a row by the row's number: the cell in four
// bytes, big-endian, then each component of the value in eight bytes.
type unitContents interface {
	AppendUnit(dst []byte) []byte
	Content(ref uint32) []byte
}

// CellBytes is the length of a cell number in a content. In a digest the cell has eight bytes, the first four of which
// are 0.
const CellBytes = 4

// CellOf returns the cell of a content.
func CellOf(content []byte) int32 { return int32(binary.BigEndian.Uint32(content)) }

// slot is all rows of a unit with the same content. Rows is how many they are, and Ref the number of one of them.
type slot struct {
	Ref  uint32
	At   int32 // the slot's index among the unit's slots if queries share records; see queryBounder for kept slots
	Rows uint64
}

// messages builds the messages that are hashed, for the rows of one unit after another.
type messages struct {
	Contents unitContents
	Order    byte   // CellOrder or RowOrder
	unit     []byte // the prefix that the unit's messages share; empty until it is needed
	batch    manyhash.Batch
	before   []byte // bytes of the prefix that are hashed with the number, if the cell is shorter than eight bytes
}

// startUnit prepares for the next unit.
func (m *messages) startUnit() { m.unit = m.unit[:0] }

// prefix returns the bytes with which all messages of the unit begin in an order (CellOrder, RowOrder or sharedOrder).
func (m *messages) prefix(order byte) []byte {
	if len(m.unit) == 0 {
		m.unit = append(append(m.unit, BoundKey...), order)
		m.unit = append(m.Contents.AppendUnit(m.unit), 0, 0, 0, 0)
	}
	m.unit[len(BoundKey)] = order
	return m.unit
}

// openCells prepares the batch for cells of width bytes. The hash takes the last eight bytes of a message as a number:
// the end of the cell, with bytes of the prefix before it if the cell is shorter.
func (m *messages) openCells(width int) {
	prefix := m.prefix(CellOrder)
	own := len(prefix) + width - manyhash.NumberBytes
	m.before = prefix[min(own, len(prefix)):]
	m.batch.Open(prefix[:len(prefix)-len(m.before)], len(prefix)+width)
}

// addCell adds the message of a cell to the batch. Its digest gets the tag.
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

// openRows prepares the batch for messages of contents of width bytes, each followed by an occurrence number.
func (m *messages) openRows(width int) {
	prefix := m.prefix(m.Order)
	m.batch.Open(prefix, len(prefix)+width+manyhash.NumberBytes)
}

// ofFirst returns the digest of occurrence 0 of a content.
func (m *messages) ofFirst(content []byte) digest {
	message := append(m.prefix(m.Order), content...)
	return manyhash.Of(append(message, make([]byte, manyhash.NumberBytes)...))
}

// openLater prepares the batch for occurrences 1, 2, …, if several queries share records. Their messages have the
// digest of occurrence 0 in place of the content.
func (m *messages) openLater() { m.batch.Open(nil, sha256.Size+manyhash.NumberBytes) }

// totalRows returns the number of rows in slots.
func totalRows(slots []slot) uint64 {
	n := uint64(0)
	for _, x := range slots {
		n += x.Rows
	}
	return n
}
