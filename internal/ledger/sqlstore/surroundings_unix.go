//go:build unix

package sqlstore

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"github.com/dprelease/dprelease/internal/ledger"
	"github.com/dprelease/dprelease/internal/private"
)

// On Unix folders above may be writable by all if they are sticky, as /tmp is. A group that has no member but the user
// may write to folders (privategroup_unix.go).

const (
	othersWrite = 0o022
	groupWrites = 0o020
	groupReads  = 0o040
	allWrite    = 0o002
)

// place is who may write to a ledger.
type place struct {
	user uint32                // the user who runs the program
	gid  uint32                // the group of the ledger's folder
	own  func(gid uint32) bool // reports whether a group is the user's own
}

func newPlace(folder string, _ sharing) (place, error) {
	info, err := os.Lstat(folder)
	if err != nil {
		return place{}, fmt.Errorf("%s: %w", folder, translateFile(err))
	}
	user := uint32(os.Geteuid())
	return place{user: user, gid: owned(info).Gid, own: privateGroup(user)}, nil
}

// checkAbove checks a folder or a link on the way to the ledger. own is set if it is the folder that holds the ledger.
func (c *checker) checkAbove(path string, own bool) error {
	info, err := os.Lstat(path)
	if err != nil {
		return fmt.Errorf("%s: %w", path, translateFile(err))
	}
	name, mode := private.ShellWord(path), info.Mode()
	switch {
	case !c.trusts(owned(info)):
		c.addFinding(path, c.stranger(info),
			"who may put another ledger there; run the program as that user, or, as root, chown -h %d %s", c.place.user, name)
	case mode&fs.ModeSymlink != 0: // only users who may write to its folder can change it
	case mode.Perm()&othersWrite == 0 || mode&fs.ModeSticky != 0 && !own:
	case mode.Perm()&allWrite == 0 && owned(info).Uid == c.place.user && c.place.own(owned(info).Gid):
	case c.sharing == group && mode.Perm()&allWrite == 0 && owned(info).Gid == c.place.gid:
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

// checkLedger checks the file itself.
func (c *checker) checkLedger(path string, info fs.FileInfo) error {
	if n := owned(info).Nlink; n > 1 {
		return fmt.Errorf("%s: %w: the file has %d names (hard links), and its journal and locks lie beside one of them; "+
			"find the others with find / -xdev -samefile %s, and remove them",
			path, ledger.ErrSecondPath, n, private.ShellWord(path))
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
	name, perm := private.ShellWord(path), info.Mode().Perm()
	switch {
	case !c.trusts(owned(info)):
		c.addFinding(path, c.stranger(info), "run the program as that user, or, as root, chown %d %s", c.place.user, name)
	case c.sharing == group && perm&0o007 != 0:
		c.addFinding(path, "may be read or written by all users, and holds a secret", "chmod o= %s", name)
	case c.sharing == alone && (perm&(0o007|groupWrites) != 0 || perm&groupReads != 0 && !c.place.own(owned(info).Gid)):
		c.addFinding(path, "may be read or written by others, and holds a secret", "chmod 600 %s", name)
	}
}

// checkNeighbour checks a file on which SQLite or this package relies.
func (c *checker) checkNeighbour(path string, info fs.FileInfo) error {
	name := private.ShellWord(path)
	switch {
	case !info.Mode().IsRegular():
		c.addFinding(path, "is not a file, and nothing of the ledger's is anything else", "mv %s %s.planted", name, name)
	case owned(info).Nlink > 1:
		c.addFinding(path, "has a second name (hard link)", "mv %s %s.planted, if no run of your own was cut short", name,
			name)
	case !c.trusts(owned(info)):
		c.addFinding(path, c.stranger(info),
			"if it is not the ledger's own, mv %s %s.planted; if it is, as root, chown %d %s", name, name, c.place.user, name)
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
	return a.Uid == 0 || a.Uid == c.place.user || c.sharing == group && a.Gid == c.place.gid
}

func (c *checker) stranger(info fs.FileInfo) string {
	return fmt.Sprintf("belongs to user %d, and this is user %d", owned(info).Uid, c.place.user)
}

// owned returns a file's attributes. The conversion works on every Unix.
func owned(info fs.FileInfo) *syscall.Stat_t {
	if a, ok := info.Sys().(*syscall.Stat_t); ok {
		return a
	}
	return &syscall.Stat_t{Uid: ^uint32(0), Gid: ^uint32(0)} // the owner is unknown
}
