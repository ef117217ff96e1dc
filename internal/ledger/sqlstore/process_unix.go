//go:build unix

package sqlstore

import "golang.org/x/sys/unix"

// contended are the errors of flock if another call holds the lock.
var contended = []error{unix.EAGAIN, unix.EACCES}

// noFollow refuses a link.
const noFollow = unix.O_NOFOLLOW

// gone reports whether there is no process of this number.
func gone(process int) bool { return unix.Kill(process, 0) == unix.ESRCH }

// The journal is deleted at a commit, and SQLite syncs its folder.
const (
	journalMode   = "delete"
	journalPragma = "" // it is the default
)
