// Package scratchfile keeps private bytes in a file that nobody else can read.
//
// The file is unlinked before the first byte is written, so that the system frees it when the process ends, even after
// a crash. On Windows it keeps its name, and the system deletes it when the process ends. Its pieces are encrypted and
// authenticated (AES-256-GCM) under a key that is drawn for the file and held only in memory. The offset of a piece in
// the file is its nonce, and no offset is written twice.
package scratchfile

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
)

// File is a scratch file. Its methods may be called by several goroutines.
type File struct {
	folder  string
	mutex   sync.Mutex // held while the file is made
	file    *os.File
	aead    cipher.AEAD
	end     atomic.Int64
	buffers sync.Pool
}

// Error is a problem with the folder of scratch files. It holds no byte of a piece.
type Error struct {
	Message string
	Err     error // the system's error number, errChanged, or nil
}

// Error returns the message.
func (e *Error) Error() string {
	if e.Err == nil {
		return e.Message
	}
	return e.Message + ": " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

var (
	errNothing = errors.New("scratchfile: nothing was written")
	errChanged = errors.New("their authentication tag does not match")
)

const (
	pattern  = ".dprelease-spill-*"
	keyBytes = 32
)

// In returns a scratch file in a folder. The file is made when a piece is first written.
func In(folder string) *File { return &File{folder: folder} }

// Write encrypts the pieces, joined to one, appends the result to the file, and returns its offset.
func (f *File) Write(pieces ...[]byte) (at int64, err error) {
	if err := f.open(); err != nil {
		return 0, err
	}
	size := 0
	for _, p := range pieces {
		size += len(p)
	}
	buf := f.buffer(size + f.aead.Overhead())
	defer f.buffers.Put(&buf)
	plain := buf[:0]
	for _, p := range pieces {
		plain = append(plain, p...)
	}
	at = f.end.Add(int64(len(buf))) - int64(len(buf))
	if _, err := f.file.WriteAt(f.aead.Seal(plain[:0], nonce(at), plain, nil), at); err != nil {
		return 0, f.folderError("rows of the input can't be written to the scratch folder "+f.folder, err)
	}
	return at, nil
}

// Read decrypts into piece the whole piece that Write stored at the offset at.
func (f *File) Read(piece []byte, at int64) error {
	if f.file == nil {
		return errNothing
	}
	buf := f.buffer(len(piece) + f.aead.Overhead())
	defer f.buffers.Put(&buf)
	if _, err := f.file.ReadAt(buf, at); err != nil {
		return f.folderError("rows of the input can't be read back from the scratch folder "+f.folder, err)
	}
	if _, err := f.aead.Open(piece[:0], nonce(at), buf, nil); err != nil {
		return f.folderError("rows of the input were changed in the scratch folder "+f.folder, errChanged)
	}
	return nil
}

// nonce returns the 96-bit nonce of an offset.
func nonce(at int64) []byte { return binary.BigEndian.AppendUint64(make([]byte, 4, 12), uint64(at)) }

func (f *File) buffer(n int) []byte {
	if b, ok := f.buffers.Get().(*[]byte); ok && cap(*b) >= n {
		return (*b)[:n]
	}
	return make([]byte, n)
}

// open makes the file and the key when they are first needed.
func (f *File) open() error {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	if f.file != nil {
		return nil
	}
	key := make([]byte, keyBytes)
	if _, err := rand.Read(key); err != nil {
		return f.folderError("no key can be drawn for the scratch folder", err)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return err
	}
	clear(key)
	if f.aead, err = cipher.NewGCM(block); err != nil {
		return err
	}
	f.sweep()
	made, err := create(f.folder)
	if err != nil {
		return f.folderError("there can be no file in the scratch folder "+f.folder, err)
	}
	f.file = made
	return nil
}

// sweep removes the empty files of runs that were killed between making a file and unlinking it.
func (f *File) sweep() {
	names, _ := filepath.Glob(filepath.Join(f.folder, pattern)) // no error: the pattern is valid
	for _, name := range names {
		if info, err := os.Lstat(name); err == nil && info.Mode().IsRegular() && info.Size() == 0 {
			_ = os.Remove(name) // fails if the file is another user's
		}
	}
}

// Close frees the file.
func (f *File) Close() error {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	if f.file == nil {
		return nil
	}
	err := f.file.Close()
	f.file = nil
	return err
}

// folderError returns an error of the scratch folder, with the system's error number.
func (f *File) folderError(message string, err error) error {
	var number syscall.Errno
	switch {
	case errors.As(err, &number):
		err = number
	case !errors.Is(err, errChanged):
		err = nil
	}
	return &Error{Message: message, Err: err}
}
