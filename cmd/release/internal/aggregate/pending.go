package aggregate

import (
	"os"
	"path/filepath"
)

// pending is a file that is being written: without a name, or under one that is not its own yet.
type pending struct {
	file *os.File
	name string // "" if the file has none
}

// discard closes the file and removes it, unless it was published.
func (p *pending) discard() {
	_ = p.file.Close() // it is synced, or not wanted
	if p.name != "" {
		_ = os.Remove(p.name) // it has been renamed if it was published
	}
}

// temporary is the pattern of the names of files that have one.
const temporary = ".dprelease-part-*"

// named makes a pending file with a name.
func named(path string) (*pending, error) {
	f, err := os.CreateTemp(filepath.Dir(path), temporary)
	if err != nil {
		return nil, err
	}
	return &pending{f, f.Name()}, nil
}

// rename gives a file its final name.
func (p *pending) rename(path string) error { return os.Rename(p.name, path) }
