//go:build unix && !linux

package sqlstore

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// lockFile is a file for each name: these systems have no byte locks that belong to an open file.
func lockFile(path string, at int64) string { return fmt.Sprintf("%s.%016x", path, at) }

// flock locks the whole of an open file.
func flock(fd uintptr, _ int64) error { return unix.Flock(int(fd), unix.LOCK_EX|unix.LOCK_NB) }
