package example

import (
	"context"
	"os"
	"path"
	"path/filepath"
)

// copyFolder copies the table's files from the folder $DPRELEASE_DATA into dir.
func (p place) copyFolder(_ context.Context, dir string) error {
	root := os.Getenv("DPRELEASE_DATA")
	if root == "" {
		return unavailablef("the variable is not set")
	}
	for _, f := range p.Files {
		found, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(f.From)))
		if err != nil {
			return err
		}
		if len(found) == 0 {
			return unavailablef("it holds no %s", f.From)
		}
		for _, source := range found {
			if err := p.copyFile(source, filepath.Join(dir, f.name(source))); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p place) copyFile(source, target string) error {
	content, err := os.ReadFile(source)
	if err != nil {
		return unavailable{err}
	}
	return p.put(filepath.Base(source), target, content)
}

// name returns the file's name in the folder data. source is its path in the origin.
func (f File) name(source string) string {
	if f.To != "" {
		return f.To
	}
	return filepath.Base(source)
}

// base returns the name of the file in an archive.
func (f File) base() string { return path.Base(f.From) }
