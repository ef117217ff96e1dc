package protocol_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dprelease/dprelease/internal/csvtest"
	"github.com/dprelease/dprelease/internal/protocol"
	"github.com/dprelease/dprelease/io/sink"
	"github.com/dprelease/dprelease/pipeline"
)

// presented asks for another rendering of job, in a folder of its own.
func (b *bench) presented(name string) func(*protocol.Request) {
	text := strings.NewReplacer("name: colours\nprivacy", "name: "+name+"\nprivacy",
		"    denoise: [{method: nonnegative}]\n", "", "{dir: out}", "{dir: out, formats: [csv]}").Replace(job)
	return func(r *protocol.Request) { r.Plan, r.Dir = b.plan(text), filepath.Join(b.dir, name) }
}

func (b *bench) noisy(dir string) (out []string) {
	for _, r := range csvtest.Rows(b.T, filepath.Join(dir, "colours.csv")) {
		out = append(out, r["noisy"])
	}
	return out
}

// Another rendering has the noisy values of the first and its own estimates, and reads no row.
func TestRerender(t *testing.T) {
	b := newBench(t)
	first := b.must(b.presented("first"))
	b.open = func() pipeline.Engine { return deaf{b.engine} }
	second := b.must(b.presented("second"))
	b.expect(second, protocol.StatusRerendered, once+" rerender")
	if second.From != first.Dir || !slices.Equal(b.noisy(first.Dir), b.noisy(second.Dir)) {
		t.Errorf("made from %s: %v, want %v", second.From, b.noisy(second.Dir), b.noisy(first.Dir))
	}
	third := b.must(nil) // the release with a step
	b.expect(third, protocol.StatusRerendered, once+" rerender rerender")
	m, _, err := sink.ReadManifest(third.Dir)
	if err != nil || m.MadeFrom != first.Digest || len(m.Queries[0].Denoise) != 1 || m.Meets() != nil {
		t.Errorf("%+v (%v)", m, err)
	}
	for range 2 {
		b.expect(b.must(b.presented("second")), protocol.StatusAlready, once+" rerender rerender")
		b.expect(b.must(b.presented("first")), protocol.StatusAlready, once+" rerender rerender")
	}
	// Its bytes are copied to any requested folder.
	copied := b.must(func(r *protocol.Request) { b.presented("second")(r); r.Dir += "-copy" })
	b.expect(copied, protocol.StatusCopied, once+" rerender rerender")
	if copied.Digest != second.Digest {
		t.Error("other bytes")
	}
}

// A re-rendering states the data_checks of the run that drew the noise, whatever its own job has: the release exists
// because of them.
func TestRerenderStatesTheDrawnPolicy(t *testing.T) {
	for drawn, own := range map[string]string{"refuse": "off", "off": "refuse"} {
		b := newBench(t)
		b.engine.look = true
		with := func(policy, name string) func(*protocol.Request) {
			return func(r *protocol.Request) {
				r.Plan, r.Dir = b.plan(strings.Replace(job, "name: colours\nprivacy", "data_checks: "+policy+"\nname: "+name+
					"\nprivacy", 1)), filepath.Join(b.dir, name)
				r.Refuse = r.Plan.Refuses()
			}
		}
		b.must(with(drawn, "first"))
		second := b.must(with(own, "second"))
		b.expect(second, protocol.StatusRerendered, once+" rerender")
		m, _, err := sink.ReadManifest(second.Dir)
		if err != nil {
			t.Fatal(err)
		}
		stated := strings.Contains(strings.Join(m.Privacy.NotProtected, " "), "data_checks: refuse")
		if stated != (drawn == "refuse") || !strings.Contains(string(m.Job), `"data_checks":"`+drawn+`"`) &&
			!strings.Contains(string(m.Job), `"data_checks": "`+drawn+`"`) {
			t.Errorf("drawn under %s, rendered by %s: stated %t, job %s", drawn, own, stated, m.Job)
		}
		b.expect(b.must(with(own, "second")), protocol.StatusAlready, once+" rerender")
	}
}

// deaf is an engine whose rows cannot be read.
type deaf struct{ *engine }

