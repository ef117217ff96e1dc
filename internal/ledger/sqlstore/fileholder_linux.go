package sqlstore

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/dprelease/dprelease/internal/ledger"
)

// sqliteLocks is the first of the bytes that SQLite locks in its files, whatever their length
// (https://www.sqlite.org/src/doc/trunk/src/os.h).
const sqliteLocks = 1 << 30

// fileHolder returns the error of a ledger whose file another process has locked. It names the process if the system
// shows that it holds the lock; else it is ledger.ErrBusy. It does not open the ledger: closing a file drops SQLite's
// own locks.
func fileHolder(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return ledger.ErrBusy
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return ledger.ErrBusy
	}
	locks, err := os.Open("/proc/locks")
	if err != nil {
		return ledger.ErrBusy
	}
	defer func() { _ = locks.Close() }() // the file was only read
	holder := 0
	for lines := bufio.NewScanner(locks); lines.Scan(); {
		if pid, write := lockOf(lines.Text(), stat.Ino); pid > 0 && pid != os.Getpid() && (write || holder == 0) &&
			hasLocked(pid, info, stat.Ino) {
			holder = pid
		}
	}
	if holder == 0 {
		return ledger.ErrBusy
	}
	name, started, err := describe(holder)
	if err != nil { // the process has just ended, or is hidden
		return ledger.ErrBusy
	}
	return fmt.Errorf("%w: process %d (%s), which started at %s, has locked its file", ledger.ErrBusy, holder, name,
		started.UTC().Format(time.RFC3339))
}

// hasLocked reports whether a process holds a lock of SQLite on a file. /proc/locks names files by device and inode
// number, but on some file systems by another device than stat does, and files of several devices have the same inode
// number. So the process must have this very file open, with the lock on it. The result is false if the system does not
// show this user the files of the process.
func hasLocked(pid int, file fs.FileInfo, inode uint64) bool {
	process := fmt.Sprintf("/proc/%d/", pid)
	open, _ := os.ReadDir(process + "fd") // hidden: none
	return slices.ContainsFunc(open, func(fd fs.DirEntry) bool {
		info, err := os.Stat(process + "fd/" + fd.Name())
		if err != nil || !os.SameFile(info, file) {
			return false
		}
		text, _ := os.ReadFile(process + "fdinfo/" + fd.Name())
		return slices.ContainsFunc(strings.Split(string(text), "\n"), func(line string) bool {
			held, ok := strings.CutPrefix(line, "lock:")
			by, _ := lockOf(held, inode)
			return ok && by == pid
		})
	})
}

// describe returns the name of a process and the time at which it started.
func describe(pid int) (name string, started time.Time, err error) {
	status, err1 := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	system, err2 := os.ReadFile("/proc/stat")
	if err := errors.Join(err1, err2); err != nil {
		return "", started, err
	}
	_, rest, _ := strings.Cut(string(status), "(")
	end := strings.LastIndexByte(rest, ')') // the name may hold brackets
	_, boot, _ := strings.Cut(string(system), "\nbtime ")
	boot, _, _ = strings.Cut(boot, "\n")
	if end < 0 {
		return "", started, errors.ErrUnsupported
	}
	const sinceBoot, ticksPerSecond = 19, 100 // fields[0] is field 3 of proc_pid_stat(5); the start is field 22
	fields := strings.Fields(rest[end+1:])
	seconds, err1 := strconv.ParseInt(boot, 10, 64)
	if len(fields) <= sinceBoot || err1 != nil {
		return "", started, errors.ErrUnsupported
	}
	ticks, err := strconv.ParseInt(fields[sinceBoot], 10, 64)
	return rest[:end], time.Unix(seconds+ticks/ticksPerSecond, 0), err
}

// lockOf reads a line of /proc/locks, such as "1: POSIX ADVISORY WRITE 4242 08:01:1048649 1073741825 1073741825". It
// returns the process if it holds a lock of SQLite on the file with this inode number, and 0 otherwise; and whether the
// lock is for writing.
func lockOf(line string, inode uint64) (pid int, write bool) {
	f := strings.Fields(line)
	if len(f) != 8 || !strings.HasSuffix(f[5], ":"+strconv.FormatUint(inode, 10)) {
		return 0, false
	}
	if start, err := strconv.ParseInt(f[6], 10, 64); err != nil || start < sqliteLocks {
		return 0, false
	}
	pid, err := strconv.Atoi(f[4])
	if err != nil {
		return 0, false
	}
	return pid, f[3] == "WRITE"
}
