package source

import (
	"context"
	"errors"
	"io"
	"sync"

	"github.com/dprelease/dprelease/internal/scratchfile"
	"github.com/dprelease/dprelease/io/source/fault"
	"github.com/dprelease/dprelease/io/source/internal/scan"
)

// Stdin names the input that is read from standard input.
const Stdin = "-"

// Standard input arrives once, but a reader of its format needs its end first and some parts several times. So Open
// copies it into an encrypted scratch file (package scratchfile), which only this process can read, and the format's
// reader reads that file. Formats whose last bytes locate the rows can be read this way: if the writer was stopped, the
// end is missing, and Open fails. Texts and Arrow streams can be truncated unnoticed, so they are refused.

// spool is a copy of standard input in a scratch file, in pieces of spoolPiece bytes; the last one may be shorter.
type spool struct {
	file   *scratchfile.File
	places []int64 // places[i] is the offset of piece i in the scratch file
	size   int64
}

const spoolPiece = 1 << 20

// readStdin copies all of in to a scratch file in a folder. If ctx ends, it stops early, and a blocked read of in
// continues.
func readStdin(ctx context.Context, in io.Reader, folder string) (*spool, error) {
	s := &spool{file: scratchfile.In(folder)}
	done := make(chan error, 1)
	go func() { done <- s.fill(ctx, in) }()
	select {
	case err := <-done:
		if err != nil {
			_ = s.file.Close() // closing deletes the file; its contents are not used
			return nil, err
		}
		return s, nil
	case <-ctx.Done(): // a read of a pipe blocks until its writer writes
		return nil, ctx.Err()
	}
}

func (s *spool) fill(ctx context.Context, in io.Reader) error {
	piece := make([]byte, spoolPiece)
	for {
		n, err := io.ReadFull(in, piece)
		if ctx.Err() != nil {
			return errors.Join(ctx.Err(), s.file.Close())
		}
		if n > 0 {
			at, err := s.file.Write(piece[:n])
			if err != nil {
				return err
			}
			s.places = append(s.places, at)
			s.size += int64(n)
		}
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			return nil
		case errors.Is(err, ErrTerminal):
			return fault.New(fault.CodeUnreadable, "%v", err).Advise(adviceStdin)
		case err != nil:
			return fault.New(fault.CodeUnreadable, "standard input cannot be read")
		}
	}
}

func (s *spool) Size() int64 { return s.size }

// Version returns "", since a spool does not change.
func (s *spool) Version() string { return "" }

func (s *spool) Open(ctx context.Context) scan.Handle {
	return &spoolHandle{spool: s, ctx: ctx, held: -1}
}

// Fetch returns false: nothing is fetched ahead.
func (s *spool) Fetch(...scan.Extent) bool { return false }

// spoolHandle reads a spool. It holds the decrypted piece that was read last.
type spoolHandle struct {
	*spool
	ctx   context.Context
	mutex sync.Mutex
	held  int // number of the piece in memory; -1 if there is none
	piece []byte
}

func (h *spoolHandle) ReadAt(p []byte, at int64) (n int, err error) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	for n < len(p) {
		if err := h.ctx.Err(); err != nil {
			return n, err
		}
		if at >= h.size {
			return n, io.EOF
		}
		if err := h.hold(int(at / spoolPiece)); err != nil {
			return n, err
		}
		copied := copy(p[n:], h.piece[at%spoolPiece:])
		n, at = n+copied, at+int64(copied)
	}
	return n, nil
}

// hold decrypts piece i into memory, unless it is in memory.
func (h *spoolHandle) hold(i int) error {
	if h.held == i {
		return nil
	}
	if h.piece == nil {
		h.piece = make([]byte, spoolPiece)
	}
	h.held = -1
	h.piece = h.piece[:min(spoolPiece, h.size-int64(i)*spoolPiece)]
	if err := h.file.Read(h.piece, h.places[i]); err != nil {
		return err
	}
	h.held = i
	return nil
}

func (h *spoolHandle) Expect(...scan.Extent) {}

// Close does nothing: the spool stays open for other handles.
func (h *spoolHandle) Close() error { return nil }

// findStdin copies standard input to a spool and returns it as a file.
func (s *stores) findStdin(o Options) (found, *fault.Error) {
	open, e := stdinFormat(o.Format)
	return found{scan.Place{Path: Stdin}, Stdin, Stdin,
		func(ctx context.Context, at scan.Place, dialects dialects) (scan.File, *fault.Error) {
			if o.Stdin == nil {
				return nil, fault.New(fault.CodeUnreadable, "this program reads no standard input")
			}
			var err error
			if s.stdin, err = readStdin(ctx, o.Stdin, o.Scratch); err != nil {
				s.failed = err
				return nil, fault.From(err)
			}
			if s.stdin.size == 0 {
				return nil, fault.New(fault.CodeTruncated, "standard input is empty").Advise(adviceStdin)
			}
			at.Remote, at.Whole = s.stdin, true
			return open(ctx, at, dialects)
		}}, e
}

// adviceStdin tells how a program gets a table on standard input.
const adviceStdin = "pass a table: release run JOB <trips.arrow; in Python, dprelease.run(job, table)"

// ErrTerminal is the error of a reader of standard input that is a terminal, which would wait for the user.
var ErrTerminal = errors.New("standard input is a terminal")

// stdinFormat returns the opener of a format. It returns an error if the format cannot be read from standard input.
func stdinFormat(format string) (opener, *fault.Error) {
	for _, f := range formats {
		if f.name == format && !f.text {
			return f.open, nil
		}
	}
	return nil, fault.New(fault.CodeFormat, "standard input has to be in a format that states its end").
		Advise("write input.format: arrow (a file, not a stream) or parquet")
}
