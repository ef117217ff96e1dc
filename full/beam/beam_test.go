package beam_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/local"
	beamlog "github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"

	dpbeam "github.com/dprelease/dprelease/full/beam"
	"github.com/dprelease/dprelease/io/source"
	"github.com/dprelease/dprelease/io/source/textfile"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/enginetest"
	"github.com/dprelease/dprelease/pipeline/local"
	"github.com/dprelease/dprelease/pipeline/partial"
)

const program = "the version of the test"

func TestMain(m *testing.M) {
	beamlog.SetupLogging("error", "text")
	beam.Init()
	os.Exit(m.Run())
}

// onPrism computes answers on prism. Prism and its workers run in this process.
type onPrism struct {
	*local.Engine
	t      *testing.T
	ranges int
}

func (e onPrism) Aggregate(ctx context.Context, p *pipeline.Plan, o pipeline.Observer) (*pipeline.Aggregates, error) {
	k, err := partial.NewKey(make([]byte, 32))
	if err != nil {
		e.t.Fatal(err)
	}
	e.t.Setenv(dpbeam.KeyVariable, k.Reveal())
	dir := e.t.TempDir()
	job := filepath.Join(p.Job().Dir(), "job.yaml")
	text, err := os.ReadFile(job)
	if err != nil {
		e.t.Fatal(err)
	}
	task, engine, err := dpbeam.NewTask(ctx, job, text, nil, k, program)
	if err != nil {
		return nil, err
	}
	defer engine.Close()
	task.Buckets, task.Memory, task.Out = 5, 1<<30, filepath.Join(dir, "out-")
	if e.ranges%2 == 0 {
		task.Messages = task.Out
	}
	pipe, s := beam.NewPipelineWithRoot()
	dpbeam.Build(s, *task, dpbeam.Ranges(engine.Splits(), e.ranges), 1+e.ranges%3)
	if _, err := beam.Run(ctx, "prism", pipe); err != nil {
		return nil, err
	}
	paths, err := filepath.Glob(task.Out + "*" + dpbeam.PartEnding)
	if err != nil || len(paths) == 0 {
		e.t.Fatalf("%v, %v", paths, err)
	}
	m, err := local.OpenParts(paths[:1], k, p, program, local.Limits{Workers: 2})
	if err != nil {
		return nil, err
	}
	return m.Aggregate(ctx, p, o)
}

// The answers on prism equal the answers of the local engine, for any order of rows, any cut into files and any number
// of ranges.
func TestConformance(t *testing.T) {
	enginetest.Suite(t, func(t *testing.T, p *pipeline.Plan, workers int) pipeline.Engine {
		t.Helper()
		in := p.Job().Input
		data, err := source.Open(t.Context(), source.Options{
			Dir: p.Job().Dir(), Files: in.Files, CSV: textfile.CSV{Header: true, Types: in.CSV.Types,
				Delimiter: ','}, Key: make([]byte, 32),
		})
		if err != nil {
			t.Fatal(err)
		}
		return onPrism{local.New(data, workers), t, workers}
	})
}
