package bounding

import (
	"math"

	"github.com/dprelease/dprelease/queries/internal/columnar"
)

// Spill is memory and scratch space shared by the accumulators of a scan. Its methods may be called by several
// goroutines. Everything written to it is private: it encrypts what it stores and keeps it only during the scan.
type Spill interface {
	// Join registers a store that shares the memory. All stores must join before the first batch.
	Join()
	// Share returns how many bytes of rows each store may hold before it writes rows to the scratch space.
	Share() int64
	// Room returns how many bytes each goroutine may use while units are bounded.
	Room() int64
	// Cells returns the largest number of cells for which an accumulator holds the totals of all cells. With more cells it
	// holds only cells that have rows.
	Cells() int64
	// Workers returns how many goroutines may bound units at a time.
	Workers() int
	// Err returns the reason if the scan has been stopped, otherwise nil.
	Err() error
	// Write stores pieces one after the other. at is where they begin.
	Write(pieces ...[]byte) (at int64, err error)
	// Read fills piece with the bytes that begin at at. An error means that the stored bytes were changed or that the scan
	// has ended.
	Read(piece []byte, at int64) error
}

// JoinNow registers a store with a spill, even if the spill delays Join until it is known which queries share a store.
func JoinNow(s Spill) {
	switch s := s.(type) {
	case nil:
	case interface{ JoinNow() }:
		s.JoinNow()
	default:
		s.Join()
	}
}

// inMemory is a Spill with unlimited memory, so that nothing is written to it.
type inMemory struct{}

func (inMemory) Join()                          {}
func (inMemory) Share() int64                   { return math.MaxInt64 }
func (inMemory) Room() int64                    { return math.MaxInt64 }
func (inMemory) Cells() int64                   { return math.MaxInt64 }
func (inMemory) Err() error                     { return nil }
func (inMemory) Workers() int                   { return 1 }
func (inMemory) Write(...[]byte) (int64, error) { return 0, columnar.ErrShape }
func (inMemory) Read([]byte, int64) error       { return columnar.ErrShape }
