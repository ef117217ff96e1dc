//go:build unix

package source_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/dprelease/dprelease/io/source/fault"
)

// A process that may open no more files gets no hint about permissions.
func TestTooManyOpenFiles(t *testing.T) {
	dir := folder(t, map[string]string{"a.csv": "x\n1\n"})
	d, err := openIn(dir, lines, "a.csv")
	if err != nil {
		t.Fatal(err)
	}
	var old syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &old); err != nil {
		t.Fatal(err)
	}
	low := old
	low.Cur = 64
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &low); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = syscall.Setrlimit(syscall.RLIMIT_NOFILE, &old) }() // the limit before the test
	var held []*os.File
	defer func() {
		for _, f := range held {
			_ = f.Close() // it was only opened
		}
	}()
	for range 64 {
		f, err := os.Open(filepath.Join(dir, "a.csv"))
		if err != nil {
			break
		}
		held = append(held, f)
	}
	var e *fault.Error
	if _, err := d.Read(t.Context(), 0, []string{"x"}, nil); !errors.As(err, &e) || e.Code != fault.CodeUnreadable ||
		!strings.Contains(err.Error(), "too many files") {
		t.Errorf("error %v", err)
	}
}

// A file that cannot be opened is refused with the system's reason.
func TestReasonOfUnopened(t *testing.T) {
	dir := folder(t, map[string]string{"a.csv": "x\n1\n"})
	if err := os.Symlink("circle.csv", filepath.Join(dir, "circle.csv")); err != nil {
		t.Fatal(err)
	}
	for file, reason := range map[string]string{
		"circle.csv": "links lead in a circle", "a.csv/b.csv": "is a file, not a folder",
		strings.Repeat("n", 300) + ".csv": "the name is too long",
	} {
		if _, err := openIn(dir, lines, file); err == nil || !strings.Contains(err.Error(), reason) {
			t.Errorf("%.20s: error %v, want %s", file, err, reason)
		}
	}
}
