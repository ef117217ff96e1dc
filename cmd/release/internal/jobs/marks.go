package jobs

import (
	"context"
	"encoding/hex"

	"github.com/dprelease/dprelease/ledger"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/manifest"
)

// Recall says what the ledger knows of the entry that a manifest shows. Manifests of earlier versions show its number and hash, which do
// not tell a lost entry from one of another ledger: then it is ledger.MarkLost.
func Recall(ctx context.Context, book *ledger.Book, shown *manifest.Ledger) (ledger.Memory, error) {
	if shown.Head != "" {
		known, err := book.Recall(ctx, []ledger.Mark{{Head: shown.Head, MAC: shown.MAC}})
		if err != nil {
			return 0, pipeline.LedgerError("compare the head", err)
		}
		return known[0], nil
	}
	head := ledger.Head{Seq: shown.Entry}
	if b, err := hex.DecodeString(shown.Hash); err == nil && len(b) == len(head.Hash) {
		head.Hash = ledger.Hash(b)
	}
	held, err := book.Holds(ctx, head)
	switch {
	case err != nil:
		return 0, pipeline.LedgerError("compare the head", err)
	case held:
		return ledger.MarkHeld, nil
	}
	return ledger.MarkLost, nil
}

// LostWords say what is wrong with a ledger that does not hold the entry that a manifest shows; "" if it does.
func LostWords(known ledger.Memory, shown *manifest.Ledger) string {
	switch {
	case known == ledger.MarkHeld:
		return ""
	case known == ledger.MarkForeign:
		return "the ledger is not the one that this release was charged to"
	case shown.Head == "":
		return "the ledger does not have the entry any more that was its newest when this was released: its end was cut off, or it is another ledger"
	}
	return "the ledger does not have the entry any more that was its newest when this was released: its end was cut off"
}
