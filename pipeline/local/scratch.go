package local

import (
	"context"
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

	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/queries/bounding"
)

// scratch is the memory that the accumulators of one scan share, and a file for what does not fit in it.
//
// The file has no name: it is unlinked before the first byte is written, so that the system frees it when the process
// ends, however that happens. Its pieces are encrypted and authenticated (AES-256-GCM) under a key that is drawn for
// the scan and held only in memory. The offset of a piece in the file is its nonce, and no offset is written twice.
type scratch struct {
	ctx     context.Context
	folder  string
	memory  memory
	joined  atomic.Int64
	mutex   sync.Mutex // held while the file is made
	file    *os.File
	aead    cipher.AEAD
	end     atomic.Int64
	buffers sync.Pool
}

var _ bounding.Spill = (*scratch)(nil)

const (
	scratchPattern = ".dprelease-spill-*"
	keyBytes       = 32
)

// newScratch returns a scratch that makes its file in a folder when it needs one. Its calls fail after ctx has ended.
func newScratch(ctx context.Context, folder string, m memory) *scratch {
	return &scratch{ctx: ctx, folder: folder, memory: m}
}

// Join adds an accumulator.
func (s *scratch) Join() { s.joined.Add(1) }

// Share returns an accumulator's equal share of the memory for rows.
func (s *scratch) Share() int64 { return s.memory.rows / max(s.joined.Load(), 1) }

// Room returns the memory for each goroutine that bounds units.
func (s *scratch) Room() int64 { return s.memory.room }

// Cells returns the largest domain of which all cells are held.
func (s *scratch) Cells() int64 { return s.memory.cells }

// Workers returns the number of goroutines.
func (s *scratch) Workers() int { return s.memory.workers }

// Err returns the error of the scan's context.
func (s *scratch) Err() error { return s.ctx.Err() }

// Write encrypts pieces and appends them to the file.
func (s *scratch) Write(pieces ...[]byte) (at int64, err error) {
	if err := s.openFile(); err != nil {
		return 0, err
	}
	size := 0
	for _, p := range pieces {
		size += len(p)
	}
	buf := s.buffer(size + s.aead.Overhead())
	defer s.buffers.Put(&buf)
	plain := buf[:0]
	for _, p := range pieces {
		plain = append(plain, p...)
	}
	at = s.end.Add(int64(len(buf))) - int64(len(buf))
	if _, err := s.file.WriteAt(s.aead.Seal(plain[:0], nonce(at), plain, nil), at); err != nil {
		return 0, s.failed("rows of the input can't be written to the scratch folder "+s.folder, err)
	}
	return at, nil
}

// Read decrypts what was written at an offset.
func (s *scratch) Read(piece []byte, at int64) error {
	if err := s.Err(); err != nil {
		return err
	}
	if s.file == nil {
		return errNoScratch
	}
	buf := s.buffer(len(piece) + s.aead.Overhead())
	defer s.buffers.Put(&buf)
	if _, err := s.file.ReadAt(buf, at); err != nil {
		return s.failed("rows of the input can't be read back from the scratch folder "+s.folder, err)
	}
	if _, err := s.aead.Open(piece[:0], nonce(at), buf, nil); err != nil {
		return s.failed("rows of the input were changed in the scratch folder "+s.folder, errChanged)
	}
	return nil
}

var (
	errNoScratch = errors.New("local: nothing was written")
	errChanged   = errors.New("their authentication tag does not match")
)

// nonce returns the 96-bit nonce of an offset.
func nonce(at int64) []byte { return binary.BigEndian.AppendUint64(make([]byte, 4, 12), uint64(at)) }

func (s *scratch) buffer(n int) []byte {
	if b, ok := s.buffers.Get().(*[]byte); ok && cap(*b) >= n {
		return (*b)[:n]
	}
	return make([]byte, n)
}

// openFile makes the file and the key when they are first needed.
func (s *scratch) openFile() error {
	if err := s.Err(); err != nil {
		return err
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.file != nil {
		return nil
	}
	key := make([]byte, keyBytes)
	if _, err := rand.Read(key); err != nil {
		return s.failed("no key can be drawn for the scratch folder", err)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return err
	}
	clear(key)
	if s.aead, err = cipher.NewGCM(block); err != nil {
		return err
	}
	s.sweep()
	f, err := os.CreateTemp(s.folder, scratchPattern)
	if err != nil {
		return s.failed("there can be no file in the scratch folder "+s.folder, err)
	}
	if err := os.Remove(f.Name()); err != nil && !errors.Is(err, os.ErrNotExist) {
		return errors.Join(s.failed("a file can't be unlinked in the scratch folder "+s.folder, err), f.Close())
	}
	s.file = f
	return nil
}

// sweep removes the empty files of runs that were killed after making a file and before unlinking it.
func (s *scratch) sweep() {
	names, _ := filepath.Glob(filepath.Join(s.folder, scratchPattern)) // the pattern is sound
	for _, name := range names {
		if info, err := os.Lstat(name); err == nil && info.Mode().IsRegular() && info.Size() == 0 {
			_ = os.Remove(name) // it may be another user's
		}
	}
}

// Close frees the file.
func (s *scratch) Close() error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.file == nil {
		return nil
	}
	err := s.file.Close()
	s.file = nil
	return err
}

// failed returns an error of the scratch folder, in the system's own words.
func (s *scratch) failed(message string, err error) error {
	var number syscall.Errno
	switch {
	case errors.As(err, &number):
		err = number
	case !errors.Is(err, errChanged):
		err = nil
	}
	return &pipeline.Error{
		Cause: pipeline.CauseOutput, Code: "scratch", Message: message, Err: err,
		Hint: "free space there, name another folder with --tmp-dir, or raise memory_limit so that nothing has to be written",
	}
}
