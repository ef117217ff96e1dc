//go:build !windows

package private

import "io/fs"

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
		return "chmod 700 " + path
	}
	return "chmod 600 " + path
}
