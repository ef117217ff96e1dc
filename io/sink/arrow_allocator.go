package sink

import "github.com/apache/arrow/go/v17/arrow/memory"

// boundedAllocator allocates memory for reading an uncompressed Arrow file. The library takes the lengths of buffers
// from the file, and a damaged length could use up the machine's memory. No buffer of a valid file is longer than the
// file. For a longer one, the allocator returns an empty buffer; the library then panics when it reads beyond the
// buffer's end, and recoverError turns the panic into an error.
type boundedAllocator struct {
	memory.Allocator
	size int
}

func newBoundedAllocator(size int64) boundedAllocator {
	const rounding = 64 // the library rounds lengths up
	return boundedAllocator{memory.DefaultAllocator, int(size) + rounding}
}

func (w boundedAllocator) Allocate(size int) []byte {
	if size < 0 || size > w.size {
		return nil
	}
	return w.Allocator.Allocate(size)
}

func (w boundedAllocator) Reallocate(size int, b []byte) []byte {
	if size < 0 || size > w.size {
		return nil
	}
	return w.Allocator.Reallocate(size, b)
}
