// Package denoise is the verb denoise. It applies the methods of the public package denoise to noisy values that were
// published before.
package denoise

import (
	"context"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/dprelease/dprelease/cmd/release/internal/console"
	"github.com/dprelease/dprelease/denoise"
	"github.com/dprelease/dprelease/internal/regular"
	"github.com/dprelease/dprelease/pipeline"
)

const denoiseLong = `denoise improves noisy values that are public already, by what is public about them: it costs no
budget.

The input is a CSV, Parquet or Arrow file with one noisy value a row, or a release folder. The noise must be independent
and normal, of the standard deviation --sigma; a table of a release has it in its column standard_deviation. Neighbours
are the rows that an edge list joins (columns u and v, rows numbered from 0; optionally w, a weight, and length or
length_m), or without one the rows that follow one another, or as --shape says.

The output has the input's columns and "estimate", rows in order. The risk table says what to expect of the estimates'
error, worked out from the noisy values with the selection of thresholds and methods as a part of it. It is no interval
for one row: that is the noisy value's alone, value ± 1.96 sigma. Nothing is moved to 0 unless --set nonnegative=true
asks for it, except by tree-ensemble, where it is the default.`

// Command returns the verb denoise.
func Command(c *console.Console) *cobra.Command {
	a := &denoising{c}
	var f denoiseFlags
	var list bool
	cmd := &cobra.Command{
		Use: "denoise --input FILE|DIR --method NAME --out FILE", Short: "Improve noisy values that are public already",
		Long: denoiseLong,
		Args: cobra.NoArgs,
		Example: "  release denoise --input noisy.csv --value y --sigma 40 --method auto --out estimate.csv\n" +
			"  release denoise --input noisy.csv --value y --sigma 40 --method trend-filter --edges edges.csv --set k=0 --set " +
			"lambda=40 --out estimate.csv\n" +
			"  release denoise --input out --query pickups --method empirical-bayes --set nonnegative=true --method round " +
			"--out estimate.csv\n" +
			"  release denoise --methods",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if list {
				return a.printMethods()
			}
			return a.denoise(cmd.Context(), &f)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.input, "input", "",
		"a .csv, .csv.gz, .csv.zst, .parquet or .arrow file of noisy values, or a release folder")
	flags.StringVar(&f.query, "query", "", "the query of a release folder; needed if it has several")
	flags.StringVar(&f.value, "value", "noisy", "the column of the noisy values")
	flags.StringVar(&f.sigma, "sigma", "", "the standard deviation of the noise; absent: the column standard_deviation "+
		"(or sigma), if it is the same in all rows")
	flags.Var(MethodFlag{&f.steps}, "method", "a method, see --methods (repeatable: steps in order)")
	flags.Var(setFlag{&f.steps}, "set", "set a parameter of the --method before it: --set name=value (repeatable)")
	flags.StringVar(&f.edges, "edges", "", "a CSV file of edges: columns u and v, optionally w and length")
	flags.StringVar(&f.shape, "shape", "", "how the rows lie: 24, 64x64, …, the last number fastest, or none for no "+
		"order; absent: one after the other, and in no order for methods that take --edges")
	flags.StringVar(&f.out, "out", "", "the CSV file to write: the input's columns and estimate")
	flags.StringVar(&f.risk, "risk", "", "write the risk table to this CSV file instead of stdout")
	flags.IntVar(&f.workers, "workers", runtime.GOMAXPROCS(0), "how many cores to use; results do not depend on it")
	flags.BoolVar(&list, "methods", false, "list the methods with their parameters")
	return cmd
}

func (f *denoiseFlags) check() error {
	switch {
	case f.input == "":
		return console.Usagef("--input is missing: a file of noisy values, or a release folder")
	case f.out == "":
		return console.Usagef("--out is missing: the CSV file to write")
	case len(f.steps.list) == 0:
		return console.Usagef("--method is missing: release denoise --methods lists what there is")
	case f.workers < 1:
		return console.Usagef("--workers must be at least 1")
	case sameFile(f.out, f.input), f.edges != "" && sameFile(f.out, f.edges), f.risk != "" && sameFile(f.risk, f.input):
		return console.Usagef("an output would overwrite an input")
	case f.risk != "" && sameFile(f.risk, f.out):
		return console.Usagef("--risk and --out are the same file")
	}
	return nil
}

func (a *denoising) denoise(ctx context.Context, f *denoiseFlags) error {
	if err := f.check(); err != nil {
		return err
	}
	for _, path := range []string{f.out, f.risk} { // an estimate can take long
		if err := regular.Replaceable(path); path != "" && err != nil {
			return console.WriteError(path, err)
		}
	}
	steps, err := f.steps.build()
	if err != nil {
		return err
	}
	in, err := readNoisy(ctx, f)
	if err != nil {
		return err
	}
	steps, unused, err := f.bind(ctx, steps, in)
	if err != nil {
		return err
	}
	if unused {
		a.Note("--edges: " + f.steps.names() + ": no use for a graph")
	}
	o, done := a.Observer()
	defer done()
	run := denoise.Run{Workers: f.workers, Progress: func(done,
		total int) {
		o.Progress(pipeline.StageDenoise, done, total)
	}}
	fit, err := denoise.Estimate(ctx, in.noisy, in.sigma, denoise.WithRuns(steps, run))
	if err != nil {
		return denoiseFailed(err)
	}
	risks, err := expected(ctx, in, &f.steps, denoise.WithRuns(steps, denoise.Run{Workers: f.workers}))
	if err != nil {
		return denoiseFailed(err)
	}
	risks[len(risks)-1].stein(in, fit, len(steps))
	done()
	if err := writeEstimates(f.out, in, fit.X); err != nil {
		return err
	}
	return a.printRisk(f.risk, risks, fit.Notes)
}
