package runjob

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/dprelease/dprelease/internal/ledger"
	"github.com/dprelease/dprelease/internal/regular"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/manifest"
)

// Anchor is a file, on another disk than the ledger, that shows the ledger's newest entry.
type Anchor struct {
	path  string // "" if there is none
	fixed bool   // the anchor is a release's manifest, which is never written
}

// anchorFile is the content of an anchor: a mark (ledger.Mark), as in a manifest and in the output of release ledger
// show --json.
type anchorFile struct {
	Format string           `json:"format"`
	Ledger *manifest.Ledger `json:"ledger"`
}

// maxAnchorBytes is the size limit of an anchor, in bytes. It equals the limit of a manifest.
const maxAnchorBytes = 64 << 20

func compareAnchor(ctx context.Context, book *ledger.Book, path string) (*Anchor, error) {
	if path == "" {
		return &Anchor{}, nil
	}
	text, err := regular.ReadFile(path, maxAnchorBytes)
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

// firstAnchor writes an anchor that does not exist yet. The ledger must be new too: the anchor of an older ledger was
// lost. The anchor is written before the first charge. Otherwise a run that is killed after the charge would leave a
// ledger that is not new without an anchor, and every later run would be refused.
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
	n := &Anchor{path: path}
	mark, err := book.Mark(ctx)
	if err != nil {
		return nil, pipeline.LedgerError("read the head", err)
	}
	if err := n.write(mark); err != nil {
		return nil, &pipeline.Error{
			Cause: pipeline.CauseOutput, Code: "anchor", Message: fmt.Sprintf("the anchor %s can't be written: %s", path,
				regular.Reason(err)),
			Hint: "nothing was spent; " + regular.Remedy(err),
		}
	}
	return n, nil
}

// write replaces the anchor by one that shows mark.
func (n *Anchor) write(mark ledger.Mark) error {
	text, err := json.Marshal(map[string]any{"ledger": manifest.Ledger{Head: mark.Head, MAC: mark.MAC}})
	if err != nil {
		return err
	}
	return regular.Replace(n.path, 0o600, func(f *os.File) error {
		_, err := f.Write(append(text, '\n'))
		return err
	})
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
	if err := n.write(mark); err != nil {
		return &pipeline.Error{
			Cause: pipeline.CauseOutput, Code: "anchor", Message: fmt.Sprintf("the anchor %s can't be written: %s; what the "+
				"run did is done", n.path, regular.Reason(err)),
			Hint: regular.Remedy(err) + "; the next run compares with the entry that the anchor shows now",
		}
	}
	return nil
}
