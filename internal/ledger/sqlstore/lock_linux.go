package sqlstore

import (
	"io"

	"golang.org/x/sys/unix"
)

// lockFile returns the lock file, which is the same for all names.
func lockFile(path string, _ int64) string { return path }

// flock locks one byte of an open file (an OFD lock).
func flock(fd uintptr, at int64) error {
	return unix.FcntlFlock(fd, unix.F_OFD_SETLK, &unix.Flock_t{Type: unix.F_WRLCK, Whence: io.SeekStart, Start: at,
		Len: 1})
}
