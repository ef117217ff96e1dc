package sqlstore

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/dprelease/dprelease/internal/ledger"
)

// lock locks name in the lock file at path until unlock is called. If there is no such file, lock makes it. It does not
// wait. The lock belongs to the open file: it also excludes other calls in this process, and ends with the process.
func lock(path, name string, s sharing) (unlock func(), err error) {
	f, err := openLock(lockFile(path, offset(name)), s)
	if errors.Is(err, fs.ErrPermission) {
		return nil, fmt.Errorf("%s: %w", path, ledger.ErrReadOnly)
	} else if err != nil {
		return nil, fmt.Errorf("%s: %w", path, translateFile(err))
	}
	at := offset(name)
	if err := hold(f, at); err != nil {
		if errors.Is(err, ledger.ErrBusy) {
			err = readNote(f, at)
		}
		_ = f.Close() // nothing was written
		return nil, err
	}
	// ensure may have removed the file between the opening and the lock; then the lock excludes no other process.
	there, err1 := os.Lstat(f.Name())
	own, err2 := f.Stat()
	if err1 != nil || err2 != nil || !os.SameFile(there, own) {
		_ = f.Close() // nothing was written
		return nil, ledger.ErrBusy
	}
	writeNote(f, at, note(time.Now()))
	return sync.OnceFunc(func() {
		writeNote(f, at, "")
		_ = f.Close() // closing releases the lock, even if it fails
	}), nil
}

// openLock opens a lock file. If there is none, it makes one with the mode of s, whatever the umask is.
func openLock(path string, s sharing) (*os.File, error) {
	for {
		f, err := os.OpenFile(path, os.O_RDWR|noFollow, 0)
		if !errors.Is(err, fs.ErrNotExist) {
			return f, err
		}
		f, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, fs.ErrExist) {
			continue // another process made it just now
		}
		if err != nil {
			return nil, err
		}
		return f, f.Chmod(s.mode())
	}
}

// hold locks f until it is closed: the byte at, or the whole file on systems that cannot lock a byte of an open file.
func hold(f *os.File, at int64) error {
	raw, err := f.SyscallConn()
	if err != nil {
		return translateFile(err)
	}
	var held error
	if err := raw.Control(func(fd uintptr) { held = flock(fd, at) }); err != nil {
		return translateFile(err)
	}
	if slices.ContainsFunc(contended, func(e error) bool { return errors.Is(held, e) }) {
		return ledger.ErrBusy
	}
	return translateFile(held)
}

// offset returns the position of the byte that is locked for name: 62 bits of the name's SHA-256.
func offset(name string) int64 {
	sum := sha256.Sum256([]byte(name))
	return int64(binary.BigEndian.Uint64(sum[:8]) >> 2)
}
