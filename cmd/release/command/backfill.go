package command

import (
	"context"
	"errors"
	"math/big"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/cmd/release/internal/console"
	"github.com/dprelease/dprelease/cmd/release/internal/jobs"
	"github.com/dprelease/dprelease/cmd/release/internal/signing"
	"github.com/dprelease/dprelease/internal/ledger"
	"github.com/dprelease/dprelease/internal/spelling"
	"github.com/dprelease/dprelease/pipeline"
)

const backfillLong = `backfill runs the data intervals of a dated job that are missing or were cut short, in order, each
as release run would.

It stops at the first interval that fails, with that run's exit code, and leaves all before it published. It stops with
4 if --max-spend is reached. The same command again continues where it stopped. It leaves out intervals that are not
over yet, or whose input does not exist; if an interval without input is over, it ends with 3.`

type backfillFlags struct {
	windowFlags
	maxSpend string
}

func (a *app) backfillCmd() *cobra.Command {
	f := &backfillFlags{}
	cmd := &cobra.Command{
		Use: "backfill JOB", Short: "Run the missing data intervals of a dated job, in order", Long: backfillLong,
		Args:    cobra.ExactArgs(1),
		Example: "  release backfill job.yaml --from 2026-11-01 --to 2026-11-20 --max-spend 2",
		RunE:    func(cmd *cobra.Command, args []string) error { return a.backfill(cmd.Context(), args[0], f) },
	}
	f.add(a, cmd)
	f.AddWorkers(cmd)
	f.AddMemoryLimit(cmd)
	f.AddTmpDir(cmd)
	f.AddSign(cmd)
	f.AddAnchor(cmd)
	f.AddNewLedger(cmd)
	a.addMetrics(cmd)
	a.addDataChecks(cmd)
	cmd.Flags().StringVar(&f.maxSpend, "max-spend", "",
		"stop before these intervals together cost more than this epsilon, at the delta of the job")
	return cmd
}

func (a *app) backfill(ctx context.Context, path string, f *backfillFlags) error {
	if f.Workers < 1 {
		return console.Usagef("--workers must be at least 1")
	}
	windows, err := a.windows(ctx, path, &f.windowFlags)
	if err != nil || len(windows) == 0 {
		return err
	}
	a.setJob(windows[0].plan.Job().Series())
	purse, err := newPurse(f.maxSpend, windows[0].plan)
	if err != nil {
		return err
	}
	dir, err := f.Dir(windows[0].plan)
	if err != nil {
		return console.Usagef("%v", err)
	}
	book, err := f.OpenLedgerOf(ctx, windows[0].plan, dir)
	if err != nil {
		return err
	}
	defer book.Close() // nothing is lost: each entry was durable when it was made
	if err := judge(ctx, book, &f.windowFlags, windows); err != nil {
		return err
	}
	anchor, err := jobs.CompareHeads(ctx, book, dir, f.Anchor)
	if err != nil {
		return err
	}
	b := &backfilling{app: a, book: book, flags: f, purse: purse}
	if b.signer, err = signing.NewSigner(f.Sign); err != nil {
		return err
	}
	failed := errors.Join(b.all(ctx, windows), anchor.Renew(context.WithoutCancel(ctx), book), b.broken())
	if failed == nil {
		_, failed = a.readAccount(ctx, book, windows[0].plan)
	}
	if failed == nil {
		failed = b.left(windows)
	}
	defer a.noteWaiting()
	return errors.Join(b.conclude(windows), failed)
}

// backfilling is the state of a backfill: a run for each data interval that has no release yet.
type backfilling struct {
	*app
	book  *ledger.Book
	flags *backfillFlags
	purse *purse
	made  int
	// signer makes the signatures of --sign; nil if --sign is not given. unsigned are the data intervals that were
	// published before and are not signed by it.
	signer   pipeline.Signer
	unsigned []string
	stop     string // why the backfill stopped early; "" if it did not
	spent    bool   // the backfill stopped because of --max-spend
}

