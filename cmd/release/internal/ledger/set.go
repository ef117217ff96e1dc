package ledger

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dprelease/dprelease/cmd/release/internal/console"
	"github.com/dprelease/dprelease/configs"
	"github.com/dprelease/dprelease/internal/ledger"
	"github.com/dprelease/dprelease/pipeline"
)

const budgetSetLong = `budget set changes what a dataset may cost, as an entry of its own in the ledger: for the data's
owner to decide. Without flags it takes the budget that the job states. It also opens a second budget beside the first,
for another --unit or --adjacency; no joint guarantee exists over both.

A budget that is raised after releases were seen is a new promise about all of them: the largest cap that a budget ever
had is what it promises. A budget that is lowered keeps further releases out.`

// setFlags are the flags of the verb budget set.
type setFlags struct {
	epsilon, delta, deltaCap, per, unit, adjacency, reason string
}

func (a *accounts) budgetSetCmd() *cobra.Command {
	f, set := &ledgerFlags{}, &setFlags{}
	cmd := &cobra.Command{
		Use: "set JOB|--store DSN", Short: "Change a budget, or open another one", Long: budgetSetLong,
		Args: cobra.MaximumNArgs(1),
		Example: "  release ledger budget set job.yaml --epsilon 20 --reason \"board, 21 November\"\n" +
			"  release ledger budget set --store sqlite:ledger.db --dataset taxi --unit row --adjacency add-remove --epsilon " +
			"5 --delta 1e-6",
		RunE: func(cmd *cobra.Command, args []string) error {
			o, err := a.openLedger(cmd.Context(), f, args)
			if err != nil {
				return err
			}
			defer o.book.Close() // nothing is lost: each entry was durable when it was made
			return a.budgetSet(cmd.Context(), o, set)
		},
	}
	f.add(a, cmd)
	flags := cmd.Flags()
	flags.StringVar(&set.epsilon, "epsilon", "", "the new epsilon")
	flags.StringVar(&set.delta, "delta", "", "the new delta")
	flags.StringVar(&set.deltaCap, "delta-cap", "", "the part of delta for probabilities of failure")
	flags.StringVar(&set.per, "per", "total",
		"what --epsilon and --delta are for: total, day, month or year; epsilon \"none\" removes a period's")
	flags.StringVar(&set.unit, "unit", "", "the privacy unit: row, columns separated by commas, or upstream:NAME")
	flags.StringVar(&set.adjacency, "adjacency", "", "add-remove or replace-one")
	flags.StringVar(&set.reason, "reason", "", "why; it is recorded")
	return cmd
}

func (a *accounts) budgetSet(ctx context.Context, o *openedLedger, set *setFlags) error {
	of, err := set.account(ctx, o)
	if err != nil {
		return err
	}
	budget, err := set.budget(ctx, o, of)
	if err != nil {
		return err
	}
	err = o.book.SetBudget(ctx, of, budget, set.reason)
	if errors.Is(err, ledger.ErrCharge) {
		return console.Usagef("the budget was not set: %s", strings.TrimPrefix(err.Error(),
			ledger.ErrCharge.Error()+": "))
	}
	if err != nil {
		return pipeline.LedgerError("set the budget", err)
	}
	o.dataset = of.Dataset
	return a.ledgerBudget(ctx, o)
}

// account returns the account to change: the job's account, the only account of the dataset, or the one that the flags
// choose.
func (set *setFlags) account(ctx context.Context, o *openedLedger) (of ledger.Account, err error) {
	s, err := o.snapshot(ctx)
	switch {
	case err != nil:
		return of, err
	case o.job != nil:
		of = pipeline.AccountOf(o.job)
		of.Dataset = o.dataset
	case len(s.Accounts) == 1:
		of = s.Accounts[0].Account
	default:
		of = ledger.Account{Dataset: o.dataset}
	}
	if set.unit != "" {
		name, upstream := strings.CutPrefix(set.unit, "upstream:")
		switch {
		case upstream:
			of.Unit = pipeline.UnitText(configs.Unit{Upstream: &configs.Upstream{Name: name}})
		case set.unit == "row":
			of.Unit = pipeline.UnitText(configs.Unit{})
		default:
			of.Unit = pipeline.UnitText(configs.Unit{Columns: strings.Split(set.unit, ",")})
		}
	}
	if set.adjacency != "" {
		of.Adjacency = set.adjacency
	}
	if of.Dataset == "" || of.Unit == "" || of.Adjacency == "" {
		return of, console.Usagef("say which budget is meant: --dataset, --unit and --adjacency")
	}
	return of, nil
}

// budget returns the account's new budget: the present one, changed by the flags. Without flags, or if the account does
// not exist yet, it is the budget in the job.
func (set *setFlags) budget(ctx context.Context, o *openedLedger, of ledger.Account) (b ledger.Budget, err error) {
	now, known, err := o.book.Balance(ctx, of)
	known = known && now.Account == of
	asked := set.epsilon != "" || set.delta != "" || set.deltaCap != ""
	switch {
	case err != nil:
		return b, pipeline.LedgerError("read the account", err)
	case known && asked:
		b = now.Budget
	case o.job != nil:
		if b = pipeline.BudgetOf(o.job); b.DeltaCap == "" {
			b.DeltaCap = now.Budget.DeltaCap // a job that discovers keys may have opened the account with another delta_cap
		}
	case !asked:
		return b, console.Usagef("say what the budget is: --epsilon and --delta")
	}
	limit := ledger.Limit{}
	target := map[string]*ledger.Limit{"day": &b.Day, "month": &b.Month, "year": &b.Year, "total": &limit}[set.per]
	switch {
	case target == nil:
		return b, console.Usagef("--per must be total, day, month or year")
	case set.per == "total":
		limit = ledger.Limit{Epsilon: b.Epsilon, Delta: b.Delta}
	case set.epsilon == "none":
		*target = ledger.Limit{}
		return b, nil
	}
	if set.epsilon != "" {
		target.Epsilon = set.epsilon
	}
	if set.delta != "" {
		target.Delta = set.delta
	}
	if set.per == "total" {
		b.Epsilon, b.Delta = limit.Epsilon, limit.Delta
	}
	if set.deltaCap != "" {
		b.DeltaCap = set.deltaCap
	}
	return b, nil
}
