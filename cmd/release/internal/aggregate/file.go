package aggregate

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"

	"github.com/dprelease/dprelease/cmd/release/internal/console"
	"github.com/dprelease/dprelease/internal/regular"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/partial"
)

// readKey reads the file of a key that encrypts partial aggregates.
func readKey(path string) ([]byte, error) {
	const largest = 1 << 12
	return console.ReadKey(path, largest, "--key: the file %s can't be read: %s", "--key: %s can read the key %s: %s, "+
		"and if somebody may have read it, make another with --new-key")
}

// writeKey writes a key to a new file.
func writeKey(path string, key partial.Key) error {
	err := regular.Create(path, []byte(key.Reveal()), 0o600)
	if errors.Is(err, os.ErrExist) {
		return console.Usagef("--new-key: %s is there already, and a key is never overwritten", path)
	} else if err != nil {
		return console.WriteError(path, err)
	}
	return nil
}

// vacant returns an error if something is at path, except an earlier output file of the verb aggregate.
func vacant(path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return console.WriteError(path, err)
	}
	if info.Mode().IsRegular() {
		f, err := regular.Open(path)
		if err == nil {
			defer f.Close()
			start := make([]byte, len(partial.Mark))
			if _, err := io.ReadFull(f, start); err == nil && bytes.Equal(start, []byte(partial.Mark)) {
				return nil
			}
		}
	}
	return &pipeline.Error{
		Cause: pipeline.CauseOutput, Code: "occupied", Message: console.Here(path) +
			" holds something else than a partial aggregate",
		Hint: "choose another file with --out, or move it away",
	}
}

// apart returns an error if path is one of the files that the verb reads.
func apart(path string, read []string) error {
	info, err := os.Stat(path)
	if err != nil {
		return nil // no file at path: it cannot be one of those that are read
	}
	for _, of := range read {
		if other, err := os.Stat(of); err == nil && os.SameFile(info, other) {
			return console.Usagef("--to: %s is one of the files to merge; name another", path)
		}
	}
	return nil
}

// replaceFiles writes files into one folder. They appear, and replace earlier files, when all are complete and synced.
// If the process is killed before that, nothing is left on Linux, where the files have no names yet. If it is killed
// while they appear, some files are new and others old; the last merge refuses the mixture if the rows have changed. It
// returns errors of write unchanged.
func replaceFiles(paths []string, write func([]io.Writer) error) error {
	var all []*regular.Pending
	defer func() {
		for _, p := range all {
			p.Discard()
		}
	}()
	to := make([]io.Writer, len(paths))
	for i, path := range paths {
		p, err := regular.NewPending(path)
		if err != nil {
			return console.WriteError(path, err)
		}
		all, to[i] = append(all, p), &faults{w: p}
	}
	err := write(to)
	for i, w := range to {
		if w, ok := w.(*faults); ok && w.err != nil {
			return console.WriteError(paths[i], w.err)
		}
	}
	if err != nil {
		return err
	}
	for i, p := range all {
		if err := p.Sync(); err != nil {
			return console.WriteError(paths[i], err)
		}
	}
	for i, p := range all {
		if err := p.Publish(paths[i]); err != nil {
			return console.WriteError(paths[i], err)
		}
	}
	if err := syncFolder(filepath.Dir(paths[0])); err != nil {
		return console.WriteError(paths[0], err)
	}
	return nil
}

// faults is a writer that keeps its first error. So an error of the output can be told from an error of the input.
type faults struct {
	w   io.Writer
	err error
}

func (f *faults) Write(p []byte) (int, error) {
	n, err := f.w.Write(p)
	if f.err == nil {
		f.err = err
	}
	return n, err
}

func syncFolder(dir string) error {
	err := regular.SyncFolder(dir, (*os.File).Sync)
	if errors.Is(err, syscall.EINVAL) { // the system cannot sync folders
		return nil
	}
	return err
}
