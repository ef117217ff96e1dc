package local

import (
	"github.com/dprelease/dprelease/io/source"
)

// NewTight returns an engine that holds next to no rows in memory.
func NewTight(data *source.Dataset, workers int, folder string) *Engine {
	e := NewWithin(data, Limits{Workers: workers, Scratch: folder})
	e.tight = &memory{workers: workers, rows: 1, room: 1 << 12}
	return e
}
