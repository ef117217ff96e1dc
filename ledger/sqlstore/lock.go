package sqlstore

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"os"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/dprelease/dprelease/ledger"
)

// lock holds name in the file at path, which it makes where there is none, until unlock. It does not wait. The lock
// belongs to the open file, so that another call of this process meets it too, and ends with the process.
func lock(path, name string) (unlock func(), err error) {
	f, err := os.OpenFile(lockFile(path, offset(name)), os.O_RDWR|os.O_CREATE|noFollow, 0o600)
	if err != nil {
		return nil, translateFile(err)
	}
	if err := hold(f, offset(name)); err != nil {
		_ = f.Close() // nothing was written
		return nil, err
	}
	return sync.OnceFunc(func() { _ = f.Close() }), nil // closing cannot keep the lock
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
