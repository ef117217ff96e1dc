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
	switch {
	case errors.Is(err, fs.ErrNotExist):
		hint = regular.Hint(path, "a path is relative to the current folder", spelling.Distance)
	case errors.Is(err, fs.ErrPermission):
		hint = "let this user read the file"
	default:
		hint = "give the path of a job file"
	}
	return regular.Reason(err), hint
}
