package scratchfile

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"golang.org/x/sync/errgroup"
)

func fileIn(t *testing.T) (*File, string) {
	t.Helper()
	dir := t.TempDir()
	f := In(dir)
	t.Cleanup(func() { _ = f.Close() })
	return f, dir
}

// Pieces are read back as they were written, by several goroutines at once. The file has no name and its bytes show
// nothing of them.
func TestScratchKeepsPieces(t *testing.T) {
	s, dir := fileIn(t)
	secret := []byte("canary-7f3a")
	var g errgroup.Group
	for range 4 {
		g.Go(func() error {
			for n := range 200 {
				piece := append(bytes.Repeat(secret, n%7), byte(n))
				at, err := s.Write(piece[:n%3%len(piece)], piece[n%3%len(piece):])
				if err != nil {
					return err
				}
				got := make([]byte, len(piece))
				if err := s.Read(got, at); err != nil || !bytes.Equal(got, piece) {
					return fmt.Errorf("%q, %w, want %q", got, err, piece)
				}
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("%v can be seen, %v", left, err)
	}
	raw, err := io.ReadAll(io.NewSectionReader(s.file, 0, s.end.Load()))
	if err != nil || len(raw) < 10_000 || bytes.Contains(raw, secret) {
		t.Errorf("%d bytes, %v; in the clear: %v", len(raw), err, bytes.Contains(raw, secret))
	}
	if info, err := s.file.Stat(); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

func wantFailure(t *testing.T, err error, number error) {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) || number != nil && !errors.Is(err, number) {
		t.Errorf("%v", err)
	}
}

func TestScratchNoticesChanges(t *testing.T) {
	s, _ := fileIn(t)
	piece := make([]byte, 100)
	_, _ = rand.Read(piece)
	first, err1 := s.Write(piece)
	second, err2 := s.Write(piece)
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	b := make([]byte, 1)
	_, _ = s.file.ReadAt(b, first+50)
	b[0] ^= 1
	_, _ = s.file.WriteAt(b, first+50)
	wantFailure(t, s.Read(make([]byte, 100), first), nil)
	if err := s.Read(make([]byte, 100), second); err != nil {
		t.Error(err)
	}
	moved := make([]byte, 116)
	_, _ = s.file.ReadAt(moved, second)
	_, _ = s.file.WriteAt(moved, first)
	wantFailure(t, s.Read(make([]byte, 100), first), nil)
	wantFailure(t, s.Read(make([]byte, 99), second), nil)
	wantFailure(t, s.Read(make([]byte, 100), second+16), nil)
}

func TestScratchOnAFullDisk(t *testing.T) {
	s, _ := fileIn(t)
	if _, err := s.Write([]byte("x")); err != nil {
		t.Fatal(err)
	}
	full, err := os.OpenFile("/dev/full", os.O_RDWR, 0)
	if err != nil {
		t.Skip("there is no /dev/full here")
	}
	_ = s.file.Close()
	s.file = full
	_, err = s.Write([]byte("y"))
	wantFailure(t, err, syscall.ENOSPC)
}

// The scratch file of a killed run is removed. It can only be an empty file. Other files stay.
func TestScratchSweeps(t *testing.T) {
	s, dir := fileIn(t)
	for name, text := range map[string]string{".dprelease-spill-1": "", ".dprelease-spill-2": "not ours", "other": ""} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Write([]byte("x")); err != nil {
		t.Fatal(err)
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 2 || left[0].Name() != ".dprelease-spill-2" {
		t.Errorf("%v, %v", left, err)
	}
}
