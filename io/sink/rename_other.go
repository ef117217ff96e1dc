//go:build !linux

package sink

import "os"

func renameNew(from, to string) error { return renameChecked(from, to) }

func removeEmpty(dir string) error { return os.Remove(dir) }
