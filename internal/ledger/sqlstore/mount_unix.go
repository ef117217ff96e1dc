//go:build unix && !linux

package sqlstore

import (
	"os"
	"path/filepath"
)

// mountPoint reports whether path is on another device than its folder, because the file was mounted by itself. It does
// not detect a file that is mounted from the same device; these systems mount only folders.
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
