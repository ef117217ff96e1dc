package protocol_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dprelease/dprelease/configs"
	"github.com/dprelease/dprelease/internal/ledger"
	"github.com/dprelease/dprelease/internal/protocol"
	"github.com/dprelease/dprelease/io/sink"
	"github.com/dprelease/dprelease/pipeline"
)

// These tests combine components: a resumed run that fails, one plan in two folders, parts of delta and adjacency.

// clean fails if a staging folder remains.
func (b *bench) clean(after string) {
	b.Helper()
	left, err := filepath.Glob(filepath.Join(b.dir, ".staging-*"))
	if err != nil || len(left) > 0 {
		b.Errorf("left behind after %s: %q (%v)", after, left, err)
	}
}

// A run died after its noise. The next one resumes its reservation and fails while it reads. The first noise may have
// been seen, so the charge stays, however often this happens.
func TestResumedRunFails(t *testing.T) {
	b := newBench(t)
	b.wrap = failing("Stage", errCut)
	if _, err := b.run(t.Context(), nil); !errors.Is(err, errCut) {
		t.Fatalf("error %v, want %v", err, errCut)
	}
	b.wrap = nil
	for range 2 {
		b.engine.fail = errors.New("damaged")
		_, err := b.run(t.Context(), nil)
		wantError(t, err, pipeline.CauseInput, "input")
		if got := b.spent(); got != "budget reserve" {
			t.Fatalf("ledger %q after a resumed run failed, want %q", got, "budget reserve")
		}
		b.clean("a resumed run that failed")
	}
	b.engine.fail = nil
	b.expect(b.must(nil), protocol.StatusReleased, once)
}

// A half-written staging folder is deleted at the start of the next run, even if that run fails.
func TestHalfWrittenStagingIsDeleted(t *testing.T) {
	b := newBench(t)
	b.wrap = failing("Stage", errCut)
	if _, err := b.run(t.Context(), nil); !errors.Is(err, errCut) {
		t.Fatalf("error %v, want %v", err, errCut)
	}
	b.wrap, b.gone = nil, true
	_, err := b.run(t.Context(), nil)
	wantError(t, err, pipeline.CauseInput, "input")
	b.clean("a run without input")
	if got := b.spent(); got != "budget reserve" {
		t.Errorf("ledger %q, want %q", got, "budget reserve")
	}
}

// onceSink fails at one call and works afterwards: the process does not die.
type onceSink struct {
	pipeline.Sink
	failed bool
}

func (s *onceSink) Stage(ctx context.Context, staging, note string, r *pipeline.Release) (string, error) {
	if !s.failed {
		s.failed = true
		return "", errCut
	}
	return s.Sink.Stage(ctx, staging, note, r)
}

