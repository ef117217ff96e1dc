package sqlstore

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/jackc/pgx/v5"
)

// ErrUnsupported means that a store's name is neither sqlite:PATH, sqlite+group:PATH nor postgres://…. Its text does
// not quote the name, which may hold a password.
var ErrUnsupported = errors.New("not a supported ledger store")

// parse returns the path of the file that a store's name denotes, and who shares the file. The caller resolves a
// relative path. If the name has another form, the error wraps ErrUnsupported.
func parse(name string) (path string, s sharing, err error) {
	scheme, path, ok := strings.Cut(name, ":")
	switch {
	case !ok || scheme != "sqlite" && scheme != "sqlite+group":
		return "", ownerOnly, fmt.Errorf("%w: write sqlite:PATH or postgres://USER@HOST/DATABASE", ErrUnsupported)
	case path == "":
		return "", ownerOnly, fmt.Errorf("%w: sqlite: without a path", ErrUnsupported)
	case strings.HasPrefix(path, ":memory:"):
		return "", ownerOnly, fmt.Errorf("%w: a ledger in memory would forget what was spent", ErrUnsupported)
	}
	return path, sharing(scheme == "sqlite+group"), nil
}

// IsPostgres reports whether a store's name is a connection string.
func IsPostgres(name string) bool {
	scheme, _, _ := strings.Cut(name, ":")
	return scheme == "postgres" || scheme == "postgresql"
}

// Address returns a location of the named store that can be shown: the path of the file, with links resolved, or host,
// port and database without user and password. Two names of one store have the same address. It opens no store. Errors:
// as Named.
func Address(name string) (string, error) {
	if IsPostgres(name) {
		c, err := pgx.ParseConfig(name)
		if err != nil {
			return "", fmt.Errorf("%w: the connection string is not one", ErrUnsupported)
		}
		u := url.URL{Scheme: "postgres", Host: fmt.Sprintf("%s:%d", c.Host, c.Port), Path: c.Database}
		if path := c.RuntimeParams["search_path"]; path != "" {
			u.RawQuery = url.Values{"search_path": {path}}.Encode()
		}
		return u.String(), nil
	}
	path, s, err := parse(name)
	if err != nil {
		return "", err
	}
	if path, _, err = locate(path); err != nil {
		return "", err
	}
	if s == group {
		return "sqlite+group:" + path, nil
	}
	return "sqlite:" + path, nil
}
