package command

import (
	"context"
	"math"

	"github.com/spf13/cobra"

	"github.com/dprelease/dprelease/cmd/release/internal/console"
	"github.com/dprelease/dprelease/cmd/release/internal/jobs"
	"github.com/dprelease/dprelease/configs"
	"github.com/dprelease/dprelease/internal/regular"
)

const suggestLong = `suggest prints a job with the least epsilon at which every query is as accurate as the job asks for
(accuracy: {95%: 40}). All else in the file stays as it is. It reads the job file and its public files, and no data.
privacy.weights: auto splits epsilon so that this is as little as possible.`

func (a *app) suggestCmd() *cobra.Command {
	var flags jobs.Flags
	cmd := &cobra.Command{
		Use: "suggest JOB", Short: "Print a job with the least epsilon for the accuracy that it asks for",
		Long: suggestLong, Args: cobra.ExactArgs(1),
		Example: "  release suggest job.yaml > enough.yaml",
		RunE:    func(cmd *cobra.Command, args []string) error { return a.suggest(cmd.Context(), args[0], &flags) },
	}
	flags.AddParams(cmd)
	return cmd
}

func (a *app) suggest(ctx context.Context, path string, flags *jobs.Flags) error {
	plan, err := flags.Load(ctx, a.Console, path)
	if err != nil {
		return err
	}
	t := plan.Targets()
	if t == nil {
		return console.Usagef("no query of the job states an accuracy: add accuracy: {95%%: HALF_WIDTH} to the " +
			"queries")
	}
	src, err := regular.ReadFile(path, math.MaxInt64)
	if err != nil {
		return console.Usagef("the job file cannot be read again")
	}
	text, ok := configs.WithEpsilon(src, t.Text)
	if !ok {
		return console.Usagef("privacy.epsilon is not a plain number in the job file: put %s in its place", t.Text)
	}
	return a.Printf("%s", text)
}
