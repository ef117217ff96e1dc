//go:build !linux

package regular

// NewPending makes a file with a temporary name.
func NewPending(path string) (*Pending, error) { return named(path) }

// Publish renames the file to path. It replaces an existing file.
func (p *Pending) Publish(path string) error { return p.rename(path) }
