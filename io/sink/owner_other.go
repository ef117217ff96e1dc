//go:build !unix

package sink

import "io/fs"

// owned returns true. This system has no user numbers, so the file is assumed to belong to this user.
func owned(string, fs.FileInfo) bool { return true }
