package tables

import "github.com/apache/arrow/go/v17/arrow/memory"

// Within allocates memory for reading a file without compression: no buffer may be longer than the file. The library
// takes the lengths of buffers from the file, and a damaged length would end the process for lack of memory. If a
// buffer is too long, within returns an empty one, and the library panics when it reads beyond its end: see recovered.
type Within struct {
	memory.Allocator
	size int
}

// NewWithin returns an allocator for a file of size bytes.
func NewWithin(size int64) Within {
	const rounding = 64 // the library rounds lengths up
	return Within{memory.DefaultAllocator, int(size) + rounding}
}

// Allocate implements memory.Allocator.
func (w Within) Allocate(size int) []byte {
	if size < 0 || size > w.size {
		return nil
	}
	return w.Allocator.Allocate(size)
}

// Reallocate implements memory.Allocator.
func (w Within) Reallocate(size int, b []byte) []byte {
	if size < 0 || size > w.size {
		return nil
	}
	return w.Allocator.Reallocate(size, b)
}
