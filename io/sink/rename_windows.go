package sink

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/windows"
)

// renameNew renames a folder, if nothing has the new name. It returns when the new name is durable.
func renameNew(from, to string) error {
	old, err := windows.UTF16PtrFromString(from)
	if err != nil {
		return err
	}
	name, err := windows.UTF16PtrFromString(to)
	if err != nil {
		return err
	}
	err = windows.MoveFileEx(old, name, windows.MOVEFILE_WRITE_THROUGH)
	switch {
	case errors.Is(err, windows.ERROR_ALREADY_EXISTS):
		return fs.ErrExist
	case errors.Is(err, windows.ERROR_NOT_SAME_DEVICE):
		return syscall.EXDEV
	}
	return err
}

// exchangeNames returns an error: Windows cannot exchange names. So the caller moves an older release aside first, and
// for a moment there is no release.
func exchangeNames(string, string) error { return errors.ErrUnsupported }

func removeEmpty(dir string) error { return os.Remove(dir) }
