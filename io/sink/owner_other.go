//go:build !unix

package sink

import "io/fs"

// owned believes that a file belongs to this user: the system has no number for it.
func owned(string, fs.FileInfo) bool { return true }
