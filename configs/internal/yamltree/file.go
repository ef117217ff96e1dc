package yamltree

import (
	"errors"
	"io/fs"

	"github.com/dprelease/dprelease/internal/regular"
	"github.com/dprelease/dprelease/internal/spelling"
)

// ReadFile reads a file, but at most one byte more than ReadTree accepts, so that it ends on an endless file too.
func ReadFile(path string) ([]byte, error) {
	return regular.ReadFile(path, MaxFile+1)
}

// Unreadable returns why a file cannot be read, and a hint.
func Unreadable(path string, err error) (text, hint string) {
	var p *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "there is no such file", regular.Hint(path, "a path is relative to the current folder",
			spelling.Distance)
	case errors.Is(err, fs.ErrPermission):
		return "no permission to read the file", ""
	case errors.Is(err, regular.ErrNotRegular):
		return "this is a folder, a pipe or a device", "give the path of a job file"
	case errors.As(err, &p):
		return "the file cannot be read: " + p.Err.Error(), "give the path of a job file"
	}
	return "the file cannot be read", ""
}
