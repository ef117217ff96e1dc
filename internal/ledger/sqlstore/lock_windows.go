package sqlstore

import "golang.org/x/sys/windows"

// lockFile returns the lock file, which is the same for all names.
func lockFile(path string, _ int64) string { return path }

// flock locks one byte of an open file, far behind the notes: other processes cannot read locked bytes.
func flock(fd uintptr, at int64) error {
	const nobody = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	at = max(at, slots*slotSize)
	return windows.LockFileEx(windows.Handle(fd), nobody, 0, 1, 0,
		&windows.Overlapped{Offset: uint32(at), OffsetHigh: uint32(at >> 32)})
}

// contended are the errors of flock if another call holds the lock.
var contended = []error{windows.ERROR_LOCK_VIOLATION, windows.ERROR_IO_PENDING}

// noFollow refuses a link: Go opens the link itself, which is not a file.
const noFollow = windows.O_FILE_FLAG_OPEN_REPARSE_POINT

// gone reports whether there is no process of this number.
func gone(process int) bool {
	h, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(process))
	if err != nil {
		return err == windows.ERROR_INVALID_PARAMETER //nolint:errorlint // it is an error number
	}
	defer windows.CloseHandle(h) //nolint:errcheck // nothing was written
	var code uint32
	return windows.GetExitCodeProcess(h, &code) == nil && code != uint32(windows.STATUS_PENDING)
}

// The journal is emptied at a commit, and the empty file is synced. A journal that is deleted could come back after a
// power failure and take the last entry with it, since SQLite syncs no folder on Windows.
const (
	journalMode   = "truncate"
	journalPragma = "&_pragma=journal_mode(truncate)"
)
