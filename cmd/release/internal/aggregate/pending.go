package aggregate

import (
	"os"
	"path/filepath"
)

// pending is a file that is being written. It has no name yet, or a temporary one.
type pending struct {
	file *os.File
	name string // temporary name; "" if the file has none
}

// discard closes the file. Unless the file was published, discard removes it.
func (p *pending) discard() {
	_ = p.file.Close() // no error matters: the file is synced already, or is not wanted
	if p.name != "" {
		_ = os.Remove(p.name) // no error matters: a published file has been renamed
	}
}

// temporary is the pattern of temporary names.
const temporary = ".dprelease-part-*"

// named makes a pending file in the folder of path, with a temporary name, for systems on which no file can be without
// a name.
func named(path string) (*pending, error) {
	f, err := os.CreateTemp(filepath.Dir(path), temporary)
	if err != nil {
		return nil, err
	}
	return &pending{f, f.Name()}, nil
}

// rename gives a file its final name.
func (p *pending) rename(path string) error { return os.Rename(p.name, path) }
