//go:build unix

package sqlstore

import "testing"

func TestSoleMember(t *testing.T) {
	t.Parallel()
	const passwd = "root:x:0:0:root:/root:/bin/sh\nann:x:1000:1000::/home/ann:/bin/sh\nbob:x:1001:1001::/:/bin/sh\ncy:x:1002:1001::/:/bin/sh\nfe:x:1005:1005::/:/bin/sh\n"
	const groups = "root:x:0:\nann:x:1000:\nbob:x:1001:\nstaff:x:1003:ann\nfe:x:1005:fe\n"
	for name, c := range map[string]struct {
		groups   string
		uid, gid uint32
		want     bool
	}{
		"her own":                    {groups, 1000, 1000, true},
		"her own, listed":            {groups, 1005, 1005, true},
		"another's":                  {groups, 1000, 1005, false},
		"two users' first group":     {groups, 1001, 1001, false},
		"not her first":              {groups, 1000, 1003, false},
		"another member":             {"ann:x:1000:bob\n", 1000, 1000, false},
		"she and another":            {"ann:x:1000:ann,bob\n", 1000, 1000, false},
		"another member, other line": {"ann:x:1000:\nann2:x:1000:bob\n", 1000, 1000, false},
		"another name":               {"users:x:1000:\n", 1000, 1000, false},
		"unknown group":              {"", 1000, 1000, false},
		"unknown user":               {groups, 1009, 1009, false},
		"damaged":                    {"ann:x:1000\n", 1000, 1000, false},
	} {
		if got := soleMember(passwd, c.groups, c.uid, c.gid); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	if soleMember("", "", 0, 0) || privateGroup(0)(0) {
		t.Error("root has no private group")
	}
}
