package aggregate

import (
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// newPending makes a pending file without a name or, if the file system cannot do that, with a temporary name.
func newPending(path string) (*pending, error) {
	fd, err := unix.Open(filepath.Dir(path), unix.O_TMPFILE|unix.O_WRONLY|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return named(path)
	}
	return &pending{file: os.NewFile(uintptr(fd), path)}, nil
}

// publish gives the file the name path. It replaces an existing file.
func (p *pending) publish(path string) error {
	if p.name != "" {
		return p.rename(path)
	}
	// A file without a name can only be linked to a name that is free.
	free, err := os.CreateTemp(filepath.Dir(path), temporary)
	if err != nil {
		return err
	}
	p.name = free.Name()
	_ = free.Close() // nothing is lost: nothing was written
	if err := os.Remove(p.name); err != nil {
		return err
	}
	from := "/proc/self/fd/" + strconv.Itoa(int(p.file.Fd()))
	if err := unix.Linkat(unix.AT_FDCWD, from, unix.AT_FDCWD, p.name, unix.AT_SYMLINK_FOLLOW); err != nil {
		return err
	}
	return p.rename(path)
}
