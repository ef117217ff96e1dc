//go:build !linux

package scan

import "os"

// prefetch is for systems that take a hint.
func prefetch(*os.File, int64, int64) {}
