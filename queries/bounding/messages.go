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
// occurrence) has a digest. Three steps keep the smallest digests: first Limits.Cells cells, then in each kept cell
// Limits.RowsPerCell rows, and then Limits.Rows of these rows. Each step draws a uniform sample that depends only on
// the unit's own rows and not on their order. Digests are computed only for units over a bound.
//
// A digest is the SHA-256 of
//
//	key (16 bytes), "c", unit, cell (8 bytes)
//	key (16 bytes), "r", unit, cell (8 bytes), each component of the value (8 bytes), occurrence (8 bytes)
//
// or, if several queries share records, of
//
//	key (16 bytes), "u", unit, 0 (4 bytes), content for all queries, 0 (8 bytes)     for occurrence 0
//	the digest of occurrence 0 (32 bytes), occurrence (8 bytes)                      for later occurrences
//
// so that a content for many queries, which is long, is hashed once. Integers are big-endian, and the unit is written
// as in [columnar.AppendValue]. The key is a public constant: the bounds hold for every choice of rows that depends on
// the unit alone.
const (
	// BoundKey is the key at the beginning of the hashed messages. It is exported, like CellOrder and RowOrder, for
	// engines that compute the digests themselves.
	BoundKey  = "dprelease/bound1"
	CellOrder = 'c' // follows the key in a message for a cell
	RowOrder  = 'r' // follows the key in a message for a row
	// sharedOrder replaces RowOrder if several queries share records.
	sharedOrder = 'u'
)

// CellField returns the field of a content that holds a cell number from 0 to size - 1.
func CellField(size int) Field { return Field{Bytes: CellBytes, Max: int64(size) - 1} }

// digest is the SHA-256 of a row or a cell of a unit. The rows and cells with the smallest digests are kept.
type digest = manyhash.Sum

// unitContents gives access to the current unit and its rows.
type unitContents interface {
	// AppendUnit appends the unit's canonical text.
	AppendUnit(dst []byte) []byte
	// Content returns the unpacked content of the row with number ref: the cell in four bytes, big-endian, then each
	// component of the value in eight bytes.
	Content(ref uint32) []byte
}

// CellBytes is the length of a cell number in a content. In a hashed message, four bytes of 0 precede it.
const CellBytes = 4

// CellOf returns the cell number at the beginning of a content.
func CellOf(content []byte) int32 { return int32(binary.BigEndian.Uint32(content)) }

// slot is all rows of a unit with the same content.
type slot struct {
	Ref  uint32 // the number of one of these rows
	At   int32  // if queries share records, the slot's index among the unit's slots; for kept slots, see queryBounder
	Rows uint64 // how many rows they are
}

// messages builds the messages that are hashed, for the rows of one unit after another.
type messages struct {
	Contents unitContents
	Order    byte   // RowOrder or sharedOrder
	unit     []byte // the bytes with which the unit's messages begin; empty until they are needed
	batch    manyhash.Batch
	before   []byte // the end of the prefix that fills up a cell of fewer than eight bytes
}

// startUnit prepares for the next unit.
func (m *messages) startUnit() { m.unit = m.unit[:0] }

// prefix returns the bytes with which all of the unit's messages of an order (CellOrder, RowOrder or sharedOrder)
// begin.
func (m *messages) prefix(order byte) []byte {
	if len(m.unit) == 0 {
		m.unit = append(append(m.unit, BoundKey...), order)
		m.unit = append(m.Contents.AppendUnit(m.unit), 0, 0, 0, 0)
	}
	m.unit[len(BoundKey)] = order
	return m.unit
}

// openCells prepares the batch for messages of cells of width bytes. A manyhash.Batch takes the last eight bytes of a
// message as a number. These are the last bytes of the cell or, if the cell is shorter than eight bytes, the last bytes
// of the prefix and the cell.
func (m *messages) openCells(width int) {
	prefix := m.prefix(CellOrder)
	own := len(prefix) + width - manyhash.NumberBytes
	m.before = prefix[min(own, len(prefix)):]
	m.batch.Open(prefix[:len(prefix)-len(m.before)], len(prefix)+width)
}

// addCell adds the message of a cell to the batch, which returns the tag with the message's digest.
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

// openLater prepares the batch for messages of occurrences 1, 2, …, if several queries share records. Each begins with
// the digest of occurrence 0.
func (m *messages) openLater() { m.batch.Open(nil, sha256.Size+manyhash.NumberBytes) }

// totalRows returns the number of rows in slots.
func totalRows(slots []slot) uint64 {
	n := uint64(0)
	for _, x := range slots {
		n += x.Rows
	}
	return n
}
