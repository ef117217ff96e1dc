//go:build unix

package command

import "syscall"

// noCore keeps the system from writing a core file of this process, which would hold private rows.
func noCore() {
	_ = syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{}) // no error: lowering a limit is always allowed
}
