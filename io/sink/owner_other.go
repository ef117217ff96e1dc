//go:build !unix

package sink

import "io/fs"

// owned returns true: it assumes that the file belongs to this user, since this system has no user numbers.
func owned(string, fs.FileInfo) bool { return true }
