package sqlstore

import "golang.org/x/sys/windows"

// lockFile returns the path of the lock file. One file has the locks of all names, each on a byte of its own.
func lockFile(path string, _ int64) string { return path }

// flock locks one byte until the file is closed. The byte is far behind the notes, since other processes cannot read
// locked bytes.
func flock(fd uintptr, at int64) error {
	const nobody = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	at = max(at, slots*slotSize)
	return windows.LockFileEx(windows.Handle(fd), nobody, 0, 1, 0,
		&windows.Overlapped{Offset: uint32(at), OffsetHigh: uint32(at >> 32)})
}

// contended lists the errors with which flock fails if another call holds the lock.
var contended = []error{windows.ERROR_LOCK_VIOLATION, windows.ERROR_IO_PENDING}

// noFollow makes opening a link fail: Go then opens the link itself and refuses it, since it is not a file.
const noFollow = windows.O_FILE_FLAG_OPEN_REPARSE_POINT

// hasEnded reports whether there is no process with this number.
func hasEnded(process int) bool {
	h, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(process))
	if err != nil {
		return err == windows.ERROR_INVALID_PARAMETER //nolint:errorlint // it is an error number
	}
	defer windows.CloseHandle(h) //nolint:errcheck // nothing was written
	var code uint32
	return windows.GetExitCodeProcess(h, &code) == nil && code != uint32(windows.STATUS_PENDING)
}

// SQLite empties the journal at a commit, and syncs it. It does not delete the journal, because it syncs no folder on
// Windows: after a power failure a deleted journal could be there again, and undo the last entry.
const (
	journalMode   = "truncate"
	journalPragma = "&_pragma=journal_mode(truncate)"
)
