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