// No failure leaves a staging folder, whatever it leaves in the ledger.
func TestFailuresLeaveNoStaging(t *testing.T) {
	t.Run("input", func(t *testing.T) {
		b := newBench(t)
		b.engine.fail = errors.New("damaged")
		_, err := b.run(t.Context(), nil)
		wantError(t, err, pipeline.CauseInput, "input")
		b.clean("an input that fails")
	})
	t.Run("budget", func(t *testing.T) {
		b := newBench(t)
		_, err := b.run(t.Context(), func(r *protocol.Request) {
			r.Plan = b.plan(strings.Replace(job, "epsilon: 1,", "epsilon: 4,", 1))
		})
		wantError(t, err, pipeline.CauseBudget, "over-budget")
		b.clean("a charge that is refused")
		if got := b.spent(); got != "" {
			t.Errorf("ledger %q, want nothing", got)
		}
	})
	t.Run("cancelled", func(t *testing.T) {
		b := newBench(t)
		ctx, cancel := context.WithCancel(t.Context())
		b.open = func() pipeline.Engine { return &cancelling{b.engine, cancel} }
		if _, err := b.run(ctx, nil); !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		b.clean("a run that was cancelled while it read")
		if got := b.spent(); got != "budget reserve cancel" {
			t.Errorf("ledger %q, want %q", got, "budget reserve cancel")
		}
	})
	t.Run("disk", func(t *testing.T) { // after the noise: the charge stays
		b := newBench(t)
		b.wrap = func(s pipeline.Sink) pipeline.Sink { return &onceSink{Sink: s} }
		if _, err := b.run(t.Context(), nil); !errors.Is(err, errCut) || errors.Is(err, ledger.ErrDrawn) {
			t.Fatalf("error %v, want %v and no try to give the charge back", err, errCut)
		}
		b.clean("a release that cannot be written")
		if got := b.spent(); got != "budget reserve" {
			t.Errorf("ledger %q, want %q", got, "budget reserve")
		}
	})
	t.Run("noise", func(t *testing.T) { // while the noise of the second query is drawn, after the first one's
		b := newBench(t)
		ctx, cancel := context.WithCancel(t.Context())
		b.watch = func(s pipeline.Stage, done int) {
			if s == pipeline.StageNoise && done == 1 {
				cancel()
			}
		}
		_, err := b.run(ctx, nil)
		if !errors.Is(err, context.Canceled) || errors.Is(err, ledger.ErrDrawn) {
			t.Errorf("error %v, want %v and no try to give the charge back", err, context.Canceled)
		}
		b.clean("noise that was cut short")
		if got := b.spent(); got != "budget reserve" {
			t.Errorf("ledger %q, want %q", got, "budget reserve")
		}
	})
}

// cancelling is an engine whose run is cancelled while it reads.
type cancelling struct {
	*engine
	cancel func()
}

func (c *cancelling) Aggregate(ctx context.Context, _ *pipeline.Plan, _ pipeline.Observer) (*pipeline.Aggregates,
	error) {
	c.cancel()
	return nil, ctx.Err()
}

// probe calls try at each step of a run that can be watched from outside.
type probe struct {
	pipeline.Sink
	*engine
	try func(step string)
}

func (p *probe) Aggregate(ctx context.Context, plan *pipeline.Plan, o pipeline.Observer) (*pipeline.Aggregates, error) {
	p.try("aggregate")
	return p.engine.Aggregate(ctx, plan, o)
}

func (p *probe) Prepare(staging string) error {
	p.try("prepare")
	return p.Sink.Prepare(staging)
}

func (p *probe) Stage(ctx context.Context, staging, note string, r *pipeline.Release) (string, error) {
	p.try("stage")
	return p.Sink.Stage(ctx, staging, note, r)
}

func (p *probe) Publish(ctx context.Context, staging, dir string) error {
	err := p.Sink.Publish(ctx, staging, dir)
	p.try("publish")
	return err
}

// While a run works, no other process runs the same plan, also into another folder, nor another plan into the same
// folder.
func TestNobodyElseRuns(t *testing.T) {
	other := strings.Replace(job, "epsilon: 1,", "epsilon: 0.5,", 1) // a job of another name with the same fingerprint
	for name, edit := range map[string]func(*bench, *protocol.Request){
		"one plan in two folders": func(b *bench, r *protocol.Request) { r.Dir = filepath.Join(b.dir, "elsewhere") },
		"two plans in one folder": func(b *bench, r *protocol.Request) { r.Plan = b.plan(other) },
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			var steps []string
			p := &probe{engine: b.engine}
			p.try = func(step string) {
				steps = append(steps, step)
				inner := &bench{T: t, dir: b.dir, store: b.store, engine: b.engine}
				_, err := inner.run(t.Context(), func(r *protocol.Request) { edit(inner, r) })
				var e *pipeline.Error
				if !errors.As(err, &e) || e.Code != "busy" {
					t.Errorf("at step %s another run ended with %v, want busy", step, err)
				}
			}
			b.open = func() pipeline.Engine { return p }
			b.wrap = func(s pipeline.Sink) pipeline.Sink {
				p.Sink = s
				return p
			}
			b.expect(b.must(nil), protocol.StatusReleased, once)
			if got, want := strings.Join(steps, " "), "prepare aggregate stage publish"; got != want {
				t.Errorf("watched %q, want %q", got, want)
			}
		})
	}
}

