//go:build !windows

package private

import "io/fs"

// Others names the users, besides this one and the administrators, who can use a file; "" if nobody can. It does not
// check the file's owner.
func Others(_ string, info fs.FileInfo) (string, error) {
	if info.Mode().Perm()&0o077 != 0 {
		return "others", nil
	}
	return "", nil
}

// Repair returns the command that removes other users' rights to a file or a folder.
func Repair(path string, info fs.FileInfo) string {
	if info.IsDir() {
		return "chmod 700 " + path
	}
	return "chmod 600 " + path
}
