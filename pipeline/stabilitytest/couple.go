package stabilitytest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/dprelease/dprelease/internal/ledger"
	"github.com/dprelease/dprelease/internal/ledger/ledgertest"
	"github.com/dprelease/dprelease/internal/mechanism/mechanismtest"
	"github.com/dprelease/dprelease/internal/protocol"
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/manifest"
	"github.com/dprelease/dprelease/pipeline/showntest"
)

// The output of a run may differ between neighbours only in noisy numbers. The two runs of a coupled pair draw the same
// noise, from a seed (mechanismtest.FixRandom). So every other difference reveals the rows.

// Couple runs the job on both tables with the same noise, each with an empty ledger and an empty folder, and compares
// all output. newSink makes the sink. Parallel tests cannot call it.
func (c *Case) Couple(t *testing.T, l *Lab, newSink func() pipeline.Sink) (found *Finding, skipped bool) {
	t.Helper()
	if err := c.Job.prepare(l); err != nil {
		return &Finding{What: "the job has no plan: " + err.Error(), Case: c, NoPlan: true}, false
	}
	var shown [2]*showntest.Lines
	for i := range 2 {
		var err error
		if shown[i], err = c.run(t, l, i, newSink()); errors.As(err, &unwritten{}) {
			return nil, true
		}
	}
	if what := shown[0].Difference(shown[1]); what != "" {
		return &Finding{What: "the runs differ: " + what, Case: c}, false
	}
	return nil, false
}

// coupled is an engine that resets the random bits after it aggregates, so that both runs draw the same noise whatever
// their engines drew.
type coupled struct {
	pipeline.Engine
	t *testing.T
}

func (e coupled) UseScratch(dir string) {
	if s, ok := e.Engine.(pipeline.Scratcher); ok {
		s.UseScratch(dir)
	}
}

func (e coupled) TableSchemas() []table.Schema {
	return e.Engine.(pipeline.SeveralTables).TableSchemas()
}

func (e coupled) Aggregate(ctx context.Context, p *pipeline.Plan, o pipeline.Observer) (*pipeline.Aggregates, error) {
	a, err := e.Engine.Aggregate(ctx, p, o)
	mechanismtest.FixRandom(e.t, noiseSeed)
	return a, err
}

const noiseSeed = 20

// run releases the answers on one table, 0 or 1, and then runs again, which must find nothing left to do. It returns
// the output of both runs.
func (c *Case) run(t *testing.T, l *Lab, i int, s pipeline.Sink) (*showntest.Lines, error) {
	t.Helper()
	home := filepath.Join(l.Dir, "home")
	if err := os.Mkdir(home, 0o700); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(home) }() // Folder's cleanup removes what this leaves
	if err := c.Put(l.Dir, i); err != nil {
		return nil, err
	}
	mechanismtest.FixRandom(t, noiseSeed)
	store := ledgertest.Memory(t)
	shown := &showntest.Lines{}
	for range 2 {
		seen := &showntest.Stages{}
		book := ledger.NewBook(store, func() time.Time { return time.Unix(1357000000, 0) })
		r := protocol.Runner{Book: book, Sink: s, Observer: seen, Workers: 2, Program: manifest.Program{Name: "fuzz"},
			Open: func(context.Context) (pipeline.Engine, error) {
				engine, err := c.open(l, c.Job.plan, l.Open)
				if err != nil {
					return nil, err
				}
				return coupled{engine, t}, nil
			}}
		o, err := r.Run(t.Context(), protocol.Request{Plan: c.Job.plan, Dir: filepath.Join(home, "out")})
		if fits(err) {
			return nil, unwritten{err}
		}
		showOutcome(shown, o, err)
		seen.Show(shown)
		if err := shown.Ledger(t.Context(), book); err != nil {
			t.Fatal(err)
		}
		if err := shown.Folder(home); err != nil {
			t.Fatal(err)
		}
	}
	return shown, nil
}

// fits reports whether an error is the writer's, or means that the file has other types than the job needs.
func fits(err error) bool {
	var failed *pipeline.Error
	return errors.As(err, &unwritten{}) || errors.As(err, &failed) && failed.Code == "schema"
}

// showOutcome adds the outcome of a run to the recorded lines.
func showOutcome(s *showntest.Lines, o *protocol.Outcome, err error) {
	s.Addf("error %v", err)
	var failed *pipeline.Error
	if errors.As(err, &failed) {
		s.Addf("cause %v, code %s, message %s, hint %s", failed.Cause, failed.Code, failed.Message, failed.Hint)
	}
	if o != nil {
		s.Addf("status %s, folder %s, moved %q", o.Status, o.Dir, o.Moved)
	}
}
