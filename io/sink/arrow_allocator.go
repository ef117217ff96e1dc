package sink

import "github.com/apache/arrow/go/v17/arrow/memory"

// boundedAllocator allocates memory for reading an Arrow file without compression: no buffer may be longer than the
// file. The library takes the lengths of buffers from the file, and a damaged length would end the process for lack of
// memory. If a buffer is too long, the allocator returns an empty one, and the library panics when it reads beyond its
// end: see recoverError.
type boundedAllocator struct {
	memory.Allocator
	size int
}

// newBoundedAllocator returns an allocator for a file of size bytes.
func newBoundedAllocator(size int64) boundedAllocator {
	const rounding = 64 // the library rounds lengths up
	return boundedAllocator{memory.DefaultAllocator, int(size) + rounding}
}

// Allocate implements memory.Allocator.
func (w boundedAllocator) Allocate(size int) []byte {
	if size < 0 || size > w.size {
		return nil
	}
	return w.Allocator.Allocate(size)
}

// Reallocate implements memory.Allocator.
func (w boundedAllocator) Reallocate(size int, b []byte) []byte {
	if size < 0 || size > w.size {
		return nil
	}
	return w.Allocator.Reallocate(size, b)
}
