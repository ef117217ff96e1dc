package runjob

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/dprelease/dprelease/internal/ledger"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/manifest"
)

// LedgerOptions are options of [OpenLedger].
type LedgerOptions struct {
	// New allows a new ledger beside releases of the dataset. The new ledger does not count their cost.
	New bool
	// Show formats a path for messages; nil leaves it unchanged.
	Show func(path string) string
}

func (o LedgerOptions) show(path string) string {
	if o.Show == nil {
		return path
	}
	return o.Show(path)
}

// OpenLedger opens the ledger of a plan that publishes into dir. If it does not exist or is empty, OpenLedger starts a
// new one. But a release of the same dataset beside dir shows that there was a ledger: then it returns an error, so
// that the loss of a ledger does not restore the budget. Errors do not quote the store's name, which may hold a
// password.
func OpenLedger(ctx context.Context, plan *pipeline.Plan, dir string, o LedgerOptions) (*ledger.Book, error) {
	book, err := OpenStore(ctx, plan.Job().StoreName(), false)
	if err != nil && !errors.Is(err, ledger.ErrAbsent) {
		return nil, err
	}
	if err == nil {
		head, err := book.Head(ctx)
		if err == nil && head.Seq > 0 {
			if moved, failed := book.Moved(ctx); failed != nil || moved != nil {
				if moved != nil {
					failed = &ledger.MovedError{Move: *moved}
				}
				return nil, pipeline.LedgerError("open the ledger", errors.Join(failed, book.Close()))
			}
			return book, nil
		}
		if failed := errors.Join(err, book.Close()); failed != nil {
			return nil, pipeline.LedgerError("read the head", failed)
		}
	}
	if err := o.LostLedger(plan, dir); err != nil {
		return nil, err
	}
	return OpenStore(ctx, plan.Job().StoreName(), true)
}

// LostLedger returns an error if a release of the plan's dataset beside dir shows that there was a ledger, which is
// lost. It returns nil if a new ledger may be opened.
func (o LedgerOptions) LostLedger(plan *pipeline.Plan, dir string) error {
	beside := releasesBeside(dir)
	for _, path := range slices.Sorted(maps.Keys(beside)) {
		if !o.New && sameDataset(beside[path], plan) {
			return &pipeline.Error{
				Cause: pipeline.CauseLedger, Code: "no-ledger",
				Message: o.show(path) + " is a release of dataset " + plan.Job().Ledger.Dataset +
					", but its ledger is missing: a new ledger would not know what it cost",
				Hint: "restore the ledger, or let ledger.store name the place where it is; --new-ledger opens a new one: then " +
					"let the data's owner lower its budget by what was spent before (release ledger budget set)",
			}
		}
	}
	return nil
}

// sameDataset reports whether the manifest is of a release of the plan's dataset.
func sameDataset(m *manifest.Manifest, plan *pipeline.Plan) bool {
	return m.Dataset() == plan.Job().Ledger.Dataset && !strings.Contains(m.Dataset(), "${")
}
