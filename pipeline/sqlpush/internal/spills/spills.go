// Package spills makes the folder for what a database in this process does not hold in memory. Such a database writes values of rows there as they are, with
// permissions of its own choice, so that the folder is one that only the user of this process can look into, and it goes away with the statements that need it.
package spills

import (
	"os"
	"path/filepath"
)

// Folder is a folder that is there from time to time, always under the same path.
type Folder struct {
	// Parent is where it is made the first time: the release's staging folder, or "", the system's folder for temporary files.
	Parent string
	path   string
}

// Make makes the folder, empty. The first time it tells its path; if that fails, it knows of none.
func (f *Folder) Make(tell func(path string) error) error {
	if f.path != "" {
		return os.MkdirAll(f.path, 0o700)
	}
	parent, err := filepath.Abs(f.Parent)
	if f.Parent == "" || err != nil {
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

// Remove removes the folder and what is left in it.
func (f *Folder) Remove() {
	if f.path != "" {
		_ = os.RemoveAll(f.path) // the database may hold files open, which go away with it
	}
}
