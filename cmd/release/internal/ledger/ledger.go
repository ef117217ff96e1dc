// Package ledger is the verb ledger: it shows what each account of a ledger has spent and has left, and changes
// budgets.
package ledger

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dprelease/dprelease/cmd/release/internal/console"
	"github.com/dprelease/dprelease/cmd/release/internal/jobs"
	"github.com/dprelease/dprelease/configs"
	"github.com/dprelease/dprelease/internal/ledger"
	"github.com/dprelease/dprelease/internal/runjob"
	"github.com/dprelease/dprelease/pipeline"
)

const ledgerLong = `ledger shows and checks what was spent, and changes budgets.

Every verb takes the job whose ledger is meant, or --store with the ledger's name as a job has it (sqlite:PATH,
sqlite+group:PATH if a group shares it, or postgres://…). With a job only its dataset is shown. With --store all
datasets are shown, unless --dataset names one.`

// ledgerFlags are the flags that select a ledger and the form of the output.
type ledgerFlags struct {
	jobs.Flags
	store, dataset string
	csv            bool
}

func (f *ledgerFlags) add(a *accounts, cmd *cobra.Command) {
	f.AddParams(cmd)
	cmd.Flags().StringVar(&f.store, "store", "",
		"the ledger, instead of a job: sqlite:PATH, sqlite+group:PATH or postgres://…")
	cmd.Flags().StringVar(&f.dataset, "dataset", "", "the dataset; by default the job's, or all of the store")
	cmd.Flags().BoolVar(&a.JSON, "json", false, "print JSON")
	cmd.Flags().BoolVar(&f.csv, "csv", false, "print CSV")
}

// accounts is the console to which the verb ledger writes. The subcommands are its methods.
type accounts struct{ *console.Console }

// Command returns the verb ledger.
func Command(c *console.Console) *cobra.Command {
	a := &accounts{c}
	cmd := &cobra.Command{
		Use: "ledger", Short: "Show and check what was spent; change budgets; back up and move a ledger",
		Long: ledgerLong, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	budget := a.ledgerVerb("budget", "Show what each dataset may cost, and what is left", a.ledgerBudget)
	budget.AddCommand(a.budgetSetCmd())
	cmd.AddCommand(
		a.ledgerVerb("show", "Show the budgets and every release", a.ledgerShow), budget,
		a.ledgerVerb("audit", "Check the whole chain of entries and count every total anew", a.ledgerAudit),
		a.backupCmd(), a.copyCmd(),
		a.ledgerVerb("export", "Print every release with its mechanisms, as JSON or CSV", a.ledgerExport),
	)
	return cmd
}

// ledgerVerb returns a verb that opens a ledger for reading and calls run.
func (a *accounts) ledgerVerb(name, short string, run func(context.Context, *openedLedger) error) *cobra.Command {
	f := &ledgerFlags{}
	cmd := &cobra.Command{
		Use: name + " JOB|--store DSN", Short: short, Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o, err := a.openLedger(cmd.Context(), f, args)
			if err != nil {
				return err
			}
			defer o.book.Close() // nothing is lost: the ledger was only read
			return run(cmd.Context(), o)
		},
	}
	f.add(a, cmd)
	return cmd
}

// openedLedger is a ledger that a verb has opened.
type openedLedger struct {
	*ledgerFlags
	book *ledger.Book
	job  *configs.Job // the job that names the ledger; nil if --store names it
}

func (a *accounts) openLedger(ctx context.Context, f *ledgerFlags, args []string) (*openedLedger, error) {
	o := &openedLedger{ledgerFlags: f}
	var err error
	switch {
	case (len(args) == 1) == (f.store != ""):
		return nil, console.Usagef("name the ledger by a job file or by --store")
	case a.JSON && f.csv:
		return nil, console.Usagef("--json and --csv exclude each other")
	case len(args) == 1:
		if o.job, err = f.Job(a.Console, args[0]); err != nil {
			return nil, err
		}
		f.store, f.dataset = o.job.StoreName(), cmp.Or(f.dataset, o.job.Ledger.Dataset)
	}
	o.book, err = runjob.OpenStore(ctx, f.store, false)
	return o, err
}

// snapshot returns the contents of the ledger, only for the requested dataset.
func (o *openedLedger) snapshot(ctx context.Context) (ledger.Snapshot, error) {
	s, err := o.book.Snapshot(ctx)
	if err != nil {
		return s, pipeline.LedgerError("read the ledger", err)
	}
	if o.dataset != "" {
		if err := o.known(s.Accounts); err != nil {
			return s, err
		}
		s.Accounts = slices.DeleteFunc(s.Accounts, func(b ledger.Balance) bool { return b.Account.Dataset != o.dataset })
		s.Runs = slices.DeleteFunc(s.Runs, func(r ledger.Run) bool { return r.Payer.Dataset != o.dataset })
	}
	return s, nil
}

// known returns an error if --dataset names a dataset that the ledger does not have. The dataset of a job may have no
// releases yet.
func (o *openedLedger) known(accounts []ledger.Balance) error {
	var names []string
	for i := range accounts {
		if name := accounts[i].Account.Dataset; !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if slices.Contains(names, o.dataset) || o.job != nil && o.job.Ledger.Dataset == o.dataset {
		return nil
	}
	return console.Usagef("--dataset: the ledger has no dataset %s; it has %s", o.dataset,
		cmp.Or(strings.Join(names, ", "), "none yet"))
}
