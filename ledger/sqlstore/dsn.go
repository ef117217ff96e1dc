package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/dprelease/dprelease/ledger"
)

// ErrUnsupported means that a store's name is neither sqlite:PATH, sqlite+group:PATH nor postgres://…. Its text does
// not quote the name, which may hold a password.
var ErrUnsupported = errors.New("not a supported ledger store")

// Named opens the ledger with a name: sqlite:PATH, in which a relative path starts from the working folder;
// sqlite+group:PATH if the members of its folder's group share it; or postgres://… (a connection string). If create is
// set and there is no ledger, Named makes one; otherwise the ledger must exist. Errors: ErrUnsupported; those of Open
// and OpenPostgres.
func Named(ctx context.Context, name string, create bool) (ledger.Store, error) {
	if IsPostgres(name) {
		return OpenPostgres(ctx, name, create)
	}
	path, s, err := parse(name)
	if err != nil {
		return nil, err
	}
	return open(ctx, path, s, create)
}

// parse returns the path of the file that a store's name denotes, and who shares it. The caller resolves a relative
// path. ErrUnsupported if the name has another form.
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
