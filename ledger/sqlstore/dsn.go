package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/dprelease/dprelease/ledger"
)

// ErrUnsupported says that a store's name is neither sqlite:PATH, sqlite+group:PATH nor postgres://…. Its text does not quote the name,
// which may hold a password.
var ErrUnsupported = errors.New("not a supported ledger store")

// Named opens the ledger of a name: sqlite:PATH, whose relative paths start from the working folder; sqlite+group:PATH, if the members of
// its folder's group share it; or postgres://… (a connection string). If create is set it is made if it is not there; else it must be
// there. Errors: ErrUnsupported; those of Open and OpenPostgres.
func Named(ctx context.Context, name string, create bool) (ledger.Store, error) {
	scheme, _, _ := strings.Cut(name, ":")
	if scheme == "postgres" || scheme == "postgresql" {
		return OpenPostgres(ctx, name, create)
	}
	path, s, err := parse(name)
	if err != nil {
		return nil, err
	}
	return open(ctx, path, s, create)
}

// parse returns the path of the file that a store's name stands for, and who shares it. A relative path is the caller's
// to resolve. ErrUnsupported: any other name.
func parse(name string) (path string, s sharing, err error) {
	scheme, path, ok := strings.Cut(name, ":")
	switch {
	case !ok || scheme != "sqlite" && scheme != "sqlite+group":
		return "", alone, fmt.Errorf("%w: write sqlite:PATH or postgres://USER@HOST/DATABASE", ErrUnsupported)
	case path == "":
		return "", alone, fmt.Errorf("%w: sqlite: without a path", ErrUnsupported)
	case strings.HasPrefix(path, ":memory:"):
		return "", alone, fmt.Errorf("%w: a ledger in memory would forget what was spent", ErrUnsupported)
	}
	return path, sharing(scheme == "sqlite+group"), nil
}
