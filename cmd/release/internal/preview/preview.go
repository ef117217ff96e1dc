// Package preview is the verb preview: it makes a job's release from synthetic rows, so that people see tables, page
// and manifest before they spend budget.
//
// The rows depend only on the job and the types of the columns. They pass through the whole pipeline, with a ledger
// that is deleted when the command ends. The output is labelled as synthetic.
package preview

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/dprelease/dprelease/cmd/release/internal/console"
	"github.com/dprelease/dprelease/cmd/release/internal/jobs"
	"github.com/dprelease/dprelease/internal/protocol"
	"github.com/dprelease/dprelease/internal/runjob"
	"github.com/dprelease/dprelease/io/sink"
	"github.com/dprelease/dprelease/io/source"
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/local"
	"github.com/dprelease/dprelease/pipeline/manifest"
	"github.com/dprelease/dprelease/report"
)

const long = `preview makes the whole release of a job from synthetic rows: tables, page and manifest as a run would
publish them. It charges nothing and reads no row of the input. Rows are drawn from the job alone: the cells of its
dimensions, its ranges and conditions, and units with up to max_rows rows each. Their numbers mean nothing: look at
which tables there will be, and at how large the noise is.

The types of the columns come from the job, if the input is CSV, TSV or JSON lines: then nothing of the input is opened,
and it need not be there. Of Parquet and Arrow files the schema in the footer is read; if the files are not there, the
types are those that the queries need.

The folder is NAME.preview or the folder of --out; an older preview there is replaced, and nothing else. The name of
every file in it begins with synthetic-, and release verify does not take it for a release.`

// defaultRows is the number of synthetic rows if neither the job nor --rows states a number.
const defaultRows = 100_000

// maxRows is the maximum number of rows. More would take hours.
const maxRows = 100_000_000

type previewer struct {
	*console.Console
	flags   jobs.Flags
	rows    int64
	program func() manifest.Program
	cells   func(*pipeline.Release) string // the first cells of a release, as text
}

// Command returns the verb preview.
func Command(c *console.Console, program func() manifest.Program,
	cells func(*pipeline.Release) string) *cobra.Command {
	a := &previewer{Console: c, program: program, cells: cells}
	cmd := &cobra.Command{
		Use: "preview JOB", Short: "Show the whole release on synthetic rows, without data and at no cost",
		Long: long, Args: cobra.ExactArgs(1),
		Example: "  release preview job.yaml\n  release preview job.yaml --rows 5000 --out /tmp/look",
		RunE:    func(cmd *cobra.Command, args []string) error { return a.preview(cmd.Context(), args[0]) },
	}
	a.flags.AddParams(cmd)
	a.flags.AddOut(cmd)
	cmd.Flags().Lookup("out").Usage = "the preview's folder, instead of NAME.preview"
	a.flags.AddWorkers(cmd)
	a.flags.AddMemoryLimit(cmd)
	a.flags.AddTmpDir(cmd)
	cmd.Flags().Lookup("tmp-dir").Usage = "the folder for what memory does not hold, which is deleted at the end, " +
		"instead of the system's folder for temporary files"
	cmd.Flags().Int64Var(&a.rows, "rows", 0, fmt.Sprintf("how many synthetic rows to make; by default input.rows, or %d",
		defaultRows))
	cmd.Flags().BoolVar(&c.JSON, "json", false, "print the outcome as JSON")
	return cmd
}

func (a *previewer) preview(ctx context.Context, path string) error {
	if a.flags.Workers < 1 {
		return console.Usagef("--workers must be at least 1")
	}
	plan, err := a.flags.Load(ctx, a.Console, path)
	if err != nil {
		return err
	}
	if len(plan.Tables()) > 0 {
		return &pipeline.Error{Cause: pipeline.CauseJob, Code: "several-tables", Message: "preview cannot make rows for " +
			"several tables that are joined", Hint: "release plan shows what a release costs and how accurate it will be"}
	}
	if err := a.setRows(plan); err != nil {
		return err
	}
	limits, err := a.flags.Limits(plan)
	if err != nil {
		return err
	}
	dir, err := a.folder(plan)
	if err != nil {
		return err
	}
	private, err := os.MkdirTemp(a.flags.Tmp, "release-preview-*") // its mode is 0700
	if err == nil {
		private, err = filepath.Abs(private)
	}
	if err != nil {
		return temporary()
	}
	defer func() { _ = os.RemoveAll(private) }() // no harm: nothing in it is private
	all, err := usesOf(ctx, plan)
	if err != nil {
		return pipeline.InputError(err)
	}
	schema, from, err := schemaOf(ctx, plan, all, private)
	if err != nil {
		return err
	}
	read := func(ctx context.Context, columns []string, yield func(*table.Batch) error) error {
		return newMaker(plan, schema, all).read(ctx, a.rows, columns, yield)
	}
	release, err := a.run(ctx, plan, schema, read, private, limits)
	if err != nil {
		return err
	}
	switch err := sink.WritePreview(ctx, dir, release, report.Presenter{}); {
	case errors.Is(err, fs.ErrExist):
		return &pipeline.Error{
			Cause: pipeline.CauseOutput, Code: "occupied", Message: dir + " holds something else than a preview",
			Hint: "choose another folder with --out, or move the folder away",
		}
	case err != nil:
		return pipeline.OutputError(err)
	}
	return a.conclude(plan, release, dir, from)
}

