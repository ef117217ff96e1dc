package runjob

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/dprelease/dprelease/internal/ledger"
	"github.com/dprelease/dprelease/internal/regular"
	"github.com/dprelease/dprelease/io/sink"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/manifest"
)

// A ledger that was restored from an older copy is consistent, but would let spent budget be spent again. So before a
// run charges anything, its ledger must have every entry that is known from elsewhere: the entries that the releases
// beside the output folder show, and the entry in the operator's anchor, a file on another disk.

// Anchor is a file, on another disk than the ledger, that shows the ledger's newest entry.
type Anchor struct {
	path  string // "" if there is none
	fixed bool   // the anchor is a release's manifest, which is never written
}

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

// anchorFile is the content of an anchor: a mark (ledger.Mark), as in a manifest and in the output of release ledger
// show --json.
type anchorFile struct {
	Format string           `json:"format"`
	Ledger *manifest.Ledger `json:"ledger"`
}

// largestAnchor is the size limit of an anchor, in bytes. It equals the limit of a manifest.
const largestAnchor = 64 << 20

func compareAnchor(ctx context.Context, book *ledger.Book, path string) (*Anchor, error) {
	if path == "" {
		return &Anchor{}, nil
	}
	text, err := regular.ReadFile(path, largestAnchor)
	if errors.Is(err, fs.ErrNotExist) {
		return firstAnchor(ctx, book, path)
	}
	if err != nil {
		return nil, settingf("--anchor: %s can't be read: %s", path, regular.Reason(err))
	}
	var held anchorFile
	if json.Unmarshal(text, &held) != nil || held.Ledger == nil {
		return nil, settingf("--anchor: %s is not an anchor, a manifest or an output of release ledger show --json", path)
	}
	known, err := Recall(ctx, book, held.Ledger)
	switch {
	case err != nil:
		return nil, err
	case known == ledger.MarkLost:
		return nil, rolledBack("the anchor " + path)
	case known == ledger.MarkForeign:
		return nil, &pipeline.Error{
			Cause: pipeline.CauseLedger, Code: "other-ledger", Message: "the anchor " + path + " is of another ledger",
			Hint: "nothing was spent; if this ledger is the right one, remove the anchor and make it anew: release ledger " +
				"show JOB --json > " + path,
		}
	}
	return &Anchor{path, held.Format != ""}, nil
}

// firstAnchor creates an anchor, but only for a ledger that the run creates too. For an older ledger, the missing
// anchor was lost.
func firstAnchor(ctx context.Context, book *ledger.Book, path string) (*Anchor, error) {
	head, err := book.Head(ctx)
	if err != nil {
		return nil, pipeline.LedgerError("read the head", err)
	}
	if head.Seq > 0 {
		return nil, &pipeline.Error{
			Cause: pipeline.CauseLedger, Code: "no-anchor", Message: "the anchor " + path +
				" is not there, and the ledger is not new",
			Hint: "nothing was spent; restore the anchor; or if the ledger is known to be whole, make it: release ledger show " +
				"JOB --json > " + path,
		}
	}
	return &Anchor{path: path}, nil
}

// Renew writes the ledger's newest entry to the anchor, after a run with any outcome.
func (n *Anchor) Renew(ctx context.Context, book *ledger.Book) error {
	if n.path == "" || n.fixed {
		return nil
	}
	mark, err := book.Mark(ctx)
	if err != nil {
		return pipeline.LedgerError("read the head", err)
	}
	text, err := json.Marshal(map[string]any{"ledger": manifest.Ledger{Head: mark.Head, MAC: mark.MAC}})
	if err == nil {
		err = regular.Replace(n.path, 0o600, func(f *os.File) error {
			_, err := f.Write(append(text, '\n'))
			return err
		})
	}
	if err != nil {
		return &pipeline.Error{
			Cause: pipeline.CauseOutput, Code: "anchor", Message: fmt.Sprintf("the anchor %s can't be written: %s; what the "+
				"run did is done", n.path, regular.Reason(err)),
			Hint: regular.Remedy(err) + "; the next run compares with the entry that the anchor shows now",
		}
	}
	return nil
}
