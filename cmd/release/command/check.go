package command

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dprelease/dprelease/cmd/release/internal/console"
	"github.com/dprelease/dprelease/cmd/release/internal/jobs"
	"github.com/dprelease/dprelease/internal/runjob"
	"github.com/dprelease/dprelease/io/source"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/local"
)

const checkLong = `check compares a job with the schema of its input: the columns that it names must exist and have
usable types. It opens the input files and reads their headers or footers, but no row. It spends nothing, and exits with
4 if the budget can never hold the release.

With --data it reads all rows, as a run does, and says on stderr what share of them each query cannot use: null,
unparsed, in no listed cell, cut by the bounds of per_unit. It also compares what the input's files state with their
rows. It still spends nothing and writes nothing, and exits with 1 if a column that a query needs is unusable: fewer
than one row in twenty is of use, or half of the texts or more are no values of the column's type. What it says depends
on single rows: it is for the operator, who may read the input, and nobody should choose bounds, cells or budgets by it.`

func (a *app) checkCmd() *cobra.Command {
	var flags jobs.Flags
	var data bool
	cmd := &cobra.Command{
		Use: "check JOB", Short: "Check a job against its input's schema, or its rows",
		Long: checkLong, Args: cobra.ExactArgs(1),
		Example: "  release check job.yaml\n  release check job.yaml --data",
		RunE:    func(cmd *cobra.Command, args []string) error { return a.check(cmd.Context(), args[0], &flags, data) },
	}
	flags.AddParams(cmd)
	cmd.Flags().BoolVar(&data, "data", false, "also read the rows, and count those that queries cannot use: only for "+
		"the operator")
	flags.AddWorkers(cmd)
	flags.AddMemoryLimit(cmd)
	flags.AddTmpDir(cmd)
	return cmd
}

func (a *app) check(ctx context.Context, path string, flags *jobs.Flags, data bool) error {
	plan, err := flags.Load(ctx, a.Console, path)
	if err != nil {
		return err
	}
	a.warnOfLittle(plan)
	found, err := findStanding(ctx, a.Console, plan, flags)
	if err != nil {
		return err
	}
	if found.Quote.Never {
		return chargeRefusal(plan, found.Quote)
	}
	limits := local.Limits{Workers: 1}
	if data {
		if limits, err = flags.Limits(plan); err != nil {
			return err
		}
		jobs.KeepTo(limits.Memory)
		limits.Look = local.LookAll
	}
	engine, err := runjob.Opener(plan, limits, nil)(ctx)
	if err != nil {
		return pipeline.InputError(err)
	}
	defer engine.Close()
	if diags := plan.CheckWith(engine); len(diags) > 0 {
		return diags
	}
	fits := "the job fits its input"
	if data {
		if err := a.checkData(ctx, plan, engine); err != nil {
			return err
		}
		fits += " and its rows"
	}
	if a.Quiet {
		return nil
	}
	return a.Printf("%s: %s (columns used: %s)\n", path, fits, strings.Join(plan.Columns(), ", "))
}

// stater is an engine that can compare the metadata of files, such as a column's minimum, with the rows of the files.
type stater interface {
	WrongMetadata(context.Context, *pipeline.Plan) ([]source.FalseMetadata, error)
}

// checkData reads the rows and reports to the operator how many of them cannot be used. It returns an error if a column
// is unusable. It discards the exact answers.
func (a *app) checkData(ctx context.Context, plan *pipeline.Plan, engine pipeline.Engine) error {
	o, done := a.Observer()
	answers, err := engine.Aggregate(ctx, plan, o)
	done()
	if err != nil {
		return pipeline.InputError(err)
	}
	found := plan.Findings(answers.Checks)
	if !a.Quiet {
		a.printChecks(plan, answers.Checks)
		rest := make([]pipeline.Finding, 0, len(found))
		for _, f := range found {
			if !f.Unusable {
				rest = append(rest, f)
			}
		}
		a.printFindings(rest)
	}
	if err := pipeline.UnusableError(pipeline.Unusable(found), "nothing was released and nothing was spent"); err != nil {
		return err
	}
	files, ok := engine.(stater)
	if !ok {
		return nil
	}
	wrong, err := files.WrongMetadata(ctx, plan)
	if err != nil {
		return pipeline.InputError(err)
	}
	if len(wrong) > 0 {
		w := wrong[0]
		return &pipeline.Error{Cause: pipeline.CauseCheck, Code: "data",
			Message: fmt.Sprintf("%s, row group %d: the footer's "+
				"min, max or number of rows of %s does not hold, and a run would leave out rows by it", console.OneLine(w.File),
				w.RowGroup, console.OneLine(w.Column)),
			Hint: "write the file anew with another program, or set input.statistics: ignore, which reads every row"}
	}
	return nil
}
