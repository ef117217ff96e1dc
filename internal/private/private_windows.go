package private

import (
	"io/fs"
	"slices"
	"strings"
	"unsafe"

	"golang.org/x/sys/windows"
)

// Rights to a file or a folder. With one of the rights in Replace, a user can replace it or obtain other rights.
const (
	Read    = windows.FILE_READ_DATA | windows.GENERIC_READ
	Replace = windows.DELETE | deleteChild | windows.WRITE_DAC | windows.WRITE_OWNER | windows.GENERIC_ALL
	Write   = windows.FILE_WRITE_DATA | windows.FILE_APPEND_DATA | windows.GENERIC_WRITE | Replace

	deleteChild = 0x40 // FILE_DELETE_CHILD
)

const (
	system         = "S-1-5-18"
	administrators = "S-1-5-32-544"
)

// The kinds of entries of an access list that give no rights: they deny rights or record uses.
var harmless = []uint8{
	windows.ACCESS_DENIED_ACE_TYPE,
	0x02, // SYSTEM_AUDIT_ACE_TYPE
	0x11, // SYSTEM_MANDATORY_LABEL_ACE_TYPE
}

// Others returns the users, besides this one and the administrators, who can read or change a file; "" if nobody can.
func Others(path string, _ fs.FileInfo) (string, error) {
	who, err := Holders(path, Read|Write, true)
	return strings.Join(who, ", "), err
}

// Repair returns the commands that remove other users' rights to a file or a folder. The first one removes the entries
// that are not inherited, since the second one would keep them.
func Repair(path string, info fs.FileInfo) string {
	user, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err != nil {
		return "give it an access list with this user alone"
	}
	all := "F"
	if info.IsDir() {
		all = "(OI)(CI)F"
	}
	name := ShellWord(path)
	text := "icacls " + name + " /reset, then icacls " + name + " /inheritance:r /grant"
	for _, sid := range []string{user.User.Sid.String(), system, administrators} {
		text += ` "*` + sid + ":" + all + `"`
	}
	return text + "; if it is another user's, takeown /f " + name + " before"
}

// ShellWord quotes a path for a command line. No path of Windows holds a quotation mark.
func ShellWord(path string) string { return `"` + path + `"` }

// Holders names the accounts that own a file or a folder, or have one of the rights in its access list. If within is
// set, rights that new files in a folder inherit count, too. This user, the administrators and the system are left out.
// Entries that deny rights are ignored, so Holders may name an account that has no access, but omits none that has. It
// does not follow links.
func Holders(path string, rights windows.ACCESS_MASK, within bool) ([]string, error) {
	sd, err := windows.GetNamedSecurityInfo(path, windows.SE_FILE_OBJECT,
		windows.OWNER_SECURITY_INFORMATION|windows.DACL_SECURITY_INFORMATION)
	if err != nil {
		return nil, err
	}
	return holders(sd, rights, within)
}

func holders(sd *windows.SECURITY_DESCRIPTOR, rights windows.ACCESS_MASK, within bool) (who []string, err error) {
	trusted, err := trustedAccounts()
	if err != nil {
		return nil, err
	}
	add := func(sid *windows.SID) {
		if text := sid.String(); !slices.Contains(trusted, text) && !slices.Contains(who, account(sid)) {
			who = append(who, account(sid))
		}
	}
	owner, _, err := sd.Owner()
	if err != nil {
		return nil, err
	}
	if owner != nil {
		add(owner)
	}
	list, _, err := sd.DACL()
	if err == windows.ERROR_OBJECT_NOT_FOUND || err == nil && list == nil { //nolint:errorlint // it is an error number
		return append(who, "everybody"), nil // without a list all users have all rights
	}
	if err != nil {
		return nil, err
	}
	for i := range uint32(list.AceCount) {
		var entry *windows.ACCESS_ALLOWED_ACE
		if err := windows.GetAce(list, i, &entry); err != nil {
			return nil, err
		}
		switch {
		case slices.Contains(harmless, entry.Header.AceType):
		case entry.Header.AceFlags&windows.INHERIT_ONLY_ACE != 0 && !within: // only new files get it
		case entry.Header.AceType != windows.ACCESS_ALLOWED_ACE_TYPE:
			who = append(who, "an entry of its access list that this program does not know")
		case entry.Mask&rights != 0:
			add((*windows.SID)(unsafe.Pointer(&entry.SidStart)))
		}
	}
	return who, nil
}

// trustedAccounts returns the SIDs of this user, the system and its installer, the administrators, and "the owner",
// since Holders checks the owner itself.
func trustedAccounts() ([]string, error) {
	user, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err != nil {
		return nil, err
	}
	return []string{
		user.User.Sid.String(),
		system,
		administrators,
		"S-1-5-80-956008885-3418522649-1831038044-1853292631-2271478464", // TrustedInstaller
		"S-1-3-0", // CREATOR OWNER
		"S-1-3-4", // OWNER RIGHTS
	}, nil
}

// account returns the name of an account, or its SID if it has none.
func account(sid *windows.SID) string {
	name, domain, _, err := sid.LookupAccount("")
	switch {
	case err != nil:
		return sid.String()
	case domain == "":
		return name
	}
	return domain + `\` + name
}
