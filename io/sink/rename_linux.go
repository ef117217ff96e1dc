package sink

import (
	"errors"

	"golang.org/x/sys/unix"
)

// renameNew renames a folder, if nothing has the new name. The check and the rename are one step if the file system can
// do that.
func renameNew(from, to string) error {
	err := unix.Renameat2(unix.AT_FDCWD, from, unix.AT_FDCWD, to, unix.RENAME_NOREPLACE)
	if errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOTSUP) {
		return renameChecked(from, to)
	}
	return err
}

// exchangeNames exchanges the names of two folders in one step; the error is errors.ErrUnsupported if the system
// cannot.
func exchangeNames(one, other string) error {
	err := unix.Renameat2(unix.AT_FDCWD, one, unix.AT_FDCWD, other, unix.RENAME_EXCHANGE)
	for _, cannot := range []error{unix.ENOSYS, unix.EINVAL, unix.ENOTSUP, unix.EXDEV} {
		if errors.Is(err, cannot) {
			return errors.ErrUnsupported
		}
	}
	return err
}

func removeEmpty(dir string) error { return unix.Rmdir(dir) }
