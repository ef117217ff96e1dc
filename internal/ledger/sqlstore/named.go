package sqlstore

import (
	"context"

	"github.com/dprelease/dprelease/internal/ledger"
)

// Named opens the ledger that a name denotes: sqlite:PATH, in which a relative path starts from the working folder;
// sqlite+group:PATH if the group of its folder shares it; or a connection string, postgres://…. If there is no ledger,
// Named makes one if create is set, and fails otherwise. Errors: ErrUnsupported; the errors of Open and OpenPostgres.
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
