//go:build !linux && !windows

package sink

import (
	"errors"
	"os"
)

func renameNew(from, to string) error { return renameChecked(from, to) }

func exchangeNames(string, string) error { return errors.ErrUnsupported }

func removeEmpty(dir string) error { return os.Remove(dir) }
