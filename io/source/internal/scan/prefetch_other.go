//go:build !linux

package scan

import "os"

// prefetch does nothing on systems without such a hint.
func prefetch(*os.File, int64, int64) {}
