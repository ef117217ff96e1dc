package ledger

import (
	"context"
	"errors"
	"path/filepath"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/dprelease/dprelease/cmd/release/internal/console"
	"github.com/dprelease/dprelease/cmd/release/internal/jobs"
	"github.com/dprelease/dprelease/internal/ledger"
	"github.com/dprelease/dprelease/internal/ledger/sqlstore"
	"github.com/dprelease/dprelease/internal/runjob"
	"github.com/dprelease/dprelease/internal/spelling"
	"github.com/dprelease/dprelease/pipeline"
)

const copyLong = `copy moves a ledger to another store: from a file to PostgreSQL, back, or to another file. Every entry
is copied as it is, the chain of hashes is checked on arrival, and both ledgers have the same head. The secret moves
too, so that inputs and releases are recognized as before.

The old ledger is then closed by an entry that names the new one: it can be read, and refuses every further charge with
a message that says where it went. Jobs have to name the new one in ledger.store. At no moment are both open. copy does
not begin while a run is at work.

A ledger that lacks an entry of a release beside its own releases is an older copy, and copy refuses it.

A copy that was cut short can be repeated with the same arguments. The new place must hold no ledger. FROM and TO are
names as a job's ledger.store has them; ${env:NAME} stands for a variable, which keeps a password off the command line.
FROM may also be a job file.`

func (a *accounts) copyCmd() *cobra.Command {
	f := &jobs.Flags{}
	cmd := &cobra.Command{
		Use: "copy FROM TO", Short: "Move a ledger to another store, and close the old one",
		Long: copyLong, Args: cobra.ExactArgs(2),
		Example: "  release ledger copy sqlite:ledger.db 'postgres://ledger@db.example.org/ledger'\n  release ledger copy " +
			"job.yaml '${env:LEDGER_DSN}'",
		RunE: func(cmd *cobra.Command, args []string) error { return a.copyLedger(cmd.Context(), f, args[0], args[1]) },
	}
	f.AddParams(cmd)
	cmd.Flags().BoolVar(&a.JSON, "json", false, "print JSON")
	return cmd
}

func (a *accounts) copyLedger(ctx context.Context, f *jobs.Flags, from, to string) error {
	from, err := a.storeOf(f, from)
	if err != nil {
		return err
	}
	if to, err = a.fromEnv(to); err != nil {
		return err
	}
	old, err1 := sqlstore.Address(from)
	address, err2 := sqlstore.Address(to)
	if err := errors.Join(err1, err2); errors.Is(err, sqlstore.ErrUnsupported) {
		return console.Usagef("the ledger's store: %v", err)
	} else if err != nil {
		return pipeline.LedgerError("find the ledger", err)
	}
	if old == address {
		return console.Usagef("FROM and TO are the same ledger")
	}
	if !utf8.ValidString(address) {
		return console.Usagef("the path of %s is not UTF-8, so the old ledger can't record where it went: choose another place",
			address)
	}
	head, err := moveLedger(ctx, from, to, address)
	if err != nil {
		return pipeline.LedgerError("move the ledger", err)
	}
	if a.JSON {
		return a.PrintJSON(map[string]any{"from": old, "to": address, "entries": head.Seq, "head": head.Hash.String()})
	}
	if a.Quiet {
		return nil
	}
	return a.Printf("moved %s\n  from     %s; closed: it can be read, and takes no more charges\n  to       %s\n  head  "+
		"   %s, the same in both\n  next     let ledger.store of every job name the new one\n",
		spelling.Count(int(head.Seq), "entry"), old, address, head.Hash.String())
}

// moveLedger copies the ledger in one store to another and closes it. address is the new store's name in messages.
func moveLedger(ctx context.Context, from, to, address string) (head ledger.Head, err error) {
	source, err := sqlstore.Named(ctx, from, false)
	if err != nil {
		return head, err
	}
	defer func() { err = errors.Join(err, source.Close()) }()
	secret, err := source.Secret(ctx)
	if err != nil {
		return head, err
	}
	book := ledger.NewBook(source, time.Now)
	switch moved, err := book.Moved(ctx); {
	case err != nil:
		return head, err
	case moved == nil:
		if err := compareReleases(ctx, book); err != nil {
			return head, err
		}
	case moved.To != address:
		return head, &ledger.MovedError{Move: *moved}
	}
	if err := book.Idle(ctx); err != nil {
		return head, err
	}
	arrival, err := sqlstore.Arrival(ctx, to, secret)
	if err != nil {
		return head, err
	}
	defer func() { err = errors.Join(err, arrival.Close()) }()
	return book.Move(ctx, arrival, address)
}

// compareReleases returns an error if a release in the folders of the ledger's releases, or beside them, shows an entry
// that the ledger lacks: then the ledger is an older copy, and the budget spent since would be spent twice.
func compareReleases(ctx context.Context, book *ledger.Book) error {
	runs, err := book.Runs(ctx)
	if err != nil {
		return err
	}
	compared := map[string]bool{}
	for i := range runs {
		dir := runs[i].Charge.Dir
		if folder := filepath.Dir(dir); !compared[folder] {
			compared[folder] = true
			if _, err := runjob.CompareHeads(ctx, book, dir, "", runjob.LedgerOptions{Show: console.Here}); err != nil {
				return err
			}
		}
	}
	return nil
}

// storeOf returns the name of a ledger. name is this name or the path of a job file.
func (a *accounts) storeOf(f *jobs.Flags, name string) (string, error) {
	scheme, _, _ := strings.Cut(name, ":")
	if sqlstore.IsPostgres(name) || scheme == "sqlite" || scheme == "sqlite+group" || strings.Contains(name, "${env:") {
		return a.fromEnv(name)
	}
	return f.StoreOf(a.Console, name)
}

var variable = regexp.MustCompile(`\$\{env:([A-Za-z_][A-Za-z0-9_]*)\}`)

// fromEnv replaces each ${env:NAME} in a text by the variable's value.
func (a *accounts) fromEnv(name string) (out string, err error) {
	out = variable.ReplaceAllStringFunc(name, func(text string) string {
		value, ok := a.Env(variable.FindStringSubmatch(text)[1])
		if !ok {
			err = console.Usagef("%s: the variable is not set", text)
		}
		return value
	})
	return out, err
}
