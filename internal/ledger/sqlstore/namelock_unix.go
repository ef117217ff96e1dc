//go:build unix && !linux

package sqlstore

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// lockFile returns the path of a name's lock file. Each name has a file of its own, since these systems have no OFD
// locks, which lock one byte of an open file.
func lockFile(path string, at int64) string { return fmt.Sprintf("%s.%016x", path, at) }

// flock locks the whole file until it is closed.
func flock(fd uintptr, _ int64) error { return unix.Flock(int(fd), unix.LOCK_EX|unix.LOCK_NB) }
