//go:build unix && !linux

package sqlstore

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// lockFile returns a lock file for each name, since these systems have no OFD locks.
func lockFile(path string, at int64) string { return fmt.Sprintf("%s.%016x", path, at) }

// flock locks a whole open file.
func flock(fd uintptr, _ int64) error { return unix.Flock(int(fd), unix.LOCK_EX|unix.LOCK_NB) }
