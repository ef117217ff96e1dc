package sink

import "github.com/apache/arrow/go/v17/arrow/memory"

// within allocates for what is read from a file without compression: no buffer is longer than the file. The library takes the
// lengths of buffers from the file, and a damaged one would end the process for lack of memory. A buffer that is too long is
// answered with an empty one, over whose end the library runs: see recovered.
type within struct {
	memory.Allocator
	size int
}

// newWithin returns an allocator for a file of some bytes.
func newWithin(size int64) within {
	const rounding = 64 // the library rounds lengths up
	return within{memory.DefaultAllocator, int(size) + rounding}
}

func (w within) Allocate(size int) []byte {
	if size < 0 || size > w.size {
		return nil
	}
	return w.Allocator.Allocate(size)
}

func (w within) Reallocate(size int, b []byte) []byte {
	if size < 0 || size > w.size {
		return nil
	}
	return w.Allocator.Reallocate(size, b)
}
