package sqlstore

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/dprelease/dprelease/internal/ledger"
	"github.com/dprelease/dprelease/internal/private"
)

// The checks of a ledger's file and folders before SQLite opens it. Two things could undo entries without a trace:
//
//   - A second path to the file: a hard link, or a container into which only the file is mounted. SQLite looks for the
//     journal beside the path, and this package for the locks. Two programs that use two paths do not see each other,
//     and an interrupted change is not rolled back.
//   - Another user who may write beside the file. SQLite replays any journal that it finds there. A user who can add a
//     journal, or replace the ledger's file or folder, can roll the ledger back to any state.
//
// The rule is the same as OpenSSH's for its keys: the file, the files beside it and every folder above belong to this
// user or to root, and nobody else may write to them. surroundings_unix.go checks file modes, surroundings_windows.go
// access lists.

// sharing describes who may write to a ledger besides root and the user who runs the program.
type sharing bool

const (
	ownerOnly sharing = false
	group     sharing = true // for sqlite+group:PATH: the owner and the group of the ledger's folder
)

func (s sharing) mode() fs.FileMode {
	if s == group {
		return 0o660
	}
	return 0o600
}

// companionSuffixes lists the suffixes of the files beside a ledger that SQLite or this package trusts: a file's path
// is the ledger's path and a suffix.
var companionSuffixes = []string{"-journal", "-wal", "-shm", ".lock"}

// checker collects the findings about one ledger.
type checker struct {
	sharing sharing
	id      identity // the user and the groups whose files are trusted
	found   []string
}

// checkSurroundings returns an error if other users could change the ledger or roll it back, or if its file has a
// second path. path is the file's path without symbolic links. passed lists the folders and links that lead to it. The
// file need not exist. Errors: ledger.ErrExposed and ledger.ErrSecondPath, each with a line per finding that names the
// remedy.
func checkSurroundings(path string, passed []string, s sharing) error {
	at, err := newIdentity(filepath.Dir(path), s)
	if err != nil {
		return err
	}
	c := &checker{sharing: s, id: at}
	for _, p := range passed {
		if err := c.checkAbove(p, p == filepath.Dir(path)); err != nil {
			return err
		}
	}
	info, err := lstat(path)
	switch {
	case err != nil:
		return err
	case info == nil:
	case !info.Mode().IsRegular():
		return notFile(path)
	default:
		if err := c.checkLedger(path, info); err != nil {
			return err
		}
	}
	for _, ending := range companionSuffixes {
		info, err := lstat(path + ending)
		if err == nil && info != nil {
			err = c.checkNeighbour(path+ending, info)
		}
		if err != nil {
			return err
		}
	}
	const sector = 512 // the size of every SQLite file is a multiple of it
	switch {
	case len(c.found) > 0 && info != nil && info.Size()%sector != 0: // so it needs no repair of its permissions
		return fmt.Errorf("%s: %w", path, ledger.ErrNotLedger)
	case len(c.found) > 0:
		lines := []error{fmt.Errorf("%s: %w", path, ledger.ErrExposed)}
		for _, finding := range c.found {
			lines = append(lines, errors.New("  "+finding))
		}
		return errors.Join(lines...)
	}
	return nil
}

// lstat does the same as os.Lstat, but returns nil if there is nothing at path.
func lstat(path string) (fs.FileInfo, error) {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, fmt.Errorf("%s: %w", path, translateFile(err))
	}
	return info, nil
}

// addFinding records a finding about path, and the command that repairs it.
func (c *checker) addFinding(path, why, command string, args ...any) {
	c.found = append(c.found, fmt.Sprintf("%s %s: %s", private.ShellWord(path), why, fmt.Sprintf(command, args...)))
}
