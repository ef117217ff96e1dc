//go:build unix && !linux

package sqlstore

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"

	"github.com/dprelease/dprelease/ledger"
)

// hold locks the whole of f, whatever the byte: these systems have no byte locks that belong to an open file.
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
