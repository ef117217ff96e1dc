package regular

import (
	"errors"
	"os"
	"runtime"
	"syscall"
	"testing"
)

// A file system that syncs no folders is no error; another failure is.
func TestSyncFolder(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("nothing is synced there")
	}
	failure := errors.New("failure")
	for err, want := range map[error]error{nil: nil, syscall.EINVAL: nil,
		&os.PathError{Op: "sync", Path: "x", Err: syscall.ENOTSUP}: nil,
		syscall.EIO: syscall.EIO, failure: failure} {
		if got := SyncFolder(t.TempDir(), func(*os.File) error { return err }); !errors.Is(got, want) {
			t.Errorf("%v: %v", err, got)
		}
	}
}