// all makes the releases of the given data intervals in order. It stops if one fails, or if the next would exceed
// --max-spend.
func (b *backfilling) all(ctx context.Context, windows []*windowed) error {
	for _, w := range windows {
		if w.State == statePublished && b.signer != nil {
			if err := signing.CheckSigned(w.Folder, b.signer); err != nil {
				b.unsigned = append(b.unsigned, w.Window)
			}
		}
		if w.settled() || w.State == stateGone || w.State == stateNever || !w.over && !w.free {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if !w.free && !b.purse.pays(w.plan) {
			b.stop, b.spent = "--max-spend is reached before "+w.Window, true
			return nil
		}
		if err := b.one(ctx, w); err != nil {
			b.stop = "stopped at " + w.Window
			return err
		}
	}
	return nil
}

// broken returns an error if --sign was given and some data intervals were published before without this signature.
func (b *backfilling) broken() error {
	if len(b.unsigned) == 0 {
		return nil
	}
	return &pipeline.Error{
		Cause: pipeline.CauseOutput, Code: "unsigned",
		Message: spelling.Count(len(b.unsigned), "data interval") + " published before without this signature: " +
			strings.Join(b.unsigned, ", "),
		Hint: "a published release is never changed: run without --sign to leave them as they are, or pay for signed " +
			"releases with release run --new-release --sign",
	}
}

// left returns an error if some data intervals have ended but are not published.
func (b *backfilling) left(windows []*windowed) error {
	rest := due(windows)
	if len(rest) == 0 {
		return nil
	}
	if b.spent {
		return &pipeline.Error{Cause: pipeline.CauseBudget, Code: "max-spend", Message: b.stop + ": " + dueText(rest),
			Hint: "run the same command again to continue; it may spend as much again"}
	}
	return &pipeline.Error{Cause: pipeline.CauseInput, Code: "unpublished", Message: dueText(rest),
		Hint: "release status JOB " +
			"shows what is missing: the input of an interval, or the folder of a published one"}
}

func (b *backfilling) one(ctx context.Context, w *windowed) error {
	if err := w.plan.Accurate(); err != nil {
		return err
	}
	where, err := placeOf(&b.flags.Flags, w.plan)
	if err != nil {
		return err
	}
	o, err := b.runPlan(ctx, b.book, w.plan, where)
	if err != nil {
		return err
	}
	b.made++
	w.State, w.Note, w.Folder = statePublished, string(o.Status), o.Dir
	if !b.JSON && !b.Quiet {
		if err := b.Printf("%s  %s  %s\n", w.Window, o.Status, w.shortFolder()); err != nil {
			return err
		}
	}
	b.reportData(w.plan, o)
	return nil
}

func (b *backfilling) conclude(windows []*windowed) error {
	switch {
	case b.JSON:
		return b.PrintJSON(map[string]any{
			"name": windows[0].plan.Name(), "made": b.made, "stopped": b.stop, "windows": windows, "counts": counts(windows),
		})
	case b.Quiet:
		return nil
	}
	text := ""
	if b.stop != "" {
		text = console.Fill("%s\n", b.stop)
	}
	return b.Print(text + console.Fill("%s made; %s\n", spelling.Count(b.made, "release"), summary(windows)))
}

// purse is the budget that a backfill may still spend, in mu squared.
type purse struct{ left *big.Float }

// newPurse returns the budget of --max-spend: the mu squared of epsilon at the plan's delta. If epsilon is "", it is
// unlimited.
func newPurse(epsilon string, plan *pipeline.Plan) (*purse, error) {
	if epsilon == "" {
		return &purse{}, nil
	}
	e, err := calibrate.ParseDown(epsilon)
	if err != nil {
		return nil, console.Usagef("--max-spend %q is no epsilon: write a number such as 2", epsilon)
	}
	mu, err := calibrate.GaussianMu(calibrate.Guarantee{Epsilon: calibrate.Epsilon(e), Delta: plan.Guarantee().Delta})
	if err != nil {
		return nil, console.Usagef("--max-spend %q is no epsilon: write a number such as 2", epsilon)
	}
	x := new(big.Float).SetPrec(1024).SetFloat64(float64(mu))
	return &purse{x.Mul(x, x)}, nil
}

// pays reports whether the purse covers a plan's cost, and if so subtracts it.
func (p *purse) pays(plan *pipeline.Plan) bool {
	if p.left == nil {
		return true
	}
	rest := new(big.Float).SetPrec(1024).SetMode(big.ToNegativeInf).Sub(p.left, calibrate.ComposedMu2(plan.Mechanisms()))
	if rest.Sign() < 0 {
		return false
	}
	p.left = rest
	return true
}
