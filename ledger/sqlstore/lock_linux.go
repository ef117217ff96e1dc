package sqlstore

import (
	"errors"
	"io"
	"os"

	"golang.org/x/sys/unix"

	"github.com/dprelease/dprelease/ledger"
)

// lockFile is one file for all names.
func lockFile(path string, _ int64) string { return path }

// hold locks one byte of f (an open file description lock).
func hold(f *os.File, at int64) error {
	raw, err := f.SyscallConn()
	if err != nil {
		return translateFile(err)
	}
	var held error
	err = raw.Control(func(fd uintptr) {
		held = unix.FcntlFlock(fd, unix.F_OFD_SETLK, &unix.Flock_t{Type: unix.F_WRLCK, Whence: io.SeekStart, Start: at, Len: 1})
	})
	switch {
	case err != nil:
		return translateFile(err)
	case errors.Is(held, unix.EAGAIN) || errors.Is(held, unix.EACCES):
		return ledger.ErrBusy
	}
	return translateFile(held)
}