const discovering = `
version: 1
name: discovering
privacy: {epsilon: 1, delta: 1e-6, unit: [person], per_unit: {max_groups: 2}}
input: {files: [people.csv]}
queries:
  - {name: colours, histogram: {by: [{column: colour, keys: discover}]}}
output: {dir: out}
ledger: {store: "sqlite:ledger.db", dataset: people, budget: {epsilon: 3, delta: 1e-5, delta_cap: 1e-6}}
`

// Discovered keys take a part of delta, and an account for replace-one neighbours would have to count it for two steps.
// So they are refused before anything is spent, although such an account pays for counts without discovered keys.
func TestDiscoverOnReplaceOneAccount(t *testing.T) {
	b := newBench(t)
	plan := b.plan(discovering)
	account := plan.Account()
	account.Adjacency = "replace-one"
	if err := b.book().SetBudget(t.Context(), account, plan.Budget(), ""); err != nil {
		t.Fatal(err)
	}
	_, err := b.run(t.Context(), func(r *protocol.Request) { r.Plan = plan })
	wantError(t, err, pipeline.CauseBudget, "other-account")
	b.clean("a charge that is refused")
	if got := b.spent(); got != "budget" {
		t.Errorf("ledger %q, want %q", got, "budget")
	}
	// On an account of its own adjacency it is released.
	own := newBench(t)
	own.expect(own.must(func(r *protocol.Request) { r.Plan = own.plan(discovering) }), protocol.StatusReleased, once)
}

// The components of a mean and of a variance share the fraction of their query, so that the queries' fractions of mu²
// follow the job's weights.
func TestPartsShareTheQuerysWeight(t *testing.T) {
	const text = `
version: 1
name: shares
privacy: {epsilon: 1, delta: 1e-6, unit: [person], per_unit: {max_rows: 3}}
input: {files: [people.csv]}
queries:
  - {name: all, count: {}}
  - {name: mean, mean: {column: x, clamp: [0, 1000]}, weight: 2}
  - {name: variance, variance: {column: x, clamp: [0, 1000]}, weight: 3}
  - {name: vector, mean: {columns: [x, y], clamp: [-7, 7]}, weight: 0.5}
output: {dir: out}
ledger: {store: "sqlite:ledger.db", dataset: people, budget: {epsilon: 3, delta: 1e-5}}
`
	p := newBench(t).plan(text)
	components := map[string]int{"all": 1, "mean": 2, "variance": 3, "vector": 2}
	all := float64(p.Queries()[0].Mu())
	for i, weight := range []float64{1, 2, 3, 0.5} {
		q := p.Queries()[i]
		name := q.Query.Name()
		if len(q.Mechanisms) != components[name] {
			t.Errorf("%s has %d mechanisms, want %d", name, len(q.Mechanisms), components[name])
		}
		if mu := float64(q.Mu()); mu*mu/(all*all) < weight*(1-1e-9) || mu*mu/(all*all) > weight*(1+1e-9) {
			t.Errorf("%s has %v times the mu² of a count, want %v", name, mu*mu/(all*all), weight)
		}
	}
}

// Each data interval of a dated job has a fingerprint of its own.
func TestWindowsAreQuestions(t *testing.T) {
	b := newBench(t)
	const windowed = "version: 1\nparams: {day: {type: date, every: day}}\n"
	var runs []string
	for _, day := range []string{"2013-01-01", "2013-01-02", "2013-01-01"} {
		p, diags := configs.Parse(filepath.Join(b.dir, "job.yaml"),
			[]byte(strings.NewReplacer("version: 1\n", windowed, "dir: out",
				"dir: 'out/${day}'").Replace(job)), configs.ParseOptions{Params: map[string]string{"day": day}})
		if len(diags) > 0 {
			t.Fatal(diags)
		}
		plan, diags := pipeline.New(p, nil)
		if len(diags) > 0 {
			t.Fatal(diags)
		}
		runs = append(runs, plan.Fingerprint())
	}
	if runs[0] == runs[1] || runs[0] != runs[2] {
		t.Errorf("of the days 1, 2 and 1 the runs are %q, want two different ones", runs)
	}
}

