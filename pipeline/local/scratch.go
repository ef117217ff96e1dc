package local

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/dprelease/dprelease/internal/scratchfile"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/queries/bounding"
)

// scratch is the memory that the accumulators of one scan share, with a scratch file for data that does not fit.
type scratch struct {
	ctx    context.Context
	memory memory
	joined atomic.Int64
	file   *scratchfile.File
}

var _ bounding.Spill = (*scratch)(nil)

// newScratch returns a scratch whose file is in a folder. Its calls fail after ctx has ended.
func newScratch(ctx context.Context, folder string, m memory) *scratch {
	return &scratch{ctx: ctx, memory: m, file: scratchfile.In(folder)}
}

// Join registers one more accumulator, which gets a share of the memory.
func (s *scratch) Join() { s.joined.Add(1) }

// Share returns the memory for rows that one accumulator may use: an equal share, in bytes.
func (s *scratch) Share() int64 { return s.memory.rows / max(s.joined.Load(), 1) }

// Room returns the memory, in bytes, of each goroutine that applies contribution bounds.
func (s *scratch) Room() int64 { return s.memory.room }

// Cells returns the size of the largest domain that is held as a vector.
func (s *scratch) Cells() int64 { return s.memory.cells }

// Workers returns the number of goroutines that apply contribution bounds.
func (s *scratch) Workers() int { return s.memory.workers }

// Err returns the error of the scan's context.
func (s *scratch) Err() error { return s.ctx.Err() }

// Write encrypts pieces and appends them to the file. at is their offset.
func (s *scratch) Write(pieces ...[]byte) (at int64, err error) {
	if err := s.Err(); err != nil {
		return 0, err
	}
	at, err = s.file.Write(pieces...)
	return at, ScratchError(err)
}

// Read reads and decrypts the piece that was written at an offset.
func (s *scratch) Read(piece []byte, at int64) error {
	if err := s.Err(); err != nil {
		return err
	}
	return ScratchError(s.file.Read(piece, at))
}

// Close frees the file.
func (s *scratch) Close() error { return s.file.Close() }

// ScratchError gives an error of the scratch folder the cause of a run's error. It returns other errors unchanged.
func ScratchError(err error) error {
	var failed *scratchfile.Error
	if !errors.As(err, &failed) {
		return err
	}
	return &pipeline.Error{
		Cause: pipeline.CauseOutput, Code: "scratch", Message: failed.Message, Err: failed.Err,
		Hint: "free space there, name another folder with --tmp-dir, or raise memory_limit so that nothing has to be written",
	}
}
