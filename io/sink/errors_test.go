package sink

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/dprelease/dprelease/pipeline"
)

func TestErrorTexts(t *testing.T) {
	path := func(err error) error { return &os.PathError{Op: "open", Path: "/a", Err: err} }
	for _, c := range []struct {
		err  error
		code Code
		text string
	}{
		{path(syscall.ENOSPC), CodeDiskFull, "write /out: the disk or the quota is full"},
		{path(syscall.EDQUOT), CodeDiskFull, "write /out: the disk or the quota is full"},
		{path(syscall.EROFS), CodeReadOnly, "write /out: the file system is read-only"},
		{path(syscall.EACCES), CodePermission, "write /out: permission denied"},
		{path(syscall.EPERM), CodePermission, "write /out: permission denied"},
		{path(syscall.EEXIST), CodeExists, "write /out: something is there already"},
		{path(syscall.ENOTEMPTY), CodeExists, "write /out: something is there already"},
		{path(syscall.ENOTDIR), CodeNotFolder, "write /out: the path, or a part of it, is a file and not a folder"},
		{&os.LinkError{Op: "rename", Old: "/a", New: "/b", Err: syscall.EXDEV}, CodeOtherDisk,
			"write /out: the staging folder is on another file system"},
		{path(syscall.EIO), CodeIO, "write /out: " + syscall.EIO.Error()},
		{fs.ErrNotExist, CodeMissing, "write /out: file does not exist"},
		{context.Canceled, CodeCancelled, "write /out: context canceled"},
		{fmt.Errorf("cell is 4711"), CodeIO, "write /out: failed for a reason that the system does not name"},
		{fmt.Errorf("column 4711: %w", mismatch("column k")), CodeMismatch,
			"write /out: reads back differently from the answer: column k"},
		{errors.Join(context.Canceled, mismatch("column k")), CodeCancelled, "write /out: context canceled"},
	} {
		err := failure("write", "/out", c.err)
		fails(t, err, c.code)
		if err.Error() != c.text {
			t.Errorf("%q, want %q", err, c.text)
		}
		if again := failure("other", "/else", fmt.Errorf("around: %w", err)); !strings.Contains(again.Error(), c.text) {
			t.Errorf("an error of ours was renamed: %v", again)
		}
	}
	if failure("write", "/out", nil) != nil {
		t.Error("no failure is one")
	}
}

func TestErrorsAreThePipelines(t *testing.T) {
	if err := noRelease("/out"); !errors.Is(err, pipeline.ErrNoRelease) || errors.Is(err, pipeline.ErrIncomplete) {
		t.Errorf("error %v, want %v", err, pipeline.ErrNoRelease)
	}
	if err := incomplete("/out", "why"); !errors.Is(err, pipeline.ErrIncomplete) ||
		!strings.HasSuffix(err.Error(), ": why") {
		t.Errorf("error %v, want %v", err, pipeline.ErrIncomplete)
	}
}

func TestFormats(t *testing.T) {
	if got := allFormats(); !slices.Equal(got, []string{"arrow", "csv", "json", "parquet"}) {
		t.Errorf("formats %q", got)
	}
}
