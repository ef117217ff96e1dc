package local

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/dprelease/dprelease/internal/scratchfile"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/queries/bounding"
)

// scratch is the memory that the accumulators of one scan share, and a scratch file for data that does not fit in it.
type scratch struct {
	ctx    context.Context
	memory memory
	joined atomic.Int64
	file   *scratchfile.File
}

var _ bounding.Spill = (*scratch)(nil)

// newScratch returns a scratch with a file in a folder. Its calls fail after ctx has ended.
func newScratch(ctx context.Context, folder string, m memory) *scratch {
	return &scratch{ctx: ctx, memory: m, file: scratchfile.In(folder)}
}

// Join adds an accumulator.
func (s *scratch) Join() { s.joined.Add(1) }

// Share returns an accumulator's equal share of the memory for rows.
func (s *scratch) Share() int64 { return s.memory.rows / max(s.joined.Load(), 1) }

// Room returns the memory for each goroutine that bounds units.
func (s *scratch) Room() int64 { return s.memory.room }

// Cells returns the largest domain of which all cells are held in memory.
func (s *scratch) Cells() int64 { return s.memory.cells }

// Workers returns the number of goroutines.
func (s *scratch) Workers() int { return s.memory.workers }

// Err returns the error of the scan's context.
func (s *scratch) Err() error { return s.ctx.Err() }

// Write encrypts pieces and appends them to the file.
func (s *scratch) Write(pieces ...[]byte) (at int64, err error) {
	if err := s.Err(); err != nil {
		return 0, err
	}
	at, err = s.file.Write(pieces...)
	return at, ScratchError(err)
}

// Read decrypts what was written at an offset.
func (s *scratch) Read(piece []byte, at int64) error {
	if err := s.Err(); err != nil {
		return err
	}
	return ScratchError(s.file.Read(piece, at))
}

// Close frees the file.
func (s *scratch) Close() error { return s.file.Close() }

// ScratchError sets the cause of an error of the scratch folder. It returns other errors unchanged.
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
