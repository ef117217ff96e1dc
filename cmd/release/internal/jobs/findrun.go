package jobs

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dprelease/dprelease/cmd/release/internal/console"
	"github.com/dprelease/dprelease/internal/ledger"
	"github.com/dprelease/dprelease/internal/ledger/sqlstore"
	"github.com/dprelease/dprelease/internal/runjob"
	"github.com/dprelease/dprelease/pipeline"
)

// levelsUp is the number of folders above a release in which a ledger is searched.
const levelsUp = 4

// LedgersNear finds the files of ledgers beside a release and in the folders above it, nearest first.
func LedgersNear(dir string) (paths []string) {
	for range levelsUp {
		dir = filepath.Dir(dir)
		entries, _ := os.ReadDir(dir) // a folder that cannot be read is passed over
		for _, e := range entries {
			if path := filepath.Join(dir, e.Name()); e.Type().IsRegular() && sqlstore.IsLedger(path) {
				paths = append(paths, path)
			}
		}
	}
	return paths
}

// Stores returns the names of the ledgers to search for the release in dir: store or, if that is "", those near dir.
func Stores(store, dir string) (names []string) {
	if store != "" {
		return []string{store}
	}
	for _, path := range LedgersNear(dir) {
		names = append(names, "sqlite:"+path)
	}
	return names
}

// RunOf returns the run that published the release whose manifest has the SHA-256 digest; nil if there is none.
func RunOf(runs []ledger.Run, digest string) *ledger.Run {
	i := slices.IndexFunc(runs, func(r ledger.Run) bool { return r.HasPublication(digest) })
	if i < 0 || digest == "" {
		return nil
	}
	return &runs[i]
}

// Known is a run that was found in a ledger.
type Known struct {
	Store string // the ledger's name
	Book  *ledger.Book
	Run   ledger.Run
}

// CloseAll closes the ledgers of known. It ignores errors, since the ledgers were only read.
func CloseAll(known []*Known) {
	for _, k := range known {
		_ = k.Book.Close()
	}
}

// FindRuns finds the ledgers that have the release in dir, whose manifest has the SHA-256 digest. store names the
// ledger; if it is "", FindRuns reads the ledgers near dir, nearest first, except closed ones. It returns several if
// there are copies of a ledger near dir, or if dir is a copy itself: then nothing tells which of them counts.
func FindRuns(ctx context.Context, dir, digest, store string) (known []*Known, err error) {
	for _, name := range Stores(store, dir) {
		k, err := findIn(ctx, name, digest, store != "")
		if err != nil {
			CloseAll(known)
			var failed *pipeline.Error
			if store == "" && errors.As(err, &failed) {
				failed.Hint = strings.TrimPrefix(failed.Hint+"; or name the release's ledger with --store", "; ")
			}
			return nil, err
		}
		if k != nil {
			known = append(known, k)
		}
	}
	return known, nil
}

// findIn finds a release in one ledger. It returns nil if the ledger does not have the release. A closed ledger is
// searched only if closed is set.
func findIn(ctx context.Context, store, digest string, closed bool) (*Known, error) {
	book, err := runjob.OpenStore(ctx, store, false)
	if err != nil {
		return nil, err
	}
	s, err := book.Snapshot(ctx)
	if err != nil {
		_ = book.Close() // nothing is lost: the ledger was only read
		return nil, pipeline.LedgerError("read the ledger", err)
	}
	if r := RunOf(s.Runs, digest); r != nil && (s.Moved == nil || closed) {
		return &Known{Store: store, Book: book, Run: *r}, nil
	}
	return nil, book.Close()
}

// ShownStore returns the name of a ledger for messages: the path of a file. For a server it returns only the kind of
// server, since the name may hold a password.
func ShownStore(store string) string {
	kind, path, _ := strings.Cut(store, ":")
	if strings.HasPrefix(kind, "sqlite") {
		return console.Here(path)
	}
	return kind
}

// StoreOf returns the name of the ledger that a job file names.
func (f *Flags) StoreOf(c *console.Console, path string) (string, error) {
	job, err := f.Job(c, path)
	if err != nil {
		return "", err
	}
	return job.StoreName(), nil
}
