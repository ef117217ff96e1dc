//go:build unix && !linux

package sqlstore

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"github.com/dprelease/dprelease/ledger"
)

// lockFile is a file for each name: these systems have no byte locks that belong to an open file.
func lockFile(path string, at int64) string { return fmt.Sprintf("%s.%016x", path, at) }

// hold locks the whole of f.
func hold(f *os.File, _ int64) error {
	raw, err := f.SyscallConn()
	if err != nil {
		return translateFile(err)
	}
	var held error
	err = raw.Control(func(fd uintptr) { held = unix.Flock(int(fd), unix.LOCK_EX|unix.LOCK_NB) })
	switch {
	case err != nil:
		return translateFile(err)
	case errors.Is(held, unix.EWOULDBLOCK):
		return ledger.ErrBusy
	}
	return translateFile(held)
}
