package ledger

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/dprelease/dprelease/cmd/release/internal/console"
	"github.com/dprelease/dprelease/cmd/release/internal/jobs"
	"github.com/dprelease/dprelease/internal/protocol"
	"github.com/dprelease/dprelease/internal/regular"
	"github.com/dprelease/dprelease/internal/runjob"
	"github.com/dprelease/dprelease/io/sink"
	"github.com/dprelease/dprelease/pipeline"
)

const withdrawLong = `withdraw records in the ledger that a published release is wrong, and why. What it cost stays
spent, since its values were seen. All renderings of the same noisy values are withdrawn with it.

From then on ledger show, status, verify and registry say so, and run does not return the release any more: it fails,
until --new-release makes and pays for a new one. The folder stays as it is: take it down where it was published, and
tell its readers.

The release is named by its folder or by its job. --job or --store names the ledger of a folder; without them, the one
near the folder that knows the release. If several near it do, as beside a copy, nothing is recorded until one is named.
The output names the ledger.`

// withdrawal holds the flags of the verb withdraw.
type withdrawal struct {
	jobs.Flags
	job, store, reason string
}

// WithdrawCommand returns the verb withdraw.
func WithdrawCommand(c *console.Console) *cobra.Command {
	a, f := &accounts{c}, &withdrawal{}
	cmd := &cobra.Command{
		Use: "withdraw JOB|DIR", Short: "Mark a published release as wrong; its spend stays", Long: withdrawLong,
		Args: cobra.ExactArgs(1),
		Example: "  release withdraw out/2026-11-20 --reason \"the input was of the day before\"\n  release withdraw " +
			"job.yaml --param day=2026-11-20 --reason \"wrong unit\"",
		RunE: func(cmd *cobra.Command, args []string) error { return a.withdraw(cmd.Context(), args[0], f) },
	}
	f.AddParams(cmd)
	f.AddOut(cmd)
	cmd.Flags().Lookup("out").Usage = "the release folder of the job, if it is not the job's output.dir"
	cmd.Flags().StringVar(&f.job, "job", "", "the job whose ledger has the release of the folder")
	cmd.Flags().StringVar(&f.store, "store", "", "the ledger of a folder: sqlite:PATH, sqlite+group:PATH or postgres://…")
	cmd.Flags().StringVar(&f.reason, "reason", "",
		"say what is wrong; readers of the ledger will see it")
	_ = cmd.MarkFlagRequired("reason") // no error: the flag exists
	cmd.MarkFlagsMutuallyExclusive("job", "store")
	cmd.Flags().BoolVar(&c.JSON, "json", false, "print JSON")
	return cmd
}

func (a *accounts) withdraw(ctx context.Context, what string, f *withdrawal) error {
	switch {
	case strings.TrimSpace(f.reason) == "":
		return console.Usagef("--reason is empty: say what is wrong; readers of the ledger will see it")
	case !utf8.ValidString(f.reason):
		return console.Usagef("--reason is not UTF-8, so the ledger can't record it")
	}
	find := a.ofJob
	if info, err := os.Stat(what); err == nil && info.IsDir() {
		find = a.ofFolder
	}
	known, err := find(ctx, what, f)
	if err != nil {
		return err
	}
	defer known.Book.Close() // nothing is lost: each entry was durable when it was made
	r := &known.Run
	again := r.Withdrawn != nil
	if !again {
		if err := known.Book.Withdraw(ctx, r.Charge.Run, r.Charge.Number, f.reason); err != nil {
			return pipeline.LedgerError("withdraw", err)
		}
	}
	if again {
		f.reason = r.Withdrawn.Reason
	}
	switch {
	case a.JSON:
		return a.PrintJSON(map[string]any{
			"job": r.Charge.Job, "run": r.Charge.Run, "number": r.Charge.Number, "folder": r.Charge.Dir, "reason": f.reason,
			"withdrawn_before": again,
			"ledger":           jobs.ShownStore(known.Store),
		})
	case a.Quiet:
		return nil
	case again:
		return a.Printf("%s: withdrawn already in %s, on %s: %s\n", r.Charge.Job, jobs.ShownStore(known.Store),
			r.Withdrawn.At.UTC().Format(time.DateOnly), f.reason)
	}
	return a.Printf("%s: withdrawn in %s: %s\n  folder   %s is unchanged: remove it where it was published, and tell its "+
		"readers\n  budget   unchanged: readers have seen the values\n",
		r.Charge.Job, jobs.ShownStore(known.Store), f.reason, console.Here(r.Charge.Dir))
}

// ofFolder returns the release in a folder.
func (a *accounts) ofFolder(ctx context.Context, dir string, f *withdrawal) (*jobs.Known, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, console.Usagef("the folder: %v", err)
	}
	_, digest, err := sink.ReadManifest(dir)
	if err != nil {
		return nil, pipeline.OutputError(err)
	}
	store := f.store
	if f.job != "" {
		if store, err = f.StoreOf(a.Console, f.job); err != nil {
			return nil, err
		}
	}
	known, err := jobs.FindRuns(ctx, dir, digest, store)
	switch {
	case err != nil:
		return nil, err
	case len(known) == 0:
		return nil, unknownRelease("no ledger that was found has the release at " + console.Here(dir))
	case len(known) > 1:
		names := make([]string, len(known))
		for i, k := range known {
			names[i] = jobs.ShownStore(k.Store)
		}
		jobs.CloseAll(known)
		return nil, &pipeline.Error{
			Cause: pipeline.CauseLedger, Code: "several-ledgers", Message: "several ledgers have the release at " +
				console.Here(dir) + ": " + strings.Join(names, ", "),
			Hint: "nothing was recorded; name the ledger that the job uses with --job or --store: the others are copies",
		}
	}
	return known[0], nil
}

// ofJob returns the newest release of a job: the release in the job's folder or, if that is gone, the newest run in the
// ledger with the job's fingerprint.
func (a *accounts) ofJob(ctx context.Context, path string, f *withdrawal) (*jobs.Known, error) {
	if f.store != "" || f.job != "" {
		if _, err := os.Stat(path); err != nil {
			return nil, console.Usagef("the folder %s can't be read: %s", console.Here(path), regular.Reason(err))
		}
		return nil, console.Usagef("--store and --job are for a folder: a job names its ledger itself")
	}
	plan, err := f.Load(ctx, a.Console, path)
	if err != nil {
		return nil, err
	}
	dir, err := f.Dir(plan)
	if err != nil {
		return nil, console.Usagef("%v", err)
	}
	store := plan.Job().StoreName()
	if _, digest, err := sink.ReadManifest(dir); err == nil {
		known, err := jobs.FindRuns(ctx, dir, digest, store)
		if err != nil {
			return nil, err
		}
		if len(known) > 0 {
			return known[0], nil
		}
	}
	book, err := runjob.OpenStore(ctx, store, false)
	if err != nil {
		return nil, err
	}
	r, ok, err := protocol.Find(ctx, plan, book, sink.New())
	if err == nil && !ok {
		err = unknownRelease("the ledger has no release of this job with these parameters")
	}
	if err != nil {
		_ = book.Close() // nothing is lost: the ledger was only read
		return nil, err
	}
	return &jobs.Known{Store: store, Book: book, Run: r}, nil
}

func unknownRelease(message string) error {
	return &pipeline.Error{
		Cause: pipeline.CauseLedger, Code: "unknown-release", Message: message,
		Hint: "nothing was recorded; release ledger show lists the releases of a ledger; choose the ledger by --store, or " +
			"the release by --job and --param",
	}
}
