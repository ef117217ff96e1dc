package local_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"testing"

	"github.com/dprelease/dprelease/configs"
	"github.com/dprelease/dprelease/internal/owntest"
	"github.com/dprelease/dprelease/io/sink"
	"github.com/dprelease/dprelease/io/source"
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/local"
	"github.com/dprelease/dprelease/pipeline/stabilitytest"
)

// labs returns n labs for the local engine, each with a folder of its own.
func labs(t *testing.T, n int) []*stabilitytest.Lab {
	t.Helper()
	out := make([]*stabilitytest.Lab, n)
	for i := range out {
		out[i] = &stabilitytest.Lab{TB: t, Dir: stabilitytest.Folder(t), Open: openTight, OpenTables: openTables}
	}
	// Each case lives only briefly. Collecting its memory later leaves more time for cases. The types that a writer of
	// Parquet files makes by reflection stay: without a limit, a million pairs take 13 GB.
	percent, limit := debug.SetGCPercent(800), debug.SetMemoryLimit(4<<30)
	t.Cleanup(func() { debug.SetGCPercent(percent); debug.SetMemoryLimit(limit) })
	return out
}

func openTight(data *source.Dataset, l stabilitytest.Limits, scratch string) pipeline.Engine {
	if l.Tight {
		return local.NewTight(data, l.Workers, scratch)
	}
	return local.NewWithin(data, local.Limits{Workers: l.Workers, Memory: 1 << 30, Scratch: scratch})
}

func openTables(data []*source.Dataset, l stabilitytest.Limits, scratch string) pipeline.Engine {
	e := local.NewTables(data, local.Limits{Workers: l.Workers, Memory: 1 << 30, Scratch: scratch})
	if l.Tight {
		local.LimitSides(e, sideLimit(data))
	}
	return e
}

// sideLimit is the memory of a join's side: some rows, and more if the tables have many, since each range of rows reads
// them all again.
func sideLimit(data []*source.Dataset) int64 {
	limit := int64(400)
	for _, d := range data {
		files, err := d.Outlines()
		if err != nil {
			panic(err) // the case has just written and opened these files
		}
		for _, f := range files {
			limit = max(limit, f.Bytes/20)
		}
	}
	return limit
}

// The answers for pairs of tables that once differed by too much differ by at most the declared sensitivity.
func TestStabilityOfKnownPairs(t *testing.T) {
	owntest.Slow(t)
	lab := labs(t, 1)[0]
	layouts := 4
	if os.Getenv("DPRELEASE_LONG") != "" {
		layouts = 200
	}
	for _, k := range stabilitytest.Corpus() {
		t.Run(k.Name, func(t *testing.T) {
			tried := 0
			for _, c := range k.Cases(append([]stabilitytest.Writer{stabilitytest.Plain}, stabilitytest.Writers()...), layouts) {
				f, skipped := c.Measure(lab)
				if f != nil {
					t.Fatal(f)
				}
				if skipped {
					continue
				}
				tried++
				if got := c.Counts(lab); got != k.Counts {
					t.Fatal(&stabilitytest.Finding{What: fmt.Sprintf("the counts are %d, want %d", got, k.Counts), Case: c})
				}
			}
			if tried < 5*layouts {
				t.Errorf("%d layouts could be written", tried)
			}
		})
	}
}

// The answers of neighbouring tables differ by at most the declared sensitivity: random jobs, tables and files.
func TestStability(t *testing.T) {
	pairs := 200
	if owntest.Checking() {
		pairs = 600
	}
	n := stabilitytest.Pairs(t, pairs, 1_000_000)
	s := stabilitytest.Search{Seed: stabilitytest.Seed(t), Pairs: n, PairsPerJob: 25, Writers: stabilitytest.Writers(),
		Labs: labs(t, runtime.GOMAXPROCS(0))}
	r := s.Run()
	t.Log(r)
	if r.Finding != nil {
		t.Fatal(r.Finding)
	}
	if r.Pairs < n || 10*r.Skipped > r.Pairs {
		t.Errorf("of %d pairs %d were tried, and %d of these not written", n, r.Pairs, r.Skipped)
	}
}

// The answers of random jobs depend neither on the number of workers nor on the memory for rows and for pages.
func TestAnswersDependOnNoLimit(t *testing.T) {
	all := labs(t, runtime.GOMAXPROCS(0))
	for _, l := range all {
		l.Twin = func(data *source.Dataset, l stabilitytest.Limits, scratch string) pipeline.Engine {
			return openTight(data, stabilitytest.Limits{Workers: 4 - l.Workers, Tight: !l.Tight}, scratch)
		}
	}
	stable(t, &stabilitytest.Search{Seed: stabilitytest.Seed(t), Pairs: stabilitytest.Pairs(t, 100, 100_000), PairsPerJob: 5,
		Writers: stabilitytest.Writers(), Labs: all})
}

