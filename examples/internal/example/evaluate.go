package example

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/dprelease/dprelease/configs"
	"github.com/dprelease/dprelease/internal/ledger"
	"github.com/dprelease/dprelease/internal/ledger/sqlstore"
	"github.com/dprelease/dprelease/internal/protocol"
	"github.com/dprelease/dprelease/internal/wiring"
	"github.com/dprelease/dprelease/io/sink"
	"github.com/dprelease/dprelease/io/source"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/local"
	"github.com/dprelease/dprelease/pipeline/manifest"
)

// Evaluation makes many releases of public data with one job, so that they can be compared with the truth. The releases
// are charged to a ledger of the evaluation's own.
type Evaluation struct {
	job, dir string
	book     *ledger.Book
	close    func() error
	made     int // number of releases so far; the next release's folder is named by it
}

// Evaluate starts an evaluation of the job at path. It empties the folder dir, which holds its releases and its ledger.
func Evaluate(ctx context.Context, path, dir string) (*Evaluation, error) {
	if err := os.RemoveAll(dir); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	store, err := sqlstore.Open(ctx, filepath.Join(dir, "ledger.db"))
	if err != nil {
		return nil, err
	}
	return &Evaluation{job: path, dir: dir, book: ledger.NewBook(store, time.Now), close: store.Close}, nil
}

// Close closes the ledger.
func (e *Evaluation) Close() error { return e.close() }

// Release runs the job with these parameters. It returns the release, with its noisy values and estimates in memory.
func (e *Evaluation) Release(ctx context.Context, params map[string]string) (*pipeline.Release, error) {
	plan, err := Plan(ctx, e.job, params)
	if err != nil {
		return nil, err
	}
	e.made++
	runner := protocol.Runner{
		Book: e.book, Sink: sink.New(), Observer: pipeline.Silent{}, Workers: runtime.GOMAXPROCS(0),
		Program: manifest.Program{Name: "dprelease", Version: "example", Go: runtime.Version()},
		Open: func(ctx context.Context) (pipeline.Engine, error) {
			data, err := source.Open(ctx, wiring.SourceOptions(plan.Job()))
			if err != nil {
				return nil, err
			}
			return local.New(data, runtime.GOMAXPROCS(0)), nil
		},
	}
	outcome, err := runner.Run(ctx, protocol.Request{Plan: plan, Dir: filepath.Join(e.dir, fmt.Sprintf("%04d", e.made)),
		NewRelease: true})
	if err != nil {
		return nil, err
	}
	if outcome.Release == nil {
		return nil, errors.New("the run made no release of its own")
	}
	return outcome.Release, nil
}

// Plan makes the plan of the job at path.
func Plan(ctx context.Context, path string, params map[string]string) (*pipeline.Plan, error) {
	plan, diags := wiring.Plan(ctx, path, configs.ParseOptions{Params: params})
	if len(diags) > 0 {
		return nil, diags
	}
	return plan, nil
}
