package runjob

import (
	"context"

	"github.com/dprelease/dprelease/internal/ledger"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/manifest"
)

// Recall returns whether the ledger has the entry that a manifest or an anchor shows by its mark, or had this entry and
// lost it.
func Recall(ctx context.Context, book *ledger.Book, shown *manifest.Ledger) (ledger.Memory, error) {
	known, err := book.Recall(ctx, []ledger.Mark{{Head: shown.Head, MAC: shown.MAC}})
	if err != nil {
		return 0, pipeline.LedgerError("compare the head", err)
	}
	return known[0], nil
}

// LostWords returns a text about a ledger that lacks the entry that a manifest shows; "" if the ledger has the entry.
func LostWords(known ledger.Memory) string {
	switch known {
	case ledger.MarkHeld:
		return ""
	case ledger.MarkForeign:
		return "the ledger is not the one that this release was charged to"
	}
	return "the ledger does not have the entry any more that was its newest when this was released: its end was cut off"
}
