package bounding

import (
	"math"

	"github.com/dprelease/dprelease/queries/internal/columnar"
)

// Spill is memory and scratch space shared by the accumulators of a scan. Its methods may be called by several
// goroutines. Everything written to it is private: it encrypts what it stores and keeps it only during the scan.
type Spill interface {
	// Join registers an accumulator that shares the memory; all must join before the first batch.
	Join()
	// Share returns how many bytes of rows each accumulator may hold before it writes them to the scratch space.
	Share() int64
	// Room returns how many bytes each goroutine may use while units are bounded.
	Room() int64
	// Cells returns the largest domain, in cells, that an accumulator holds as a dense vector. For a larger domain it
	// holds only the cells that have rows.
	Cells() int64
	// Workers returns how many goroutines may bound units at a time.
	Workers() int
	// Err returns why the scan has ended before its time, or nil.
	Err() error
	// Write stores pieces, one after the other, and returns their place.
	Write(pieces ...[]byte) (at int64, err error)
	// Read fills piece with the bytes that Write stored at at. An error means that the bytes were changed or that the
	// scan has ended.
	Read(piece []byte, at int64) error
}

// JoinNow registers an accumulator with a spill immediately, even if the spill delays joining until it is known which
// queries share rows of units.
func JoinNow(s Spill) {
	switch s := s.(type) {
	case nil:
	case interface{ JoinNow() }:
		s.JoinNow()
	default:
		s.Join()
	}
}

// inMemory is a Spill without limits that is never written to.
type inMemory struct{}

func (inMemory) Join()                          {}
func (inMemory) Share() int64                   { return math.MaxInt64 }
func (inMemory) Room() int64                    { return math.MaxInt64 }
func (inMemory) Cells() int64                   { return math.MaxInt64 }
func (inMemory) Err() error                     { return nil }
func (inMemory) Workers() int                   { return 1 }
func (inMemory) Write(...[]byte) (int64, error) { return 0, columnar.ErrShape }
func (inMemory) Read([]byte, int64) error       { return columnar.ErrShape }
