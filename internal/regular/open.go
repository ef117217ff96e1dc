// Package regular opens the files that a user names. Opening a pipe for reading waits for a writer, and nothing can
// interrupt that; reading a device such as /dev/zero never ends. So only regular files are opened.
package regular

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// ErrNotRegular means that a path names a pipe, a device, a socket, a folder or a file of the kernel.
var ErrNotRegular = errors.New("not a regular file")

// Open opens a regular file for reading. It never waits. Errors: *fs.PathError, perhaps of ErrNotRegular.
func Open(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if errors.Is(err, syscall.ENXIO) { // a socket, or a device without a driver
		err = &fs.PathError{Op: "open", Path: path, Err: ErrNotRegular}
	}
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && (!info.Mode().IsRegular() || isKernelFile(f)) {
		err = &fs.PathError{Op: "open", Path: path, Err: ErrNotRegular}
	}
	if err != nil {
		_ = f.Close() // nothing is lost: nothing was read
		return nil, err
	}
	return f, nil
}

// Reason returns why a file cannot be opened or read, for a message that names the path itself. It contains only texts
// of the operating system.
func Reason(err error) string {
	var number syscall.Errno
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "there is no such file"
	case errors.Is(err, fs.ErrPermission):
		return "permission denied"
	case errors.Is(err, ErrNotRegular):
		return "this is a folder, a pipe, a socket or a device"
	case errors.Is(err, fs.ErrExist):
		return "something is there already"
	case errors.Is(err, syscall.ENOTDIR):
		return "a part of the path is a file, not a folder"
	case errors.Is(err, syscall.ELOOP):
		return "its symbolic links lead in a circle"
	case errors.Is(err, syscall.ENAMETOOLONG):
		return "the name is too long"
	case errors.Is(err, syscall.ENOSPC):
		return "the disk is full"
	case errors.Is(err, syscall.EDQUOT):
		return "the user's quota of disk space is used up"
	case errors.Is(err, syscall.EROFS):
		return "the file system is read-only"
	case errors.Is(err, syscall.EIO):
		return "the device reports an error"
	case errors.As(err, &number):
		return number.Error()
	}
	return "the system gives no reason"
}

// Remedy returns what to do about an error of opening, reading or writing a file, for the hint of a message.
func Remedy(err error) string {
	switch {
	case errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT):
		return "make room, and run the same command again"
	case errors.Is(err, syscall.EROFS):
		return "choose a place that can be written, or mount the file system for writing"
	case errors.Is(err, fs.ErrPermission):
		return "let this user use the file and its folder, or choose another"
	case errors.Is(err, ErrNotRegular):
		return "name a file"
	case errors.Is(err, syscall.EIO):
		return "check the disk, and whether the file can be copied"
	}
	return "check the path"
}

// ReadFile reads at most limit bytes of a regular file.
func ReadFile(path string, limit int64) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // nothing is lost: the file was only read
	return io.ReadAll(io.LimitReader(f, limit))
}

// Replaceable returns an error if path, which is about to be replaced, is something other than a regular file, or if its
// folder is not there.
func Replaceable(path string) error {
	folder, err := os.Stat(filepath.Dir(path))
	if err != nil {
		return err
	}
	if !folder.IsDir() {
		return &fs.PathError{Op: "replace", Path: path, Err: syscall.ENOTDIR}
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().IsRegular() {
		return nil // no error here: writing will report the problem
	}
	return &fs.PathError{Op: "replace", Path: path, Err: ErrNotRegular}
}

// Create writes a new file and syncs it. If that fails, no incomplete file is left. The umask limits the mode. Errors:
// those of the system, [fs.ErrExist] if something is at path.
func Create(path string, text []byte, mode fs.FileMode) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		_ = os.Remove(path) // the error above explains the failure
	}
	return err
}

// OpenRoot does the same as [os.OpenRoot] for a folder. For anything else, such as a pipe, it returns an error and does
// not wait.
func OpenRoot(dir string) (*os.Root, error) {
	info, err := os.Stat(dir)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, &fs.PathError{Op: "open", Path: dir, Err: syscall.ENOTDIR}
	}
	return os.OpenRoot(dir)
}
