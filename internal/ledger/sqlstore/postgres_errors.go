package sqlstore

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/dprelease/dprelease/internal/ledger"
	"github.com/dprelease/dprelease/internal/silence"
)

// translatePostgres maps an error of the driver or the server to an error of package ledger. It drops their texts,
// which can quote statements, values and passwords, and keeps the server's code. If the context has ended, it returns
// the context's error.
func translatePostgres(ctx context.Context, err error) error {
	var server *pgconn.PgError
	var connecting *pgconn.ConnectError
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, pgx.ErrNoRows):
		return fmt.Errorf("%w: a row is missing", ledger.ErrCorrupt)
	case errors.As(err, &server):
		return fmt.Errorf("%w (SQLSTATE %s)", postgresMeaning(server.Code), server.Code)
	case errors.Is(err, silence.ErrSilent), errors.Is(err, context.DeadlineExceeded): // the latter while connecting
		return errSilent
	case errors.As(err, &connecting):
		if reason := silence.Reason(err); reason != "" {
			return fmt.Errorf("%w: %s", errAway, reason)
		}
		return errAway
	}
	return ledger.ErrUnavailable
}

// postgresMeaning maps an error code of the server to an error (PostgreSQL's manual, appendix A).
func postgresMeaning(code string) error {
	switch code {
	case "40001", "40P01", "55P03": // serialization failure, deadlock, lock timeout
		return ledger.ErrBusy
	case "57P01", "57P02", "57P03", "25P03",
		"53300": // shut down, crashed, starting, timed out while idle, too many connections
		return errLost
	case "25006":
		return ledger.ErrReadOnly
	case "53100", "53200":
		return ledger.ErrFull
	case "42P01", "42703":
		return fmt.Errorf("%w: the database has no ledger in this schema", ledger.ErrUnavailable)
	case "42501", "28P01", "28000", "3D000":
		return fmt.Errorf("%w: the server refuses this user or has no such database", ledger.ErrUnavailable)
	}
	switch code[:min(2, len(code))] {
	case "22", "23", "42", "P0":
		return ledger.ErrCorrupt
	case "08":
		return errLost
	}
	return ledger.ErrUnavailable
}
