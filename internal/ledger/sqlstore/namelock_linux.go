package sqlstore

import (
	"io"

	"golang.org/x/sys/unix"
)

// lockFile returns the path of the lock file. One file has the locks of all names, each on a byte of its own.
func lockFile(path string, _ int64) string { return path }

// flock locks one byte until the file is closed (an OFD lock).
func flock(fd uintptr, at int64) error {
	return unix.FcntlFlock(fd, unix.F_OFD_SETLK, &unix.Flock_t{Type: unix.F_WRLCK, Whence: io.SeekStart, Start: at,
		Len: 1})
}
