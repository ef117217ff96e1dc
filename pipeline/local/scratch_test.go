package local

import (
	"context"
	"errors"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/dprelease/dprelease/pipeline"
)

func scratchIn(ctx context.Context, t *testing.T) (*scratch, string) {
	t.Helper()
	dir := t.TempDir()
	s := newScratch(ctx, dir, memory{workers: 2, rows: 100, room: 10})
	t.Cleanup(func() { _ = s.Close() })
	return s, dir
}

func TestScratchEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s, _ := scratchIn(ctx, t)
	at, err := s.Write([]byte("x"))
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := s.Write([]byte("y")); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
	if err := s.Err(); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
	if err := s.Read(make([]byte, 1), at); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
}

// An error of the scratch folder is an error of the output, with the system's text.
func TestScratchWithoutAFolder(t *testing.T) {
	s := newScratch(t.Context(), filepath.Join(t.TempDir(), "none"), memory{rows: 100})
	_, err := s.Write([]byte("x"))
	var e *pipeline.Error
	if !errors.As(err, &e) || e.Cause != pipeline.CauseOutput || e.Code != "scratch" || !errors.Is(err, syscall.ENOENT) {
		t.Errorf("%v", err)
	}
}

func TestMemoryIsShared(t *testing.T) {
	s := newScratch(t.Context(), "", memory{rows: 100})
	s.Join()
	s.Join()
	if s.Share() != 50 {
		t.Errorf("%d bytes each", s.Share())
	}
	if m := DefaultMemory(); m < minDefault {
		t.Errorf("%d bytes by default", m)
	}
	for text, want := range map[string]int64{"12": 12 << 10, "max": 1<<63 - 1, "-1": 1<<63 - 1,
		"9223372036854775807": 1<<63 - 1} {
		if got := count(text, 1<<10); got != want {
			t.Errorf("%s: %d, want %d", text, got, want)
		}
	}
}
