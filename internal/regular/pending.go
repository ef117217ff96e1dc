package regular

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Pending is a file that is being written. It appears at its path when it is published. Until then it has no name, so
// that nothing is left if the process is killed; on file systems that cannot do that, and for an instant before it is
// published, it has a temporary name in the same folder. Such a file that a killed process left is removed when the
// next file is written to the folder, one week later or more.
type Pending struct {
	*os.File
	name string // temporary name; "" if the file has none
}

// Discard closes the file. Unless the file was published, Discard removes it.
func (p *Pending) Discard() {
	_ = p.Close() // no error matters: the file is synced already, or is not wanted
	if p.name != "" {
		_ = os.Remove(p.name) // no error matters: a published file has been renamed
	}
}

// temporary is the pattern of temporary names. A file's own name may be too long to extend.
const temporary = ".dprelease-new-*"

// abandoned is the age from which on a file with a temporary name is taken for a killed process's. A shard makes its
// file before it reads its rows, which can take hours.
const abandoned = 7 * 24 * time.Hour

// createTemp makes a file with a temporary name in a folder, and removes those that killed processes left there.
func createTemp(dir string) (*os.File, error) {
	left, _ := fs.Glob(os.DirFS(dir), temporary) // no error matters: the pattern is well-formed
	for _, name := range left {
		path := filepath.Join(dir, name)
		if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() && time.Since(info.ModTime()) > abandoned {
			_ = os.Remove(path) // no error matters: it may be another user's
		}
	}
	return os.CreateTemp(dir, temporary)
}

// named makes a pending file in the folder of path, with a temporary name.
func named(path string) (*Pending, error) {
	f, err := createTemp(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	return &Pending{f, f.Name()}, nil
}

// rename closes a file, since Windows renames no open one, and gives it its final name.
func (p *Pending) rename(path string) error {
	if err := p.Close(); err != nil {
		return err
	}
	return os.Rename(p.name, path)
}

// Replace writes a file and syncs it before it appears at path. So the file is complete or as it was. It replaces
// regular files only. The file has the given mode. Errors: those of write and of the system, and *fs.PathError of
// ErrNotRegular.
func Replace(path string, mode fs.FileMode, write func(*os.File) error) error {
	if err := Replaceable(path); err != nil {
		return err
	}
	p, err := NewPending(path)
	if err != nil {
		return err
	}
	defer p.Discard()
	if err := errors.Join(write(p.File), p.Chmod(mode), p.Sync()); err != nil {
		return err
	}
	return p.Publish(path)
}
