//go:build unix

package sqlstore_test

import "syscall"

func init() { syscall.Umask(0o022) } // the group must not have write access to the tests' folders
