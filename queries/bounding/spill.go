package bounding

import (
	"math"

	"github.com/dprelease/dprelease/queries/internal/columnar"
)

// Spill is the memory and the scratch space (encrypted temporary files) that the accumulators of a scan share. Several
// goroutines may call its methods. The bytes that are written to it are private: it encrypts them, and deletes them
// when the scan ends.
type Spill interface {
	// Join registers a store that shares the memory. All stores must join before the first batch.
	Join()
	// Share returns how many bytes of rows each store may hold before it writes rows to the scratch space.
	Share() int64
	// Room returns how many bytes each goroutine may use to bound units.
	Room() int64
	// Cells returns the largest number of cells for which an accumulator holds the totals of all cells. If a query has
	// more cells, the accumulator holds only cells that have rows.
	Cells() int64
	// Workers returns how many goroutines may bound units at a time.
	Workers() int
	// Err returns the reason why the scan was stopped, or nil if it was not.
	Err() error
	// Write stores pieces one after the other. at is the offset of the first byte.
	Write(pieces ...[]byte) (at int64, err error)
	// Read fills piece with the bytes from offset at. An error means that the stored bytes were changed or that the scan
	// has ended.
	Read(piece []byte, at int64) error
}

// JoinNow registers a store of rows that only one query uses. It exists because queries that may share a store get a
// Spill whose Join does nothing: their caller registers the shared stores once it knows them. Such a Spill has a method
// JoinNow.
func JoinNow(s Spill) {
	switch s := s.(type) {
	case nil:
	case interface{ JoinNow() }:
		s.JoinNow()
	default:
		s.Join()
	}
}

// inMemory is a Spill with unlimited memory. Nothing is written to it.
type inMemory struct{}

func (inMemory) Join()                          {}
func (inMemory) Share() int64                   { return math.MaxInt64 }
func (inMemory) Room() int64                    { return math.MaxInt64 }
func (inMemory) Cells() int64                   { return math.MaxInt64 }
func (inMemory) Err() error                     { return nil }
func (inMemory) Workers() int                   { return 1 }
func (inMemory) Write(...[]byte) (int64, error) { return 0, columnar.ErrShape }
func (inMemory) Read([]byte, int64) error       { return columnar.ErrShape }
