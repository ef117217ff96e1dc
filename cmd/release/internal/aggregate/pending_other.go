//go:build !linux

package aggregate

// newPending makes a file with a name.
func newPending(path string) (*pending, error) { return named(path) }

// publish gives the file its final name. It replaces another file of this name.
func (p *pending) publish(path string) error { return p.rename(path) }
