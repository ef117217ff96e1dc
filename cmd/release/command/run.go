package command

import (
	"context"
	"os"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/dprelease/dprelease/cmd/release/internal/aggregate"
	"github.com/dprelease/dprelease/cmd/release/internal/console"
	"github.com/dprelease/dprelease/cmd/release/internal/jobs"
	ledgerverb "github.com/dprelease/dprelease/cmd/release/internal/ledger"
	"github.com/dprelease/dprelease/cmd/release/internal/signing"
	"github.com/dprelease/dprelease/internal/ledger"
	"github.com/dprelease/dprelease/internal/protocol"
	"github.com/dprelease/dprelease/internal/runjob"
	"github.com/dprelease/dprelease/io/sink"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/local"
)

const runLong = `run makes the release that a job describes and publishes it as one folder.

The spend is recorded in the ledger before the first random draw. The same run again finds its release, spends nothing
and does not open the input, so a scheduler may repeat it. A run that was killed is taken up where it stopped, under the
same charge.

Only a change that affects the noisy values needs a new release. If you change the name, the formats, the denoising
steps or the texts for readers, run makes the release anew from the noisy values that are there, and spends nothing. The
older folder is moved aside.`

func (a *app) runCmd() *cobra.Command {
	var flags jobs.Flags
	var ask request
	cmd := &cobra.Command{
		Use: "run JOB", Short: "Make and publish a release", Long: runLong, Args: cobra.ExactArgs(1),
		Example: "  release run job.yaml\n  release run job.yaml --param day=2026-11-20 --out /srv/releases/2026-11-20",
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.run(cmd.Context(), args[0], &flags, ask, nil)
		},
	}
	a.addDataChecks(cmd)
	a.addRelease(cmd, &flags, &ask)
	return cmd
}

// request holds the user's options for a run.
type request struct {
	again   bool // make a new release although one exists
	compare bool // report whether the input of the existing release has changed
	early   bool // allow a release of a day, month or year that is not over
}

// addRelease adds the flags of a verb that makes a release: its options, its ledger, and its output.
func (a *app) addRelease(cmd *cobra.Command, flags *jobs.Flags, ask *request) {
	flags.AddParams(cmd)
	flags.AddOut(cmd)
	flags.AddWorkers(cmd)
	flags.AddMemoryLimit(cmd)
	flags.AddTmpDir(cmd)
	flags.AddSign(cmd)
	flags.AddAnchor(cmd)
	flags.AddNewLedger(cmd)
	a.addMetrics(cmd)
	cmd.Flags().BoolVar(&ask.again, "new-release", false,
		"release the same job again with new noise: charges again, moves the old folder aside")
	cmd.Flags().BoolVar(&ask.compare, "compare-input", false, "read the input of a released job and end with 3 if "+
		"it has changed since or cannot be read: an exact answer about private data, for the operator alone")
	cmd.Flags().BoolVar(&ask.early, "incomplete", false,
		"release a day, month or year that is not over, or lies in the future: rows that come later are never in it")
	cmd.MarkFlagsMutuallyExclusive("new-release", "compare-input")
	cmd.Flags().BoolVar(&a.JSON, "json", false, "print the outcome as JSON")
}

const mergeLong = `merge makes the release of a job from the files that release aggregate wrote, one for each shard of
the input. It publishes the release as run does: the same charge, the same noise, the same folder. The numbers before
the noise are the same as in a run on one machine.

The files must be of one run: of this job, of one state of its table, of this version of the program and under one key,
and each shard must be there once.

If the units of a large table are columns, the files hold their rows, and most of the work is here. Then share it:
release aggregate --partitions M writes M files for each shard, one process for each partition merges those, and the
last merge adds up M small files:

  release aggregate JOB --key run.key --shard 1/3 --partitions 2 --out 1.part    for each of the shards: 1.part.1 and 1.part.2
  release merge JOB --key run.key --partition 1/2 --to 1.merged *.part.1         for each of the partitions, anywhere, without the ledger
  release merge JOB --key run.key *.merged                                       once, where the ledger is`

