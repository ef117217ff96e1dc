package sqlstore

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/windows"

	"github.com/dprelease/dprelease/internal/ledger"
	"github.com/dprelease/dprelease/internal/private"
)

// On Windows the owner and the access list decide (package private). Only this user, the administrators and the system
// may write to the ledger, the files beside it and its folder, read the ledger or its folder (new files inherit the
// folder's list), or rename, delete or take over a folder above. A ledger that a group shares is refused, since access
// lists do not show which accounts belong to a group.

// identity is empty: package private compares access lists with this user's account.
type identity struct{}

func newIdentity(_ string, s sharing) (identity, error) {
	if s == group {
		return identity{}, fmt.Errorf("%w: sqlite+group: is for Unix; share a ledger in PostgreSQL", ErrUnsupported)
	}
	return identity{}, nil
}

// checkRights adds a finding if other accounts hold one of the rights to path. If within is set, rights that new files
// in path inherit count, too. why completes "WHO, who may …"; remedy is what the user should do.
func (c *checker) checkRights(path string, rights windows.ACCESS_MASK, within bool, why, remedy string) error {
	who, err := private.Holders(path, rights, within)
	if err != nil {
		return fmt.Errorf("%s: %w", path, translateFile(err))
	}
	if len(who) > 0 {
		c.addFinding(path, "is open to "+strings.Join(who, ", ")+", who may "+why, "%s", remedy)
	}
	return nil
}

func (c *checker) checkAbove(path string, own bool) error {
	info, err := os.Lstat(path)
	if err != nil {
		return fmt.Errorf("%s: %w", path, translateFile(err))
	}
	if info.Mode()&fs.ModeIrregular != 0 {
		return fmt.Errorf("%s: %w: a junction leads to the ledger; name the folder itself", path, ledger.ErrSecondPath)
	}
	// A folder above, such as the root of a drive, can be needed by other users, so nobody is told to change its
	// rights.
	remedy := "move the ledger into a folder of your own, within your profile"
	if !own {
		return c.checkRights(path, private.Replace, false, "put another ledger in place of this one", remedy)
	}
	if filepath.Dir(path) != path {
		remedy = private.Repair(path, info)
	}
	return c.checkRights(path, private.Read|private.Write, true, "read what is made in it, or roll the ledger back",
		remedy)
}

func (c *checker) checkLedger(path string, info fs.FileInfo) error {
	n, err := linkCount(path)
	if err != nil {
		return fmt.Errorf("%s: %w", path, translateFile(err))
	}
	if n > 1 {
		return fmt.Errorf("%s: %w: the file has %d names (hard links), and its journal and locks lie beside one of them; "+
			"find the others with fsutil hardlink list, and remove them", path, ledger.ErrSecondPath, n)
	}
	return c.checkRights(path, private.Read|private.Write, true, "read or write it, and it holds a secret",
		private.Repair(path, info))
}

func (c *checker) checkNeighbour(path string, info fs.FileInfo) error {
	if !info.Mode().IsRegular() {
		c.addFinding(path, "is not a file, and nothing of the ledger's is anything else", "move it away")
		return nil
	}
	n, err := linkCount(path)
	if err != nil {
		return fmt.Errorf("%s: %w", path, translateFile(err))
	}
	if n > 1 {
		c.addFinding(path, "has a second name (hard link)", "move it away, if no run of your own was cut short")
	}
	return c.checkRights(path, private.Read|private.Write, true, "read or write it, and it can hold pages of the ledger",
		private.Repair(path, info))
}

// linkCount returns the number of hard links to a file. It opens the file without access to the contents: closing it
// then drops no lock that SQLite holds.
func linkCount(path string) (uint32, error) {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return 0, err
	}
	h, err := windows.CreateFile(name, windows.FILE_READ_ATTRIBUTES,
		windows.FILE_SHARE_READ|windows.FILE_SHARE_WRITE|windows.FILE_SHARE_DELETE, nil, windows.OPEN_EXISTING,
		windows.FILE_FLAG_OPEN_REPARSE_POINT, 0)
	if err != nil {
		return 0, err
	}
	defer windows.CloseHandle(h) //nolint:errcheck // nothing was written
	var info windows.ByHandleFileInformation
	err = windows.GetFileInformationByHandle(h, &info)
	return info.NumberOfLinks, err
}
