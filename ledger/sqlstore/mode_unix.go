//go:build unix

package sqlstore

import (
	"io/fs"
	"syscall"
)

const noFollow = syscall.O_NOFOLLOW

// exposed: users who are neither the owner nor of the file's group may do anything with the file. A group is let
// through: somebody gave the file to it on purpose, and volume managers do.
func exposed(m fs.FileMode) bool { return m.Perm()&0o007 != 0 }
