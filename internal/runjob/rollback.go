package runjob

import (
	"context"
	"os"
	"path/filepath"

	"github.com/dprelease/dprelease/internal/ledger"
	"github.com/dprelease/dprelease/io/sink"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/manifest"
)

// A ledger that was restored from an older copy is consistent, but would let spent budget be spent again. So before a
// run charges anything, its ledger must have every entry that is known from elsewhere: the entries that the releases
// beside the output folder show, and the entry in the operator's anchor, a file on another disk.

// CompareHeads returns an error if the ledger lacks an entry that the anchor or a release beside dir shows.
func CompareHeads(ctx context.Context, book *ledger.Book, dir, anchorPath string, o LedgerOptions) (*Anchor, error) {
	anchor, err := compareAnchor(ctx, book, anchorPath)
	if err != nil {
		return nil, err
	}
	// The manifests are read before the ledger, so that an entry that another process adds meanwhile is in the ledger.
	shown := map[string]*manifest.Ledger{}
	for path, m := range releasesBeside(dir) {
		if m.Ledger != nil {
			shown[path] = m.Ledger
		}
	}
	for path, l := range shown {
		known, err := Recall(ctx, book, l)
		if err != nil {
			return nil, err
		}
		if known == ledger.MarkLost {
			return nil, rolledBack(o.show(path))
		}
	}
	return anchor, nil
}

// releasesBeside returns the manifests of the releases in the folder of dir, by path.
func releasesBeside(dir string) map[string]*manifest.Manifest {
	found := map[string]*manifest.Manifest{}
	entries, _ := os.ReadDir(filepath.Dir(dir)) // if the folder does not exist, it has no releases
	for _, e := range entries {
		path := filepath.Join(filepath.Dir(dir), e.Name())
		if _, err := os.Stat(filepath.Join(path, "release.json")); err != nil {
			continue
		}
		if m, _, err := sink.ReadManifest(path); err == nil {
			found[path] = &m
		}
	}
	return found
}

func rolledBack(where string) error {
	return &pipeline.Error{
		Cause: pipeline.CauseLedger, Code: "rolled-back",
		Message: "the ledger lacks an entry that " + where +
			" shows: the ledger was rolled back or cut off, and does not know what was spent since",
		Hint: "nothing was spent; restore the newest copy of the ledger. Without a copy, the budget that the lost " +
			"entries spent remains spent: the data owner lowers the budget by that amount (release ledger budget set), then " +
			"moves the releases that the ledger does not list to another folder",
	}
}

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
