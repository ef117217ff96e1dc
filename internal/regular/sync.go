package regular

import (
	"errors"
	"os"
	"runtime"
	"syscall"
)

// SyncFolder makes a folder's entries durable, if the file system supports it. sync is (*os.File).Sync, unless a test
// replaces it. On Windows it does nothing: NTFS logs names in its own journal.
func SyncFolder(dir string, sync func(*os.File) error) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	if err = sync(d); errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) { // unsupported by the file system
		err = nil
	}
	return errors.Join(err, d.Close())
}
