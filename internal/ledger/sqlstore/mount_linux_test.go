package sqlstore

import "testing"

// TestMountedAt checks the list of mounts, with escaped paths, of kernels whose statx does not mark mounts.
func TestMountedAt(t *testing.T) {
	t.Parallel()
	const mounts = `22 27 0:21 / /proc rw,nosuid - proc proc rw
36 35 98:0 /mnt1 /a\040b/l\134edger.db rw,noatime master:1 - ext3 /dev/root rw
`
	for path, want := range map[string]bool{`/a b/l\edger.db`: true, "/proc": true, "/proc/self": false, "/": false,
		`/a\040b/l\134edger.db`: false} {
		if got := mountedAt(mounts, path); got != want {
			t.Errorf("%s: %v", path, got)
		}
	}
}
