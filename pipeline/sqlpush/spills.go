package sqlpush

import (
	"os"
	"path/filepath"
)

// A database in this process writes values of rows that it does not hold in memory to a folder, as they are and with
// permissions of its own choice. So it is given a folder that only the user of this process can look into, and that
// goes away with the statements that need it.

// spillFolder is a folder that is there from time to time, always under the same path.
type spillFolder struct {
	// parent is where it is made the first time: the release's staging folder, or "", the system's folder for temporary
	// files.
	parent string
	path   string
}

// make makes the folder, empty. The first time it tells its path; if that fails, it knows of none.
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
		_ = os.Remove(path) // it is empty
		return err
	}
	f.path = path
	return nil
}

// remove removes the folder and what is left in it.
func (f *spillFolder) remove() {
	if f.path != "" {
		_ = os.RemoveAll(f.path) // the database may hold files open, which go away with it
	}
}
