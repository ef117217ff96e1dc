package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/dprelease/dprelease/internal/ledger"
)

// BusyTimeout is the longest time that a transaction waits for other processes before it returns ledger.ErrBusy.
const BusyTimeout = 30 * time.Second

// errLost means that the connection broke before the commit was sent. Nothing was stored, so the transaction can run
// again.
var errLost = fmt.Errorf("%w: the connection to the server was lost", ledger.ErrUnavailable)

// errAway means that no connection can be made. The transaction can run again.
var errAway = fmt.Errorf("%w: the server cannot be reached", ledger.ErrUnavailable)

// errSilent means that the server did not answer in time, and no commit was sent. The transaction is not run again,
// since the caller has waited long enough.
var errSilent = fmt.Errorf("%w: the server did not answer in time (timeout in its connection string)",
	ledger.ErrUnavailable)

// retryBusy repeats op for at most BusyTimeout while it fails because another process holds a lock or the server is
// down.
func retryBusy(ctx context.Context, op func() error) error {
	err := op()
	for end, pause := time.Now().Add(BusyTimeout), time.Millisecond; errors.Is(err, ledger.ErrBusy) ||
		errors.Is(err, errLost) || errors.Is(err, errAway); pause = min(2*pause, 32*time.Millisecond) {
		if time.Now().After(end) {
			return err
		}
		select {
		case <-ctx.Done():
			return waitError(ctx)
		case <-time.After(pause):
		}
		if err = op(); ctx.Err() != nil && errors.Is(err, ctx.Err()) {
			return waitError(ctx)
		}
	}
	return err
}

// waitError returns the error for a wait that the context ended: ErrBusy if the deadline passed, else the context's
// error.
func waitError(ctx context.Context) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return fmt.Errorf("%w (%w)", ledger.ErrBusy, ctx.Err())
	}
	return ctx.Err()
}
