//go:build unix

package sink

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// owned reports whether a file belongs to this user. Some file systems, such as NFS with root_squash, assign files to
// another user. There, owned makes a folder beside the file and reports whether both have the same owner.
func owned(path string, info fs.FileInfo) bool {
	owner, ok := ownerOf(info)
	if ok && owner == os.Geteuid() {
		return true
	}
	probe, err := os.MkdirTemp(filepath.Dir(path), ".staging-probe-*")
	if err != nil {
		return false
	}
	defer func() { _ = os.Remove(probe) }() // the probe is an empty folder
	made, err := os.Lstat(probe)
	if err != nil {
		return false
	}
	own, known := ownerOf(made)
	return ok && known && own != os.Geteuid() && own == owner
}

func ownerOf(info fs.FileInfo) (uid int, ok bool) {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return int(s.Uid), true
}
