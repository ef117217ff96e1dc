package scan

import (
	"os"

	"golang.org/x/sys/unix"
)

// prefetch asks the system to read a part of a file ahead: the columns of a row group are read in turns, which the
// system's own read-ahead does not recognize. It is a hint, so errors are ignored.
func prefetch(f *os.File, at, n int64) {
	if c, err := f.SyscallConn(); err == nil {
		_ = c.Control(func(fd uintptr) { _ = unix.Fadvise(int(fd), at, n, unix.FADV_WILLNEED) })
	}
}