// parts are the paths of the encrypted files that the verb aggregate made of a run's shards, and of the file with their
// key.
type parts struct {
	key   string
	paths []string
}

func (a *app) mergeCmd() *cobra.Command {
	var flags jobs.Flags
	var ask request
	var of parts
	var partition aggregate.Merge
	cmd := &cobra.Command{
		Use: "merge JOB FILE...", Short: "Make and publish a release from the files of release aggregate", Long: mergeLong,
		Args:    cobra.MinimumNArgs(2),
		Example: "  release merge job.yaml --key run.key parts/*.part",
		RunE: func(cmd *cobra.Command, args []string) error {
			of.paths = args[1:]
			if partition.Partition != "" {
				return partition.Run(cmd.Context(), a.Console, &flags, args[0], of.key, of.paths, runjob.Build())
			}
			return a.run(cmd.Context(), args[0], &flags, ask, &of)
		},
	}
	aggregate.AddKey(cmd, &of.key)
	cmd.Flags().StringVar(&partition.Partition, "partition", "",
		"merge one partition of the shards' files, such as 2/4, into a file for the last merge, and make no release")
	cmd.Flags().StringVar(&partition.To, "to", "", "the file for --partition")
	a.addRelease(cmd, &flags, &ask)
	cmd.MarkFlagsRequiredTogether("partition", "to")
	for _, name := range []string{"out", "new-release", "compare-input", "incomplete", "json", "sign", "anchor",
		"new-ledger", "metrics"} {
		cmd.MarkFlagsMutuallyExclusive("partition", name)
	}
	return cmd
}

// run makes the release of a job from its input. If of is not nil, it makes the release from the files of shards
// instead.
func (a *app) run(ctx context.Context, path string, flags *jobs.Flags, ask request, of *parts) error {
	if flags.Workers < 1 {
		return console.Usagef("--workers must be at least 1")
	}
	a.setJob(path)
	flags.DataChecks = a.policy()
	plan, err := flags.Load(ctx, a.Console, path)
	if err != nil {
		return err
	}
	a.setJob(plan.Job().Series())
	a.warnOfLittle(plan)
	if err := plan.Accurate(); err != nil {
		return err
	}
	where, err := placeOf(flags, plan)
	if err != nil {
		return err
	}
	book, err := flags.OpenLedgerOf(ctx, plan, where.dir)
	if err != nil {
		return err
	}
	defer book.Close() // nothing is lost: each entry was durable when it was made
	anchor, err := jobs.CompareHeads(ctx, book, where.dir, flags.Anchor)
	if err != nil {
		return err
	}
	if of == nil {
		if plan, err = a.askedPlan(ctx, path, flags, plan, book, where.dir); err != nil {
			return err
		}
	}
	where.request, where.announce = ask, func(s protocol.Standing) error {
		if s.Next == protocol.NextCharge && !ask.early {
			if err := runjob.RefuseEarly(plan, time.Now()); err != nil {
				return err
			}
		}
		announceCharge(a.Console, plan, s, plan.Refuses())
		return nil
	}
	if of != nil {
		if err := plan.CheckParts(); err != nil {
			return err
		}
		where.open = aggregate.Opener(plan, book, of.key, of.paths, runjob.Build(), where.limits)
	}
	outcome, err := a.runPlan(ctx, book, plan, where)
	if failed := anchor.Renew(context.WithoutCancel(ctx), book); err == nil {
		err = failed
	}
	if err != nil {
		return err
	}
	balance, err := a.readAccount(ctx, book, plan)
	if err != nil {
		return err
	}
	if a.Log == "json" {
		a.Logger().Info("outcome", "job", plan.Name(), "window", ledgerverb.Window(plan.Params()), "status",
			string(outcome.Status),
			"folder", outcome.Dir, "manifest_sha256", outcome.Digest)
	}
	if outcome.Gone != "" {
		a.Warn("the input no longer has the version for which the interrupted run was charged, " + outcome.Gone +
			": this run read the newest one under the same charge")
	}
	if err := a.printOutcome(plan, outcome, balance, ask.compare); err != nil {
		return err
	}
	a.reportData(plan, outcome)
	a.noteWaiting()
	return nil
}

