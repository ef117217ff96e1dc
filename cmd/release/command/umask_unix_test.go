//go:build unix

package command

import "syscall"

func init() { syscall.Umask(0o022) } // a ledger's folder must not be the group's to write
