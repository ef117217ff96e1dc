package selftest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/cmd/release/internal/console"
	"github.com/dprelease/dprelease/cmd/release/internal/jobs"
	"github.com/dprelease/dprelease/internal/mechanism/selftest"
	"github.com/dprelease/dprelease/internal/protocol"
	"github.com/dprelease/dprelease/internal/runjob"
	"github.com/dprelease/dprelease/io/sink"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/local"
)

// auditJob is the job of the selftest's privacy audit. It counts rows in many cells, and each row is a privacy unit.
// The audit compares releases of two tables that differ by one row in each cell, so that each cell is a test of its own
// of two neighbouring tables. With this epsilon, mu is about 1 for Gaussian and for geometric noise.
const auditJob = `version: 1
name: selftest
privacy: {%s, unit: row, adjacency: add-remove}
input: {files: [table.csv]}
queries:
  - name: rows
    histogram: {by: [{column: cell, from: 0, to: %d, width: 1}]}
output: {dir: out, formats: [parquet]}
ledger: {store: "sqlite:ledger.db", dataset: selftest, budget: {epsilon: 10, delta: 1e-6}}
`

// keysJob is the job of the audit of discovered keys. Its delta is large, so that keys that a single unit has are
// published often enough to be counted.
const keysJob = `version: 1
name: selftest
privacy: {epsilon: 5, delta: 0.2, delta_failure: 0.1, unit: row, adjacency: add-remove}
input: {files: [table.csv]}
queries:
  - {name: units, histogram: {by: [{column: cell, keys: discover}], min_units: %d}}
  - {name: sums, sum: {column: one, clamp: [0, 1], by: [{column: cell, keys: discover}]}}
output: {dir: out, formats: [parquet]}
ledger: {store: "sqlite:ledger.db", dataset: selftest, budget: {epsilon: 10, delta: 0.9, delta_cap: 0.5}}
`

// The guarantees in the jobs of the audits, for Gaussian and for geometric noise.
const (
	gaussian  = "epsilon: 5, delta: 1e-6"
	geometric = "epsilon: 1, delta: 0"
)

// releaseIn returns a function that makes releases below a folder, each with its own table, job, ledger and output
// folder. They are made by the same code as every release.
func (a *selftester) releaseIn(folder, guarantee string) selftest.Release {
	return func(ctx context.Context, cells, rows int) ([]float64, calibrate.Mechanism, error) {
		dir, err := os.MkdirTemp(folder, "release-")
		if err != nil {
			return nil, calibrate.Mechanism{}, folderError("make a folder", err)
		}
		if err := writeFiles(dir, fmt.Sprintf(auditJob, guarantee, cells), cells, rows); err != nil {
			return nil, calibrate.Mechanism{}, folderError("write the selftest's table", err)
		}
		plan, released, err := a.run(ctx, filepath.Join(dir, "job.yaml"))
		if err != nil {
			return nil, calibrate.Mechanism{}, err
		}
		counts := make([]float64, cells)
		released.Results()[0].Answer.Noisy(0, counts)
		return counts, plan.Mechanisms()[0], nil
	}
}

// selectIn returns a function that makes releases of discovered keys below a folder, as releaseIn's function does of
// listed cells.
func (a *selftester) selectIn(folder string) selftest.Selection {
	return func(ctx context.Context, least int64, keys, rows int) (*selftest.Selected, error) {
		dir, err := os.MkdirTemp(folder, "keys-")
		if err != nil {
			return nil, folderError("make a folder", err)
		}
		if err := writeFiles(dir, fmt.Sprintf(keysJob, least), keys, rows); err != nil {
			return nil, folderError("write the selftest's table", err)
		}
		plan, released, err := a.run(ctx, filepath.Join(dir, "job.yaml"))
		if err != nil {
			return nil, err
		}
		units, sums := &released.Results()[0].Answer, &released.Results()[1].Answer
		out := &selftest.Selected{
			Counts: make([]float64, units.Cells), Sums: make([]float64, sums.Cells),
			Selection: *plan.Queries()[0].Selection, Summed: plan.Queries()[1].Mechanisms[0],
		}
		units.Noisy(0, out.Counts)
		sums.Noisy(0, out.Sums)
		return out, nil
	}
}

// writeFiles writes a job and its table, which has rows rows in each of its cells, into dir.
func writeFiles(dir, job string, cells, rows int) error {
	if err := os.WriteFile(filepath.Join(dir, "job.yaml"), []byte(job), 0o600); err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(dir, "table.csv"), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(writeCells(bufio.NewWriter(f), cells, rows), f.Close())
}

func writeCells(w *bufio.Writer, cells, rows int) error {
	line := []byte("cell,one\n")
	for i := range cells * rows {
		if _, err := w.Write(line); err != nil {
			return err
		}
		line = append(strconv.AppendInt(line[:0], int64(i%cells), 10), ",1\n"...)
	}
	if _, err := w.Write(line); err != nil {
		return err
	}
	return w.Flush()
}

// run makes the release of the job at path.
func (a *selftester) run(ctx context.Context, path string) (*pipeline.Plan, *pipeline.Release, error) {
	f := jobs.Flags{Workers: runtime.GOMAXPROCS(0)}
	plan, err := f.Load(ctx, console.New(nil, nil), path)
	if err != nil {
		return nil, nil, err
	}
	dir, err := f.Dir(plan)
	if err != nil {
		return nil, nil, folderError("find the selftest's folder", err)
	}
	book, err := runjob.OpenStore(ctx, plan.Job().StoreName(), true)
	if err != nil {
		return nil, nil, err
	}
	defer book.Close() // nothing is lost: the ledger's entries are durable
	runner := protocol.Runner{
		Book: book, Sink: sink.New(), Open: runjob.Opener(plan, local.Limits{Workers: f.Workers}, book.InputKey),
		Observer: pipeline.Silent{}, Workers: f.Workers, Program: a.program(),
	}
	outcome, err := runner.Run(ctx, protocol.Request{Plan: plan, Dir: dir})
	if err != nil {
		return nil, nil, err
	}
	return plan, outcome.Release, nil
}

// folderError returns the error for a file that cannot be written to the temporary folder.
func folderError(what string, err error) error {
	return &pipeline.Error{
		Cause: pipeline.CauseOutput, Code: "selftest", Message: "can't " +
			what, Hint: "TMPDIR names the folder that is used", Err: err,
	}
}
