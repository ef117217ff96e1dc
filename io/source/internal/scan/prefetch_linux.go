package scan

import (
	"os"

	"golang.org/x/sys/unix"
)

// prefetch asks the system to read a part of a file ahead. The system does not do so by itself, since the columns of a
// row group are read alternately. Errors are ignored, since prefetch is only a hint.
func prefetch(f *os.File, at, n int64) {
	if c, err := f.SyscallConn(); err == nil {
		_ = c.Control(func(fd uintptr) { _ = unix.Fadvise(int(fd), at, n, unix.FADV_WILLNEED) })
	}
}
