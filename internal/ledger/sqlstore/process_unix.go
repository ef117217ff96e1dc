//go:build unix

package sqlstore

import "golang.org/x/sys/unix"

// contended lists the errors with which flock fails if another call holds the lock.
var contended = []error{unix.EAGAIN, unix.EACCES}

// noFollow makes opening a symbolic link fail.
const noFollow = unix.O_NOFOLLOW

// hasEnded reports whether there is no process with this number.
func hasEnded(process int) bool { return unix.Kill(process, 0) == unix.ESRCH }

// SQLite deletes the journal at a commit, and then syncs the folder.
const (
	journalMode   = "delete"
	journalPragma = "" // deleting is SQLite's default
)
