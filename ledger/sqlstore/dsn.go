package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/dprelease/dprelease/ledger"
)

// ErrUnsupported says that a store's name is neither sqlite:PATH nor postgres://…. Its text does not quote the name, which may hold a
// password.
var ErrUnsupported = errors.New("not a supported ledger store")

// Named opens the ledger of a name: sqlite:PATH, whose relative paths start from the working folder, or postgres://… (a connection
// string). Where create is set it is made if it is not there; else it must be there. Errors: ErrUnsupported; those of Open and
// OpenPostgres.
func Named(ctx context.Context, name string, create bool) (ledger.Store, error) {
	scheme, _, _ := strings.Cut(name, ":")
	if scheme == "postgres" || scheme == "postgresql" {
		return OpenPostgres(ctx, name, create)
	}
	path, err := Parse(name)
	if err != nil {
		return nil, err
	}
	if create {
		return Open(ctx, path)
	}
	return OpenExisting(ctx, path)
}

// Parse returns the path of the file that a store's name, sqlite:PATH, stands for. A relative path is the caller's to
// resolve. ErrUnsupported: any other name.
func Parse(name string) (path string, err error) {
	scheme, path, ok := strings.Cut(name, ":")
	switch {
	case !ok || scheme != "sqlite":
		return "", fmt.Errorf("%w: write sqlite:PATH or postgres://USER@HOST/DATABASE", ErrUnsupported)
	case path == "":
		return "", fmt.Errorf("%w: sqlite: without a path", ErrUnsupported)
	case strings.HasPrefix(path, ":memory:"):
		return "", fmt.Errorf("%w: a ledger in memory would forget what was spent", ErrUnsupported)
	}
	return path, nil
}
