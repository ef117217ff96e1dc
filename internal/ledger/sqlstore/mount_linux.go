package sqlstore

import (
	"errors"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// mountPoint reports whether path is a mount point: a single file can be mounted, for example into a container. Kernels
// before 5.8 and some sandboxes do not report this in statx; then the list of mounts decides.
func mountPoint(path string) (bool, error) {
	var st unix.Statx_t
	err := unix.Statx(unix.AT_FDCWD, path, unix.AT_SYMLINK_NOFOLLOW, 0, &st)
	if err == nil && st.Attributes_mask&unix.STATX_ATTR_MOUNT_ROOT != 0 {
		return st.Attributes&unix.STATX_ATTR_MOUNT_ROOT != 0, nil
	}
	if err != nil && !errors.Is(err, unix.ENOSYS) && !errors.Is(err, unix.EPERM) {
		return false, err
	}
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return false, err
	}
	return mountedAt(string(mounts), path), nil
}

// mountedAt looks up a path in the text of /proc/self/mountinfo. The fifth field is the mount point, with a few
// characters in octal (proc_pid_mountinfo(5)).
func mountedAt(mounts, path string) bool {
	escaped := strings.NewReplacer(" ", `\040`, "\t", `\011`, "\n", `\012`, `\`, `\134`).Replace(path)
	for line := range strings.Lines(mounts) {
		if fields := strings.Fields(line); len(fields) > 4 && fields[4] == escaped {
			return true
		}
	}
	return false
}
