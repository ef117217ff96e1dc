package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/local"
)

const checkLong = `check compares a job with the schema of its input: the columns that it names must exist and have usable types.
It opens the input files, reads their headers or footers, and no row; it spends nothing. It
exits with 4 if the budget can never hold the release.`

func (a *app) checkCmd() *cobra.Command {
	var flags jobFlags
	cmd := &cobra.Command{
		Use: "check JOB", Short: "Check a job against its input's schema", Long: checkLong, Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return a.check(cmd.Context(), args[0], &flags) },
	}
	flags.addParams(cmd)
	return cmd
}

func (a *app) check(ctx context.Context, path string, flags *jobFlags) error {
	plan, err := a.load(ctx, path, flags)
	if err != nil {
		return err
	}
	a.warnOfLittle(plan)
	standing, err := a.standing(ctx, plan, flags)
	if err != nil {
		return err
	}
	if standing.Quote.Never {
		return quoteError(plan, standing.Quote)
	}
	engine, err := opener(plan.Job(), local.Limits{Workers: 1}, nil)(ctx)
	if err != nil {
		return pipeline.InputError(err)
	}
	defer engine.Close()
	if diags := plan.Check(engine.Schema()); len(diags) > 0 {
		return jobError{diags}
	}
	if a.quiet {
		return nil
	}
	return a.printf("%s: the job fits its input (columns used: %s)\n", path, strings.Join(plan.Columns(), ", "))
}
