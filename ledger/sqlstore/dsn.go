package sqlstore

import (
	"errors"
	"fmt"
	"strings"
)

// ErrUnsupported says that a store is not named sqlite:PATH. Its text does not quote the name, which may hold a password.
var ErrUnsupported = errors.New("not a supported ledger store")

// Parse returns the path of the file that a store's name, sqlite:PATH, stands for. A relative path is the caller's to
// resolve. ErrUnsupported: any other name.
func Parse(name string) (path string, err error) {
	scheme, path, ok := strings.Cut(name, ":")
	switch {
	case !ok:
		return "", fmt.Errorf("%w: write sqlite:PATH", ErrUnsupported)
	case scheme == "postgres" || scheme == "postgresql":
		return "", fmt.Errorf("%w: PostgreSQL is not supported yet; write sqlite:PATH", ErrUnsupported)
	case scheme != "sqlite":
		return "", fmt.Errorf("%w: write sqlite:PATH", ErrUnsupported)
	case path == "":
		return "", fmt.Errorf("%w: sqlite: without a path", ErrUnsupported)
	case strings.HasPrefix(path, ":memory:"):
		return "", fmt.Errorf("%w: a ledger in memory would forget what was spent", ErrUnsupported)
	}
	return path, nil
}