func (deaf) Aggregate(context.Context, *pipeline.Plan, pipeline.Observer) (*pipeline.Aggregates, error) {
	return nil, errors.New("rows are read")
}

// Whenever a re-rendering is interrupted, the next run completes it, from the same noisy values, at no charge. Bytes
// that were visible do not change.
func TestDeriveIsCutShort(t *testing.T) {
	for _, at := range []string{"Prepare", "Stage", "Publish"} {
		for _, after := range []bool{false, true} {
			b := newBench(t)
			first := b.must(b.presented("first"))
			b.wrap = func(s pipeline.Sink) pipeline.Sink { return &cutSink{Sink: s, at: at, after: after, err: errCut} }
			if _, err := b.run(t.Context(), b.presented("second")); !errors.Is(err, errCut) {
				t.Fatalf("error %v, want %v", err, errCut)
			}
			seen, _ := sink.New().Inspect(t.Context(), filepath.Join(b.dir, "second")) // absent or complete
			b.wrap = nil
			second := b.must(b.presented("second"))
			b.expect(second, second.Status, once+" rerender")
			if seen != "" && seen != second.Digest {
				t.Errorf("%s: what was published changed", at)
			}
			if !slices.Equal(b.noisy(first.Dir), b.noisy(second.Dir)) {
				t.Errorf("%s: other noise", at)
			}
		}
	}
}

// noticing records the staging folder that was prepared last.
type noticing struct {
	pipeline.Sink
	staging *string
}

func (s noticing) Prepare(staging string) error {
	*s.staging = staging
	return s.Sink.Prepare(staging)
}