// otherRelease makes a complete, valid release of the same job elsewhere, with noise of its own, and puts it in the
// place of dir.
func (b *bench) otherRelease(dir string) {
	b.Helper()
	other := newBench(b.T)
	o := other.must(other.colourful(false))
	if digest, err := sink.New().Inspect(b.Context(), o.Dir); err != nil || digest != o.Digest {
		b.Fatalf("digest %q, want %q (%v)", digest, o.Digest, err)
	}
	if err := errors.Join(os.RemoveAll(dir), os.CopyFS(dir, os.DirFS(o.Dir))); err != nil {
		b.Fatal(err)
	}
}

// Only the sealed bytes are published: if another complete release is in place of the sealed one, it is refused,
// and nothing becomes visible.
func TestSealedStagingIsReplaced(t *testing.T) {
	b := newBench(t)
	b.wrap = failing("Publish", errCut)
	if _, err := b.run(t.Context(), b.colourful(false)); !errors.Is(err, errCut) {
		t.Fatalf("error %v, want %v", err, errCut)
	}
	b.wrap = nil
	staged, err := filepath.Glob(filepath.Join(b.dir, ".staging-*", "release"))
	if err != nil || len(staged) != 1 {
		t.Fatalf("staged %q (%v), want one release", staged, err)
	}
	b.otherRelease(staged[0])
	_, err = b.run(t.Context(), b.colourful(false))
	wantError(t, err, pipeline.CauseOutput, "lost")
	if _, err := os.Lstat(filepath.Join(b.dir, "out")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a release that was not sealed can be seen (%v)", err)
	}
	if got := b.spent(); got != "budget reserve seal" {
		t.Errorf("ledger %q, want %q", got, "budget reserve seal")
	}
}

// Only the published bytes are returned and copied: another complete release in their place is refused.
func TestPublishedFolderIsReplaced(t *testing.T) {
	b := newBench(t)
	o := b.must(b.colourful(false))
	b.otherRelease(o.Dir)
	_, err := b.run(t.Context(), b.colourful(false))
	wantError(t, err, pipeline.CauseOutput, "occupied")
	_, err = b.run(t.Context(), func(r *protocol.Request) {
		b.colourful(false)(r)
		r.Dir = filepath.Join(b.dir, "elsewhere")
	})
	wantError(t, err, pipeline.CauseOutput, "lost")
	if _, err := os.Lstat(filepath.Join(b.dir, "elsewhere")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("another release was copied (%v)", err)
	}
	_, err = b.run(t.Context(), b.colourful(true))
	wantError(t, err, pipeline.CauseOutput, "occupied") // a run must not move a foreign folder aside
}

// The order of a run: spend before reading, seal before anybody can see anything, publication last.
func TestLedgerGoesAhead(t *testing.T) {
	b := newBench(t)
	p := &probe{engine: b.engine}
	want := map[string]string{"prepare": "", "aggregate": "budget reserve", "stage": "budget reserve",
		"publish": "budget reserve seal"}
	seen := 0
	p.try = func(step string) {
		seen++
		if got := b.spent(); got != want[step] {
			t.Errorf("at step %s the ledger has %q, want %q", step, got, want[step])
		}
	}
	b.open = func() pipeline.Engine { return p }
	b.wrap = func(s pipeline.Sink) pipeline.Sink {
		p.Sink = s
		return p
	}
	b.expect(b.must(nil), protocol.StatusReleased, once)
	if seen != len(want) {
		t.Errorf("%d steps, want %d", seen, len(want))
	}
}
