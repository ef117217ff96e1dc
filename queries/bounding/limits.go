package bounding

import (
	"github.com/dprelease/dprelease/queries/internal/manyhash"
	"github.com/dprelease/dprelease/queries/internal/sampling"
)

// The words of [sampling] that a query needs.
type (
	// Limits are bounds without gaps: at least 1, k at most L·m and m at most k.
	Limits = sampling.Limits
	// Field is some bytes of a content.
	Field = sampling.Field

	slot   = sampling.Slot
	digest = manyhash.Sum
)

const (
	// BoundKey begins the messages that are hashed, for engines that follow the same rule.
	BoundKey = sampling.BoundKey
	// CellOrder follows it in those of cells.
	CellOrder = sampling.CellOrder
	// RowOrder follows it in those of rows.
	RowOrder = sampling.RowOrder
	// CellBytes is the length of the cell in a content.
	CellBytes = sampling.CellBytes
)

// CellField is the field of a cell below size.
func CellField(size int) Field { return sampling.CellField(size) }

// CellOf returns the cell of a content.
func CellOf(content []byte) int32 { return sampling.CellOf(content) }
