package sqlpush

import (
	"os"
	"path/filepath"
)

// A database in this process writes rows that do not fit in memory to a folder, unencrypted and with file permissions
// of its own choice. So it gets a folder that only this user can open, which is removed after the statements that need
// it.

// spillFolder is a temporary folder that is made and removed several times, always under the same path.
type spillFolder struct {
	// parent is the folder in which it is made the first time: the release's staging folder, or "" for the system's
	// temp directory.
	parent string
	path   string
}

// make makes the folder. The first time it also chooses the path and passes it to tell; if tell fails, the next call
// chooses another one.
func (f *spillFolder) make(tell func(path string) error) error {
	if f.path != "" {
		return os.MkdirAll(f.path, 0o700)
	}
	parent, err := filepath.Abs(f.parent)
	if f.parent == "" || err != nil {
		parent = os.TempDir()
	}
	path, err := os.MkdirTemp(parent, ".dprelease-database-*")
	if err != nil {
		return err
	}
	if err := tell(path); err != nil {
		_ = os.Remove(path) // it removes the folder, which is empty
		return err
	}
	f.path = path
	return nil
}

func (f *spillFolder) remove() {
	if f.path != "" {
		_ = os.RemoveAll(f.path) // the database may still hold files open; their space is freed when it closes them
	}
}
