//go:build !windows

package private

import (
	"io/fs"
	"strconv"
	"strings"
)

// Others returns the users, besides this one and the administrators, who can read or change a file; "" if nobody can.
// It does not check who owns the file.
func Others(_ string, info fs.FileInfo) (string, error) {
	if info.Mode().Perm()&0o077 != 0 {
		return "others", nil
	}
	return "", nil
}

// Repair returns the command that removes other users' rights to a file or a folder.
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
