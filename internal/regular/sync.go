package regular

import (
	"errors"
	"os"
	"runtime"
	"syscall"
)

// SyncFolder makes a folder's entries durable, if the file system can. sync is (*os.File).Sync, unless a test replaces
// it. On Windows there is nothing to do: NTFS keeps names in a journal of its own, and syncs no folder.
func SyncFolder(dir string, sync func(*os.File) error) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	if err = sync(d); errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) { // it syncs no folders
		err = nil
	}
	return errors.Join(err, d.Close())
}
