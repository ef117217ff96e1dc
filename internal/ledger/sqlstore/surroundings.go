package sqlstore

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/dprelease/dprelease/internal/ledger"
)

// A ledger is only as safe as the place in which it is stored. Two things could undo entries without a trace, and this
// file detects both before SQLite opens the ledger:
//
//   - A second path to the file: a hard link, or a container into which only the file is mounted. SQLite looks for the
//     journal beside the path, and this package for the locks. Two programs that use two paths do not see each other,
//     and an interrupted change is not rolled back.
//   - Another user who may write beside the file. SQLite replays any journal that it finds there. A user who can add a
//     journal, or replace the ledger's file or folder, can roll the ledger back to any state.
//
// The rule is OpenSSH's rule for its keys: the file, the files beside it and every folder above belong to this user or
// to root, and nobody else may write to them. Folders above may be writable by all if they are sticky, as /tmp is. A
// group that has no member but the user may write to folders (privategroup.go).

// sharing is who may write to a ledger besides root and the user who runs the program.
type sharing bool

const (
	alone sharing = false
	group sharing = true // the group and the owner of the ledger's folder, for sqlite+group:PATH
)

// mode returns the mode of the files that this package makes.
func (s sharing) mode() fs.FileMode {
	if s == group {
		return 0o660
	}
	return 0o600
}

const (
	othersWrite = 0o022
	groupWrites = 0o020
	groupReads  = 0o040
	allWrite    = 0o002
)

// beside lists the endings of the files beside a ledger that SQLite or this package rely on.
var beside = []string{"-journal", "-wal", "-shm", ".lock"}

// checker collects what is wrong around one ledger.
type checker struct {
	sharing sharing
	user    uint32                // the user who runs the program
	gid     uint32                // the group of the ledger's folder
	own     func(gid uint32) bool // reports whether a group is the user's own
	found   []string
}

// checkSurroundings returns an error if other users could change the ledger or roll it back, or if it has a second
// path. path is the file's own path, without symbolic links. passed lists the folders and links that lead to it. The
// file need not exist. Errors: ledger.ErrExposed and ledger.ErrSecondPath, each with the remedy, one line per finding.
func checkSurroundings(path string, passed []string, s sharing) error {
	folder, err := os.Lstat(filepath.Dir(path))
	if err != nil {
		return fmt.Errorf("%s: %w", filepath.Dir(path), translateFile(err))
	}
	user := uint32(os.Geteuid())
	c := &checker{sharing: s, user: user, gid: owned(folder).Gid, own: privateGroup(user)}
	for _, p := range passed {
		if err := c.checkAbove(p, p == filepath.Dir(path)); err != nil {
			return err
		}
	}
	if err := c.checkLedger(path); err != nil {
		return err
	}
	for _, ending := range beside {
		if err := c.checkNeighbour(path + ending); err != nil {
			return err
		}
	}
	if len(c.found) > 0 {
		lines := []error{fmt.Errorf("%s: %w", path, ledger.ErrExposed)}
		for _, finding := range c.found {
			lines = append(lines, errors.New("  "+finding))
		}
		return errors.Join(lines...)
	}
	return nil
}

// addFinding records a finding about path, and the command that repairs it.
func (c *checker) addFinding(path, why, command string, args ...any) {
	c.found = append(c.found, fmt.Sprintf("%s %s: %s", shellWord(path), why, fmt.Sprintf(command, args...)))
}

// checkAbove checks a folder or a link on the way to the ledger. own is set if it is the folder that holds the ledger.
func (c *checker) checkAbove(path string, own bool) error {
	info, err := os.Lstat(path)
	if err != nil {
		return fmt.Errorf("%s: %w", path, translateFile(err))
	}
	name, mode := shellWord(path), info.Mode()
	switch {
	case !c.trusts(owned(info)):
		c.addFinding(path, c.stranger(info),
			"who may put another ledger there; run the program as that user, or, as root, chown -h %d %s", c.user, name)
	case mode&fs.ModeSymlink != 0: // only users who may write to its folder can change it
	case mode.Perm()&othersWrite == 0 || mode&fs.ModeSticky != 0 && !own:
	case mode.Perm()&allWrite == 0 && owned(info).Uid == c.user && c.own(owned(info).Gid):
	case c.sharing == group && mode.Perm()&allWrite == 0 && owned(info).Gid == c.gid:
		if own && mode&fs.ModeSetgid == 0 {
			c.addFinding(path, "does not give its group to new files, as a shared ledger needs", "chmod g+s %s", name)
		}
	case own && mode.Perm()&allWrite == 0:
		c.addFinding(path, "may be written by its group, who could set the ledger back",
			"chmod g-w %s (or, if the group shares the ledger on purpose, name it sqlite+group:PATH)", name)
	default:
		c.addFinding(path, "may be written by others, who could set the ledger back or put another in its place",
			"chmod go-w %s", name)
	}
	return nil
}

