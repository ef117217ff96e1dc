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

// A folder above may be writable by all if it is sticky, as /tmp is: only the owner of a file in it can then replace
// the file. A group whose only member is the user may write to folders, too (privategroup_unix.go).

const (
	othersWrite = 0o022
	groupWrites = 0o020
	groupReads  = 0o040
	allWrite    = 0o002
)

// identity holds the user and the groups whose files are trusted.
type identity struct {
	user uint32                // the user who runs the program
	gid  uint32                // the group of the ledger's folder
	own  func(gid uint32) bool // reports whether the user is the group's only member
}

func newIdentity(folder string, _ sharing) (identity, error) {
	info, err := os.Lstat(folder)
	if err != nil {
		return identity{}, fmt.Errorf("%s: %w", folder, translateFile(err))
	}
	user := uint32(os.Geteuid())
	return identity{user: user, gid: owned(info).Gid, own: privateGroup(user)}, nil
}

// checkAbove checks a folder or a link on the way to the ledger. own is set for the folder that holds the ledger.
func (c *checker) checkAbove(path string, own bool) error {
	info, err := os.Lstat(path)
	if err != nil {
		return fmt.Errorf("%s: %w", path, translateFile(err))
	}
	name, mode := private.ShellWord(path), info.Mode()
	switch {
	case !c.trusts(owned(info)):
		c.addFinding(path, c.stranger(info),
			"who may put another ledger there; run the program as that user, or, as root, chown -h %d %s", c.id.user, name)
	case mode&fs.ModeSymlink != 0: // a link can be changed only by users who may write to its folder
	case mode.Perm()&othersWrite == 0 || mode&fs.ModeSticky != 0 && !own:
	case mode.Perm()&allWrite == 0 && owned(info).Uid == c.id.user && c.id.own(owned(info).Gid):
	case c.sharing == group && mode.Perm()&allWrite == 0 && owned(info).Gid == c.id.gid:
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

// checkLedger checks the ledger's file: its owner and mode, and that it has no second path.
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

// checkFile checks the owner and the mode of a file with private contents. Other users must not read or write it. The
// group may write it only if it shares the ledger, and read it also if the user is its only member.
func (c *checker) checkFile(path string, info fs.FileInfo) {
	name, perm := private.ShellWord(path), info.Mode().Perm()
	switch {
	case !c.trusts(owned(info)):
		c.addFinding(path, c.stranger(info), "run the program as that user, or, as root, chown %d %s", c.id.user, name)
	case c.sharing == group && perm&0o007 != 0:
		c.addFinding(path, "may be read or written by all users, and holds a secret", "chmod o= %s", name)
	case c.sharing == ownerOnly && (perm&(0o007|groupWrites) != 0 || perm&groupReads != 0 && !c.id.own(owned(info).Gid)):
		c.addFinding(path, "may be read or written by others, and holds a secret", "chmod 600 %s", name)
	}
}

// checkNeighbour checks one of the files beside the ledger that SQLite or this package trusts.
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
			"if it is not the ledger's own, mv %s %s.planted; if it is, as root, chown %d %s", name, name, c.id.user, name)
	case c.sharing == ownerOnly && info.Mode().Perm()&othersWrite != 0:
		c.addFinding(path, "may be written by others", "chmod go-w %s", name)
	case info.Mode().Perm()&allWrite != 0:
		c.addFinding(path, "may be written by all users", "chmod o-w %s", name)
	}
	return nil
}

// trusts reports whether the owner of a file may change the ledger. In a shared ledger a file of the group is trusted,
// since only the group's members and root can give a file to it.
func (c *checker) trusts(a *syscall.Stat_t) bool {
	return a.Uid == 0 || a.Uid == c.id.user || c.sharing == group && a.Gid == c.id.gid
}

func (c *checker) stranger(info fs.FileInfo) string {
	return fmt.Sprintf("belongs to user %d, and this is user %d", owned(info).Uid, c.id.user)
}

// owned returns a file's attributes with its owner and group. On every Unix, Sys returns them.
func owned(info fs.FileInfo) *syscall.Stat_t {
	if a, ok := info.Sys().(*syscall.Stat_t); ok {
		return a
	}
	return &syscall.Stat_t{Uid: ^uint32(0), Gid: ^uint32(0)} // the owner is unknown
}
