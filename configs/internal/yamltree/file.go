package yamltree

import (
	"errors"
	"io"
	"io/fs"
	"os"
)

// ReadFile reads at most one byte more than ReadTree accepts. So it also ends on an endless file.
func ReadFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // the file was only read
	return io.ReadAll(io.LimitReader(f, MaxFile+1))
}

// Unreadable says why a file cannot be read, and what to do.
func Unreadable(err error) (text, hint string) {
	var p *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "there is no such file", "check the path; it is relative to the current folder"
	case errors.Is(err, fs.ErrPermission):
		return "no permission to read the file", ""
	case errors.As(err, &p):
		return "the file cannot be read: " + p.Err.Error(), "give the path of a job file"
	}
	return "the file cannot be read", ""
}
