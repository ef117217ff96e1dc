//go:build unix

package sink

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// owned reports whether a file belongs to this user. Some file systems give files other owners (such as NFS with
// root_squash); on these, it reports whether the file has the same owner as a folder that owned makes next to it.
func owned(path string, info fs.FileInfo) bool {
	owner, ok := ownerOf(info)
	if ok && owner == os.Geteuid() {
		return true
	}
	probe, err := os.MkdirTemp(filepath.Dir(path), ".staging-probe-*")
	if err != nil {
		return false
	}
	defer func() { _ = os.Remove(probe) }() // an empty folder
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
