//go:build !windows

package scratchfile

import (
	"errors"
	"os"
)

// create makes a file and removes its name, so that nobody else can open it.
func create(folder string) (*os.File, error) {
	made, err := os.CreateTemp(folder, pattern)
	if err != nil {
		return nil, err
	}
	if err := os.Remove(made.Name()); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, errors.Join(err, made.Close())
	}
	return made, nil
}
