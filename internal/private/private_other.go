//go:build !windows

package private

import (
	"io/fs"
	"strconv"
	"strings"
)

// Others names those who can use a file besides this user and the administrators; "" if nobody can. The file's owner is
// not looked at.
func Others(_ string, info fs.FileInfo) (string, error) {
	if info.Mode().Perm()&0o077 != 0 {
		return "others", nil
	}
	return "", nil
}

// Repair returns the command that takes a file or a folder away from others.
func Repair(path string, info fs.FileInfo) string {
	if info.IsDir() {
		return "chmod 700 " + ShellWord(path)
	}
	return "chmod 600 " + ShellWord(path)
}

// ShellWord quotes a path for a shell.
func ShellWord(path string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-+,:@%", r)
	}
	switch {
	case strings.IndexFunc(path, func(r rune) bool { return !plain(r) }) < 0:
		return path
	case strings.IndexFunc(path, func(r rune) bool { return !strconv.IsPrint(r) }) >= 0:
		return "$" + strings.ReplaceAll(strconv.Quote(path), `'`, `\'`)
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}