// A re-rendering that was killed after its folder was renamed, and before its staging folder was removed, leaves
// nothing behind once the next run has ended.
func TestRestOfARerenderingIsRemoved(t *testing.T) {
	b := newBench(t)
	b.must(b.presented("first"))
	staging := ""
	b.wrap = func(s pipeline.Sink) pipeline.Sink { return noticing{s, &staging} }
	b.must(b.presented("second"))
	for _, rest := range []string{"", "note"} {
		if err := os.Mkdir(staging, 0o700); err != nil {
			t.Fatal(err)
		}
		if rest != "" {
			if err := os.WriteFile(filepath.Join(staging, rest), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		b.expect(b.must(b.presented("second")), protocol.StatusAlready, once+" rerender")
		if _, err := os.Stat(staging); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the staging folder is still there (%v)", err)
		}
	}
}

// An interrupted run leaves its noise to a run of another rendering: it is published unchanged, in its own folder,
// and re-rendered.
func TestOtherRenderingFinishes(t *testing.T) {
	for _, at := range []string{"WriteMAC after", "Publish before", "Publish after"} {
		b := newBench(t)
		b.wrap = func(s pipeline.Sink) pipeline.Sink {
			name, when, _ := strings.Cut(at, " ")
			return &cutSink{Sink: s, at: name, after: when == "after", err: errCut}
		}
		if _, err := b.run(t.Context(), b.presented("first")); !errors.Is(err, errCut) {
			t.Fatal(err)
		}
		b.wrap = nil
		second := b.must(b.presented("second"))
		b.expect(second, protocol.StatusRerendered, once+" rerender")
		first := b.must(b.presented("first"))
		b.expect(first, protocol.StatusAlready, once+" rerender")
		if !slices.Equal(b.noisy(first.Dir), b.noisy(second.Dir)) {
			t.Errorf("%s: two noises under one charge", at)
		}
	}
	// Before the release was staged, nobody can have seen its noise, so the other rendering draws its own under the
	// same charge.
	b := newBench(t)
	b.wrap = failing("Stage", errCut)
	if _, err := b.run(t.Context(), b.presented("first")); !errors.Is(err, errCut) {
		t.Fatal(err)
	}
	b.wrap = nil
	b.expect(b.must(b.presented("second")), protocol.StatusReleased, once)
	b.expect(b.must(b.presented("first")), protocol.StatusRerendered, once+" rerender")
}

// If two renderings have one folder, the requested one replaces the other, which is moved aside and returns
// unchanged.
func TestRenderingShareAFolder(t *testing.T) {
	b := newBench(t)
	here := func(name string) func(*protocol.Request) {
		return func(r *protocol.Request) { b.presented(name)(r); r.Dir = filepath.Join(b.dir, "out") }
	}
	first := b.must(here("first"))
	second := b.must(here("second"))
	if second.Moved == "" || second.Status != protocol.StatusRerendered {
		t.Errorf("%+v", second)
	}
	again := b.must(here("first"))
	b.expect(again, protocol.StatusCopied, once+" rerender")
	if again.Digest != first.Digest || again.Moved == "" {
		t.Errorf("%+v", again)
	}
	if o := b.must(here("second")); o.Digest != second.Digest {
		t.Errorf("%+v", o)
	}
	// A foreign folder is never changed.
	other := filepath.Join(b.dir, "other")
	if err := errors.Join(os.Mkdir(other, 0o755), os.WriteFile(filepath.Join(other, "file"), nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	_, err := b.run(t.Context(), func(r *protocol.Request) { b.presented("third")(r); r.Dir = other })
	wantError(t, err, pipeline.CauseOutput, "occupied")
}

// A new release that one rendering pays for is also the new release of renderings that were not published before;
// the others repeat their own bytes.
func TestNewReleaseOfARendering(t *testing.T) {
	b := newBench(t)
	first := b.must(b.presented("first"))
	second := b.must(func(r *protocol.Request) { b.presented("second")(r); r.NewRelease = true })
	b.expect(second, protocol.StatusReleased, once+" reserve seal publish")
	b.expect(b.must(b.presented("first")), protocol.StatusAlready, once+" reserve seal publish")
	third := b.must(b.presented("third"))
	b.expect(third, protocol.StatusRerendered, once+" reserve seal publish rerender")
	if slices.Equal(b.noisy(first.Dir), b.noisy(second.Dir)) || !slices.Equal(b.noisy(second.Dir), b.noisy(third.Dir)) {
		t.Errorf("noise %v, %v, %v", b.noisy(first.Dir), b.noisy(second.Dir), b.noisy(third.Dir))
	}
	// A new release that one rendering began is finished by another, and not charged twice.
	b.wrap = func(s pipeline.Sink) pipeline.Sink { return failing("Publish", errCut)(inSteps{s}) }
	if _, err := b.run(t.Context(),
		func(r *protocol.Request) { b.presented("second")(r); r.NewRelease = true }); !errors.Is(err, errCut) {
		t.Fatal(err)
	}
	b.wrap = nil
	newest := b.must(func(r *protocol.Request) { b.presented("first")(r); r.NewRelease = true })
	b.expect(newest, protocol.StatusRerendered, once+" reserve seal publish rerender reserve seal publish rerender")
}

// A folder that was changed since is not read.
func TestRerenderFromChangedFolder(t *testing.T) {
	b := newBench(t)
	first := b.must(b.presented("first"))
	table := filepath.Join(first.Dir, "colours.csv")
	text, err := os.ReadFile(table)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(table, append(text, '\n'), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = b.run(t.Context(), b.presented("second"))
	wantError(t, err, pipeline.CauseOutput, "lost")
	if err := os.WriteFile(table, text, 0o600); err != nil {
		t.Fatal(err)
	}
	b.expect(b.must(b.presented("second")), protocol.StatusRerendered, once+" rerender")
}

// A lost re-rendering is made again from the same noisy values; a lost first release is not.
func TestLostRendering(t *testing.T) {
	b := newBench(t)
	first := b.must(b.presented("first"))
	second := b.must(b.presented("second"))
	noisy := b.noisy(second.Dir)
	if err := os.RemoveAll(second.Dir); err != nil {
		t.Fatal(err)
	}
	again := b.must(b.presented("second"))
	b.expect(again, protocol.StatusRerendered, once+" rerender rerender")
	if !slices.Equal(noisy, b.noisy(again.Dir)) {
		t.Error("other noise")
	}
	if err := os.RemoveAll(first.Dir); err != nil {
		t.Fatal(err)
	}
	_, err := b.run(t.Context(), b.presented("first"))
	wantError(t, err, pipeline.CauseOutput, "lost")
	if o := b.must(b.presented("third")); o.From != again.Dir {
		t.Errorf("made from %s", o.From)
	}
}
