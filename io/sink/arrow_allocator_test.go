package sink

import (
	"testing"

	"github.com/apache/arrow/go/v17/arrow/memory"
)

// A buffer longer than the file makes Arrow's reader panic. The panic becomes one of our errors.
func TestWithin(t *testing.T) {
	for size, ok := range map[int]bool{0: true, 1000: true, 1001: true, 1129: false, 1 << 44: false} {
		err := func() (err error) {
			defer recoverError(&err)
			b := memory.NewResizableBuffer(newBoundedAllocator(1000))
			b.Resize(size)
			if len(b.Bytes()) != size {
				t.Errorf("%d bytes are %d", size, len(b.Bytes()))
			}
			return nil
		}()
		if (err == nil) != ok {
			t.Errorf("%d bytes of a file of 1000: %v", size, err)
		}
	}
}
