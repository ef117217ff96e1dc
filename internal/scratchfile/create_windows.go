package scratchfile

import (
	"crypto/rand"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/windows"
)

// create makes a file that the system deletes when this process closes it or ends.
func create(folder string) (*os.File, error) {
	path := filepath.Join(folder, strings.Replace(pattern, "*", rand.Text(), 1))
	return os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL|windows.O_FILE_FLAG_DELETE_ON_CLOSE, 0o600)
}
