//go:build unix && !linux

package sqlstore

import (
	"os"
	"path/filepath"
)

// mountPoint says whether path is on another device than its folder: a file that is was mounted by itself. A mount
// from the same device is not seen; these systems mount folders, not files.
func mountPoint(path string) (bool, error) {
	file, err := os.Lstat(path)
	if err != nil {
		return false, err
	}
	folder, err := os.Lstat(filepath.Dir(path))
	if err != nil {
		return false, err
	}
	return owned(file).Dev != owned(folder).Dev, nil
}