// Whole runs on neighbouring tables with the same noise have the same output, except for noisy numbers.
func TestStabilityOfRuns(t *testing.T) {
	owntest.Slow(t)
	lab := labs(t, 1)[0]
	s := stabilitytest.Search{Seed: stabilitytest.Seed(t), Pairs: stabilitytest.Pairs(t, 45, 20_000), PairsPerJob: 5,
		Writers: stabilitytest.Writers(), Labs: []*stabilitytest.Lab{lab}}
	r := s.RunBy(func(l *stabilitytest.Lab, c *stabilitytest.Case) (*stabilitytest.Finding, bool) {
		return c.Couple(t, l, func() pipeline.Sink { return sink.New() })
	})
	t.Log(r)
	if r.Finding != nil {
		t.Fatal(r.Finding)
	}
}

// broken is an engine with a bug: it answers a changed plan if the table has a NaN or, with always, in any case.
type broken struct {
	pipeline.Engine
	data   *source.Dataset
	always bool
	change func(*configs.Job) error
}

// Aggregate answers the changed plan.
func (b broken) Aggregate(ctx context.Context, p *pipeline.Plan, o pipeline.Observer) (*pipeline.Aggregates, error) {
	if !b.always && !hasNaN(ctx, b.data) {
		return b.Engine.Aggregate(ctx, p, o)
	}
	job := *p.Job()
	job.Queries = slices.Clone(job.Queries)
	if err := b.change(&job); err != nil {
		return nil, err
	}
	other, diags := pipeline.New(&job, func(file, column string, _ bool) ([]string, error) {
		values, _ := stabilitytest.PublicColumn(file, column)
		return values, nil
	})
	if len(diags) > 0 {
		return nil, diags
	}
	return b.Engine.Aggregate(ctx, other, o)
}

func hasNaN(ctx context.Context, data *source.Dataset) bool {
	found := false
	for _, f := range data.Schema().Fields {
		for split := range data.Splits() {
			_, _ = data.Read(ctx, split, []string{f.Name}, func(b *table.Batch) error { // lists have no plain floats
				found = found || f.Type.Kind == table.Float && slices.ContainsFunc(b.Columns[0].Values.Floats, math.IsNaN)
				return nil
			})
		}
	}
	return found
}

// The fuzzer detects engines with deliberate bugs within the default number of pairs, and reports them with few rows.
func TestStabilityNotices(t *testing.T) {
	owntest.Slow(t)
	if testing.Short() {
		t.Skip("tries the tests, not the program: without -short")
	}
	most := configs.PerUnit{MaxRows: 1000, MaxGroups: 1000}
	for name, fault := range map[string]broken{
		"units that are not bounded": {always: true, change: func(j *configs.Job) error {
			if len(j.Privacy.Unit.Columns) > 0 {
				j.Privacy.PerUnit = most
			}
			for i := range j.Queries {
				j.Queries[i].PerUnit = nil
			}
			return nil
		}},
		"one NaN hides the rows of others": {change: func(j *configs.Job) error {
			for i := range j.Input.Where {
				never := configs.Scalar("1e308")
				if f := &j.Input.Where[i]; f.Column == "f" {
					*f = configs.Filter{Column: "f", From: &never}
				}
			}
			return nil
		}},
		"one NaN makes a run fail": {change: func(*configs.Job) error {
			return errors.New("the values contradict what the " +
				"file states")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			all := labs(t, 1)
			all[0].Open = func(data *source.Dataset, l stabilitytest.Limits, scratch string) pipeline.Engine {
				fault := fault
				fault.Engine, fault.data = openTight(data, l, scratch), data
				return fault
			}
			s := stabilitytest.Search{Seed: 1, Pairs: 2000, PairsPerJob: 10, Writers: stabilitytest.Writers()[:1], Labs: all}
			r := s.Run()
			if r.Finding == nil {
				t.Fatalf("nothing noticed: %s", r)
			}
			t.Logf("after %d pairs: %s", r.Pairs, r.Finding)
			if n := len(r.Finding.Case.Pair.Items); n > 12 && r.Finding.Case.Job.Rows == 0 {
				t.Errorf("with %d rows", n)
			}
		})
	}
}
