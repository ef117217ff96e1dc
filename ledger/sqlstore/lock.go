package sqlstore

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/dprelease/dprelease/ledger"
)

// lock holds name in the file at path, which it makes if there is none, until unlock. It does not wait. The lock
// belongs to the open file, so that another call of this process meets it too, and ends with the process.
func lock(path, name string, s sharing) (unlock func(), err error) {
	f, err := openLock(lockFile(path, offset(name)), s)
	if err != nil {
		return nil, translateFile(err)
	}
	if err := hold(f, offset(name)); err != nil {
		_ = f.Close() // nothing was written
		return nil, err
	}
	return sync.OnceFunc(func() { _ = f.Close() }), nil // closing cannot keep the lock
}

// openLock opens a lock file, or makes it with the mode that the ledger's sharing asks for, whatever the umask says.
func openLock(path string, s sharing) (*os.File, error) {
	for {
		f, err := os.OpenFile(path, os.O_RDWR|unix.O_NOFOLLOW, 0)
		if !errors.Is(err, fs.ErrNotExist) {
			return f, err
		}
		f, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, fs.ErrExist) {
			continue // another process made it just now
		}
		if err != nil || s == alone {
			return f, err
		}
		return f, f.Chmod(s.mode())
	}
}

// hold keeps all others from holding f, or one byte of it, as long as it is open.
func hold(f *os.File, at int64) error {
	raw, err := f.SyscallConn()
	if err != nil {
		return translateFile(err)
	}
	var held error
	if err := raw.Control(func(fd uintptr) { held = flock(fd, at) }); err != nil {
		return translateFile(err)
	}
	if errors.Is(held, unix.EAGAIN) || errors.Is(held, unix.EACCES) {
		return ledger.ErrBusy
	}
	return translateFile(held)
}

// offset is the byte that stands for name: 62 bits of its SHA-256.
func offset(name string) int64 {
	sum := sha256.Sum256([]byte(name))
	return int64(binary.BigEndian.Uint64(sum[:8]) >> 2)
}
