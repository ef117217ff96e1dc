package jobs

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dprelease/dprelease/cmd/release/internal/console"
	"github.com/dprelease/dprelease/ledger"
	"github.com/dprelease/dprelease/ledger/sqlstore"
	"github.com/dprelease/dprelease/pipeline"
)

// levelsUp is how many folders above a release a ledger is looked for.
const levelsUp = 4

// LedgersNear finds the files of ledgers beside a release and in the folders above, the nearest first.
func LedgersNear(dir string) (paths []string) {
	for range levelsUp {
		dir = filepath.Dir(dir)
		entries, _ := os.ReadDir(dir) // a folder that cannot be read has none to find
		for _, e := range entries {
			if path := filepath.Join(dir, e.Name()); e.Type().IsRegular() && sqlstore.IsLedger(path) {
				paths = append(paths, path)
			}
		}
	}
	return paths
}

// RunOf returns the run that has a publication whose manifest has this SHA-256; nil if there is none.
func RunOf(runs []ledger.Run, digest string) *ledger.Run {
	i := slices.IndexFunc(runs, func(r ledger.Run) bool {
		return r.Digests.Release == digest || slices.ContainsFunc(r.Derived,
			func(d ledger.Derivation) bool { return d.Release == digest })
	})
	if i < 0 || digest == "" {
		return nil
	}
	return &runs[i]
}

// ShownStore is the name of a ledger as it may be printed: the path of a file, and of a server nothing but its kind, since
// the rest may hold a password.
func ShownStore(store string) string {
	kind, path, _ := strings.Cut(store, ":")
	if strings.HasPrefix(kind, "sqlite") {
		return console.Here(path)
	}
	return kind
}

// Known is a release in its ledger.
type Known struct {
	Store string // the ledger's name
	Book  *ledger.Book
	Run   ledger.Run
	Close func() error
}

// FindRun finds the ledger of a release folder whose manifest has this SHA-256, and the release in it. store names the
// ledger; if it is empty, those near the folder are asked, but for closed ones. It returns nil if none knows the
// release.
func FindRun(ctx context.Context, dir, digest, store string) (*Known, error) {
	names := []string{store}
	if store == "" {
		names = nil
		for _, path := range LedgersNear(dir) {
			names = append(names, "sqlite:"+path)
		}
	}
	for _, name := range names {
		book, closeBook, err := OpenStore(ctx, name, false)
		if err != nil {
			return nil, err
		}
		s, err := book.Snapshot(ctx)
		if err != nil {
			_ = closeBook() // it was only read
			return nil, pipeline.LedgerError("read the ledger", err)
		}
		if r := RunOf(s.Runs, digest); r != nil && (s.Moved == nil || store != "") {
			return &Known{Store: name, Book: book, Run: *r, Close: closeBook}, nil
		}
		_ = closeBook() // it was only read
	}
	return nil, nil
}