// checkLedger checks the file itself, which need not exist.
func (c *checker) checkLedger(path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return fmt.Errorf("%s: %w", path, translateFile(err))
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s: %w: not a file", path, ledger.ErrNotLedger)
	}
	if n := owned(info).Nlink; n > 1 {
		return fmt.Errorf("%s: %w: the file has %d names (hard links), and its journal and locks lie beside one of them; "+
			"find the others with find / -xdev -samefile %s, and remove them",
			path, ledger.ErrSecondPath, n, shellWord(path))
	}
	mounted, err := mountPoint(path)
	if err != nil {
		return fmt.Errorf("%s: %w", path, translateFile(err))
	}
	if mounted {
		return fmt.Errorf("%s: %w: the file is mounted by itself, and its journal and locks lie beside its other path; "+
			"mount the folder that holds it instead",
			path, ledger.ErrSecondPath)
	}
	c.checkFile(path, info)
	return nil
}

// checkFile checks the owner of a file and that other users cannot read or write it. The group may write it only if it
// shares the ledger, and read it only if it has no other member.
func (c *checker) checkFile(path string, info fs.FileInfo) {
	name, perm := shellWord(path), info.Mode().Perm()
	switch {
	case !c.trusts(owned(info)):
		c.addFinding(path, c.stranger(info), "run the program as that user, or, as root, chown %d %s", c.user, name)
	case c.sharing == group && perm&0o007 != 0:
		c.addFinding(path, "may be read or written by all users, and holds a secret", "chmod o= %s", name)
	case c.sharing == alone && (perm&(0o007|groupWrites) != 0 || perm&groupReads != 0 && !c.own(owned(info).Gid)):
		c.addFinding(path, "may be read or written by others, and holds a secret", "chmod 600 %s", name)
	}
}

// checkNeighbour checks a file on which SQLite or this package relies, if there is one.
func (c *checker) checkNeighbour(path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return fmt.Errorf("%s: %w", path, translateFile(err))
	}
	name := shellWord(path)
	switch {
	case !info.Mode().IsRegular():
		c.addFinding(path, "is not a file, and nothing of the ledger's is anything else", "mv %s %s.planted", name, name)
	case owned(info).Nlink > 1:
		c.addFinding(path, "has a second name (hard link)", "mv %s %s.planted, if no run of your own was cut short", name,
			name)
	case !c.trusts(owned(info)):
		c.addFinding(path, c.stranger(info),
			"if it is not the ledger's own, mv %s %s.planted; if it is, as root, chown %d %s", name, name, c.user, name)
	case c.sharing == alone && info.Mode().Perm()&othersWrite != 0:
		c.addFinding(path, "may be written by others", "chmod go-w %s", name)
	case info.Mode().Perm()&allWrite != 0:
		c.addFinding(path, "may be written by all users", "chmod o-w %s", name)
	}
	return nil
}

// trusts reports whether a file's owner may change the ledger. In a shared ledger, files of the group are trusted,
// since only its members and root can give files to it.
func (c *checker) trusts(a *syscall.Stat_t) bool {
	return a.Uid == 0 || a.Uid == c.user || c.sharing == group && a.Gid == c.gid
}

func (c *checker) stranger(info fs.FileInfo) string {
	return fmt.Sprintf("belongs to user %d, and this is user %d", owned(info).Uid, c.user)
}

// shellWord quotes a path for a shell.
func shellWord(path string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-+,:@%", r)
	}
	switch {
	case strings.IndexFunc(path, func(r rune) bool { return !plain(r) }) < 0:
		return path
	case strings.IndexFunc(path, func(r rune) bool { return !strconv.IsPrint(r) }) >= 0:
		return "$" + strings.ReplaceAll(strconv.Quote(path), `'`, `\'`)
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}
