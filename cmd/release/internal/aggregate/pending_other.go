//go:build !linux

package aggregate

// newPending makes a file with a temporary name.
func newPending(path string) (*pending, error) { return named(path) }

// publish renames the file to path. It replaces an existing file.
func (p *pending) publish(path string) error { return p.rename(path) }
