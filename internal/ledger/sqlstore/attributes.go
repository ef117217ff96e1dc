package sqlstore

import (
	"io/fs"
	"syscall"
)

// owned returns a file's attributes. The conversion works on every Unix.
func owned(info fs.FileInfo) *syscall.Stat_t {
	if a, ok := info.Sys().(*syscall.Stat_t); ok {
		return a
	}
	return &syscall.Stat_t{Uid: ^uint32(0), Gid: ^uint32(0)} // nobody's
}
