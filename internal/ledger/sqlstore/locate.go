package sqlstore

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dprelease/dprelease/internal/ledger"
)

// maxLinks is the largest number of symbolic links that locate follows, the same as Linux's own limit.
const maxLinks = 40

// locate follows all symbolic links of a path to a file. file is the path without links: the journal and the locks are
// beside it, whichever links lead to it. passed lists all folders and links on the way, starting with the root: a user
// who can change one of them decides which file is opened. The file need not exist; its folder must.
func locate(path string) (file string, passed []string, err error) {
	path, err = filepath.Abs(path)
	if err != nil {
		return "", nil, translateFile(err)
	}
	root := func(path string) string { return filepath.VolumeName(path) + string(filepath.Separator) }
	at, links := root(path), 0
	passed = []string{at}
	todo := strings.Split(path[len(filepath.VolumeName(path)):], string(filepath.Separator))
	for len(todo) > 0 {
		name := todo[0]
		todo = todo[1:]
		if name == "" || name == "." {
			continue
		}
		next := filepath.Join(at, name) // also correct for "..", since at has no links
		info, err := os.Lstat(next)
		switch {
		case errors.Is(err, fs.ErrNotExist) && len(todo) == 0 && !isLink(path):
			return next, passed, nil
		case links > 0 && errors.Is(err, fs.ErrNotExist):
			return "", nil, fmt.Errorf("%s: %w: it leads through a link to a place that is not there", path,
				ledger.ErrUnavailable)
		case errors.Is(err, fs.ErrNotExist) && len(todo) > 0:
			return "", nil, fmt.Errorf("%w: its folder %s is not there: make it, or name another", ledger.ErrUnavailable,
				filepath.Dir(path))
		case err != nil && len(todo) > 0:
			return "", nil, fmt.Errorf("the folder of the ledger, %s: %w", filepath.Dir(path), translateFile(err))
		case err != nil:
			return "", nil, fmt.Errorf("%s: %w", path, translateFile(err))
		case len(todo) == 0 && info.Mode()&fs.ModeSymlink == 0:
			return next, passed, nil
		}
		if !slices.Contains(passed, next) {
			passed = append(passed, next)
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			at = next
			continue
		}
		target, err := os.Readlink(next)
		if links++; err != nil || links > maxLinks {
			return "", nil, fmt.Errorf("%s: %w: it leads through a link that cannot be followed", path, ledger.ErrUnavailable)
		}
		if filepath.IsAbs(target) {
			at = root(target)
		}
		todo = append(strings.Split(target[len(filepath.VolumeName(target)):], string(filepath.Separator)), todo...)
	}
	return "", nil, notFile(path)
}

// notFile returns the error for a path that leads to a folder, a device or the like instead of a file.
func notFile(path string) error {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return fmt.Errorf("%s: %w but a folder: name a file in it, such as %s", path, ledger.ErrNotLedger,
			filepath.Join(path, "ledger.db"))
	}
	return fmt.Errorf("%s: %w but a pipe, a socket or a device", path, ledger.ErrNotLedger)
}

// isLink reports whether path itself is a symbolic link.
func isLink(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode()&fs.ModeSymlink != 0
}
