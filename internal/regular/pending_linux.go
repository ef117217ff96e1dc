package regular

import (
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// NewPending makes a pending file without a name or, if the file system cannot do that, with a temporary name.
func NewPending(path string) (*Pending, error) {
	fd, err := unix.Open(filepath.Dir(path), unix.O_TMPFILE|unix.O_WRONLY|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return named(path)
	}
	p := &Pending{File: os.NewFile(uintptr(fd), path)}
	if _, err := os.Stat(p.inKernel()); err != nil { // /proc is not mounted, so that the file could not get a name
		p.Discard()
		return named(path)
	}
	return p, nil
}

// inKernel returns the path of the open file, whether it has a name or not.
func (p *Pending) inKernel() string { return "/proc/self/fd/" + strconv.Itoa(int(p.Fd())) }

// Publish gives the file the name path. It replaces an existing file.
func (p *Pending) Publish(path string) error {
	if p.name != "" {
		return p.rename(path)
	}
	// A file without a name can only be linked to a name that is free.
	free, err := createTemp(filepath.Dir(path))
	if err != nil {
		return err
	}
	p.name = free.Name()
	_ = free.Close() // nothing is lost: nothing was written
	if err := os.Remove(p.name); err != nil {
		return err
	}
	if err := unix.Linkat(unix.AT_FDCWD, p.inKernel(), unix.AT_FDCWD, p.name, unix.AT_SYMLINK_FOLLOW); err != nil {
		return err
	}
	return p.rename(path)
}
