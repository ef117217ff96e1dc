//go:build unix

package sqlstore

import (
	"os"
	"strconv"
	"strings"
	"sync"
)

// Debian, Ubuntu and Fedora give each user a group of the same name with no other member, and let this group write to
// the user's files (umask 002). Only the user can write to such files, so they are accepted; OpenSSH on these systems
// does the same. A group that is not in the local files, such as a group of a directory service, is not accepted.

// privateGroup returns a function that reports whether a group is the user's own. It reads the files at its first call.
func privateGroup(uid uint32) func(gid uint32) bool {
	files := sync.OnceValues(func() (passwd, group string) {
		p, err1 := os.ReadFile("/etc/passwd")
		g, err2 := os.ReadFile("/etc/group")
		if err1 != nil || err2 != nil {
			return "", ""
		}
		return string(p), string(g)
	})
	return func(gid uint32) bool {
		passwd, group := files()
		return uid != 0 && soleMember(passwd, group, uid, gid)
	}
}

// soleMember reports whether the group gid has the name of the user uid, is the user's first group, and has no other
// member. passwd and group are the texts of passwd(5) and group(5).
func soleMember(passwd, group string, uid, gid uint32) bool {
	name := ""
	for line := range strings.Lines(passwd) {
		f := strings.Split(strings.TrimSpace(line), ":")
		if len(f) < 4 || f[3] != decimal(gid) {
			continue
		}
		if f[2] != decimal(uid) {
			return false
		}
		name = f[0]
	}
	found := false
	for line := range strings.Lines(group) {
		f := strings.Split(strings.TrimSpace(line), ":")
		if len(f) < 4 || f[2] != decimal(gid) {
			continue
		}
		if name == "" || f[0] != name || f[3] != "" && f[3] != name {
			return false
		}
		found = true
	}
	return found
}

func decimal(id uint32) string { return strconv.FormatUint(uint64(id), 10) }
