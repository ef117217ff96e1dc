package ledger

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/dprelease/dprelease/cmd/release/internal/console"
	"github.com/dprelease/dprelease/cmd/release/internal/jobs"
	"github.com/dprelease/dprelease/internal/ledger"
	"github.com/dprelease/dprelease/internal/ledger/sqlstore"
	"github.com/dprelease/dprelease/internal/spelling"
	"github.com/dprelease/dprelease/pipeline"
)

const backupLong = `backup copies a ledger into a new file, with its secret, while runs may be at work. The copy holds
the entries of one moment; its chain of hashes is checked. The ledger stays open.

Keep the copy as private as the ledger, on another disk and not beside it. To restore it, put it in the ledger's place.
A copy is older than the ledger as soon as that has a new entry: restore only the newest, and keep an anchor (release
run --anchor), which refuses an older one.

FROM is a job file or a name as a job's ledger.store has it. FILE must not exist; a copy that was cut short can be
repeated to the same FILE.`

func (a *accounts) backupCmd() *cobra.Command {
	f := &jobs.Flags{}
	cmd := &cobra.Command{
		Use: "backup FROM FILE", Short: "Copy a ledger into a file while runs are at work",
		Long: backupLong, Args: cobra.ExactArgs(2),
		Example: "  release ledger backup sqlite:ledger.db /backup/ledger-2026-11-20.db\n  release ledger backup " +
			"job.yaml /backup/ledger-2026-11-20.db",
		RunE: func(cmd *cobra.Command, args []string) error { return a.backup(cmd.Context(), f, args[0], args[1]) },
	}
	f.AddParams(cmd)
	cmd.Flags().BoolVar(&a.JSON, "json", false, "print JSON")
	return cmd
}

func (a *accounts) backup(ctx context.Context, f *jobs.Flags, from, file string) error {
	from, err := a.storeOf(f, from)
	if err != nil {
		return err
	}
	if strings.HasSuffix(filepath.ToSlash(file), "/") {
		return console.Usagef("FILE is a folder: name a new file in it, such as %sledger.db", console.Visible(file))
	}
	path, err := filepath.Abs(file)
	if err != nil {
		return console.Usagef("FILE: %v", err)
	}
	head, err := backupTo(ctx, from, "sqlite:"+path)
	if errors.Is(err, sqlstore.ErrUnsupported) {
		return console.Usagef("the ledger's store: %v", err)
	}
	if err != nil {
		return pipeline.LedgerError("copy the ledger", err)
	}
	switch {
	case a.JSON:
		return a.PrintJSON(map[string]any{"file": path, "entries": head.Seq, "head": head.Hash.String()})
	case a.Quiet:
		return nil
	}
	return a.Printf("%s: %s of the ledger, to %s\n", console.Here(path), spelling.Count(int(head.Seq), "entry"),
		head.Hash.String())
}

func backupTo(ctx context.Context, from, to string) (head ledger.Head, err error) {
	source, err := sqlstore.Named(ctx, from, false)
	if err != nil {
		return head, err
	}
	defer func() { _ = source.Close() }() // nothing is lost: the ledger was only read
	secret, err := source.Secret(ctx)
	if err != nil {
		return head, err
	}
	book := ledger.NewBook(source, time.Now)
	if moved, err := book.Moved(ctx); err != nil || moved != nil { // before a file is made
		if err == nil {
			err = &ledger.MovedError{Move: *moved}
		}
		return head, err
	}
	arrival, err := sqlstore.Arrival(ctx, to, secret)
	if err != nil {
		return head, err
	}
	defer func() { err = errors.Join(err, arrival.Close()) }()
	return book.Backup(ctx, arrival)
}