// temporary returns the error for a temp directory that cannot be written. It omits the system's text.
func temporary() error {
	return &pipeline.Error{
		Cause: pipeline.CauseOutput, Code: "temporary", Message: "the folder for temporary files can't be " +
			"written",
		Hint: "name a folder with room with --tmp-dir",
	}
}

// setRows sets the number of synthetic rows.
func (a *previewer) setRows(plan *pipeline.Plan) error {
	declared := plan.Rows()
	switch {
	case a.rows < 0:
		return console.Usagef("--rows must be at least 1")
	case declared > 0 && a.rows > 0 && a.rows != declared:
		return console.Usagef("--rows %d: the job declares a table of %d rows, and answers no other; leave --rows out",
			a.rows, declared)
	case declared > 0:
		a.rows = declared
	case a.rows == 0:
		a.rows = defaultRows
	}
	if a.rows > maxRows {
		return console.Usagef("a preview has at most %d rows; if input.rows declares more, try a copy of the job that "+
			"declares fewer", maxRows)
	}
	return nil
}

// folder returns the absolute path of the folder for the preview.
func (a *previewer) folder(plan *pipeline.Plan) (string, error) {
	if a.flags.HasOut() {
		return a.flags.Dir(plan)
	}
	dir, err := filepath.Abs(plan.Name() + ".preview")
	if err != nil {
		return "", console.Usagef("the preview's folder: %v", err)
	}
	return dir, nil
}

// run makes the release of the synthetic rows in a temporary folder.
func (a *previewer) run(ctx context.Context, plan *pipeline.Plan, schema table.Schema, read source.Rows,
	private string, limits local.Limits) (*pipeline.Release, error) {
	jobs.KeepTo(limits.Memory)
	book, err := runjob.OpenStore(ctx, "sqlite:"+filepath.Join(private, "ledger.db"), true)
	if err != nil {
		return nil, err
	}
	defer book.Close() // no harm: the ledger is deleted
	o, done := a.Observer()
	defer done()
	limits.Scratch = private
	runner := protocol.Runner{
		Book: book, Sink: sink.New(), Observer: o, Workers: limits.Workers, Program: a.program(),
		Open: func(context.Context) (pipeline.Engine, error) {
			return local.NewWithin(source.OfRows(schema, read), limits), nil
		},
	}
	outcome, err := runner.Run(ctx, protocol.Request{Plan: plan, Dir: filepath.Join(private, "release")})
	if err != nil {
		return nil, err
	}
	return outcome.Release, nil
}

// conclude prints what the preview shows and where it is.
func (a *previewer) conclude(plan *pipeline.Plan, release *pipeline.Release, dir string, from typesFrom) error {
	switch {
	case a.JSON:
		return a.PrintJSON(map[string]any{
			"name": plan.Name(), "params": plan.Params(), "status": "preview", "synthetic": manifest.SyntheticNotice, "dir": dir,
			"rows": a.rows, "types": from,
		})
	case a.Quiet:
		return nil
	}
	text := console.Fill("%s: a preview, %s; nothing was charged\n  folder   %s\n  rows     %d, drawn from the job\n  "+
		"types    from %s\n",
		plan.Name(), manifest.SyntheticNotice, console.Here(dir), a.rows, string(from))
	if plan.Job().Output.Presented() {
		text += console.Fill("  page     %s\n", console.Here(filepath.Join(dir, manifest.SyntheticPrefix+report.IndexName)))
	}
	return a.Print(text + a.cells(release))
}