// askedPlan returns the plan of a job. If a run would charge the ledger and the job lacks the key data_checks,
// askedPlan asks the person at the terminal for its value, and returns the plan with that value.
func (a *app) askedPlan(ctx context.Context, path string, flags *jobs.Flags, plan *pipeline.Plan, book *ledger.Book,
	dir string) (*pipeline.Plan, error) {
	s, err := protocol.StandingOf(ctx, plan, book, sink.New(), dir)
	if err != nil {
		return nil, err
	}
	policy := a.askPolicy(ctx, plan, s.Next == protocol.NextCharge && s.Quote.Refusal == nil &&
		a.shows() && term.IsTerminal(int(os.Stdin.Fd())))
	if policy == "" {
		return plan, ctx.Err()
	}
	flags.DataChecks = policy
	return flags.Load(ctx, a.Console, path)
}

// readAccount reads the balance of a plan's account, which is zero if the account does not exist yet, and the reserved
// charges of its dataset.
func (a *app) readAccount(ctx context.Context, book *ledger.Book, plan *pipeline.Plan) (b ledger.Balance, err error) {
	b, opened, err := book.Balance(ctx, plan.Account())
	if err != nil || !opened {
		return b, pipeline.LedgerError("read the account", err)
	}
	runs, err := book.Runs(ctx)
	if err != nil {
		return b, pipeline.LedgerError("read the account", err)
	}
	a.last.Lock()
	defer a.last.Unlock()
	a.last.balance, a.last.waiting = &b, jobs.Waiting(runs, b.Account.Dataset, time.Now())
	return b, nil
}

// noteWaiting prints the charges that have been reserved for long.
func (a *app) noteWaiting() {
	for i := range a.last.waiting {
		a.Warn(jobs.WaitingText(&a.last.waiting[i], time.Now()))
	}
}

func (a *app) addMetrics(cmd *cobra.Command) {
	cmd.Flags().StringVar(&a.metrics, "metrics", "",
		"write the outcome to this file, for the textfile collector of Prometheus")
}

// place holds the settings of a run that its plan does not have: output folder, limits, signer and the user's options.
type place struct {
	dir    string
	limits local.Limits
	request
	signer pipeline.Signer // nil if the release is not signed
	// announce prints the coming charge, or refuses it with an error; if nil, nothing is printed.
	announce func(protocol.Standing) error
	// open opens the input; if nil, the job's files are read.
	open func(context.Context) (pipeline.Engine, error)
}

func placeOf(f *jobs.Flags, plan *pipeline.Plan) (place, error) {
	limits, err := f.Limits(plan)
	if err != nil {
		return place{}, err
	}
	dir, err := f.Dir(plan)
	if err != nil {
		return place{}, console.Usagef("%v", err)
	}
	key, err := signing.NewSigner(f.Sign)
	return place{dir: dir, limits: limits, signer: key}, err
}

// runPlan makes the release of a plan.
func (a *app) runPlan(ctx context.Context, book *ledger.Book, plan *pipeline.Plan, where place) (*protocol.Outcome,
	error) {
	jobs.KeepTo(where.limits.Memory)
	where.limits.Look = a.look(plan)
	o, done := a.Observer()
	defer done()
	outcome, err := runjob.Run(ctx, book, protocol.Request{Plan: plan, Dir: where.dir, NewRelease: where.again,
		CompareInput: where.compare, Refuse: plan.Refuses()}, runjob.Options{Limits: where.limits, Observer: o,
		Signer: where.signer, Announce: where.announce, Open: where.open})
	if err != nil || where.signer == nil {
		return outcome, err
	}
	return outcome, signing.CheckSigned(outcome.Dir, where.signer)
}
