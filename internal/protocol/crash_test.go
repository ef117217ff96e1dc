package protocol_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dprelease/dprelease/internal/owntest"
	"github.com/dprelease/dprelease/internal/protocol"
	"github.com/dprelease/dprelease/io/sink"
	"github.com/dprelease/dprelease/pipeline"
)

var errCut = errors.New("cut short")

// cutSink simulates a process that dies at one call: the call has its effect or not, and nothing happens afterwards.
type cutSink struct {
	pipeline.Sink
	at    string // "Stage", "Publish", …
	after bool   // the call's effect is there
	cut   bool
	err   error
}

func failing(at string, err error) func(pipeline.Sink) pipeline.Sink {
	return func(s pipeline.Sink) pipeline.Sink { return &cutSink{Sink: s, at: at, err: err} }
}

func (c *cutSink) call(name string, f func() error) error {
	if c.cut {
		return c.err
	}
	if name != c.at {
		return f()
	}
	c.cut = true
	if c.after {
		return errors.Join(f(), c.err)
	}
	return c.err
}

func (c *cutSink) Prepare(staging string) error {
	return c.call("Prepare", func() error { return c.Sink.Prepare(staging) })
}

func (c *cutSink) Stage(ctx context.Context, staging, note string, r *pipeline.Release) (digest string, err error) {
	err = c.call("Stage", func() (err error) {
		digest, err = c.Sink.Stage(ctx, staging, note, r)
		return err
	})
	return digest, err
}

func (c *cutSink) WriteMAC(staging, mac string) error {
	return c.call("WriteMAC", func() error { return c.Sink.WriteMAC(staging, mac) })
}

func (c *cutSink) Publish(ctx context.Context, staging, dir string) error {
	return c.call("Publish", func() error { return c.Sink.Publish(ctx, staging, dir) })
}

func (c *cutSink) Discard(staging string) error {
	return c.call("Discard", func() error { return c.Sink.Discard(staging) })
}

func (c *cutSink) Retire(dir, digest string) (moved string, err error) {
	err = c.call("Retire", func() (err error) {
		moved, err = c.Sink.Retire(dir, digest)
		return err
	})
	return moved, err
}

func (c *cutSink) Exchange(ctx context.Context, staging, dir, digest string) error {
	return c.call("Exchange", func() error { return c.Sink.Exchange(ctx, staging, dir, digest) })
}

func (c *cutSink) EndExchange(staging string) (moved string, err error) {
	err = c.call("EndExchange", func() (err error) {
		moved, err = c.Sink.EndExchange(staging)
		return err
	})
	return moved, err
}

// inSteps is a sink on a system that cannot exchange two folders.
type inSteps struct{ pipeline.Sink }

func (inSteps) Exchange(context.Context, string, string, string) error { return errors.ErrUnsupported }

// replacements are the steps in which a release replaces an older one, and the systems that have them.
var replacements = []struct {
	at    string
	after bool
	on    func(pipeline.Sink) pipeline.Sink
}{
	{"Exchange", false, nil}, {"Exchange", true, nil}, {"EndExchange", false, nil}, {"EndExchange", true, nil},
	{"Retire", false, slowly}, {"Retire", true, slowly}, {"Publish", false, slowly}, {"Publish", true, slowly},
}

func slowly(s pipeline.Sink) pipeline.Sink { return inSteps{s} }

// eachReplacement runs f for every step at which a process may die while a release replaces another; dying makes the
// next run die there.
func eachReplacement(t *testing.T, f func(b *bench, dying func())) {
	t.Helper()
	for _, step := range replacements {
		t.Run(step.at+map[bool]string{false: " before", true: " after"}[step.after], func(t *testing.T) {
			b := newBench(t)
			if step.on == nil {
				b.needsExchange()
			}
			b.wrap = step.on
			f(b, func() {
				b.wrap = func(s pipeline.Sink) pipeline.Sink {
					if step.on != nil {
						s = step.on(s)
					}
					return &cutSink{Sink: s, at: step.at, after: step.after, err: errCut}
				}
			})
		})
	}
}

// needsExchange skips the test if the file system of its folder cannot exchange two folders.
func (b *bench) needsExchange() {
	b.Helper()
	one, other := filepath.Join(b.dir, "one"), filepath.Join(b.dir, ".staging-two")
	if err := errors.Join(os.Mkdir(one, 0o755), os.MkdirAll(filepath.Join(other, "release"), 0o700),
		os.WriteFile(filepath.Join(other, "release", "release.json"), nil, 0o600)); err != nil {
		b.Fatal(err)
	}
	err := sink.New().Exchange(b.Context(), other, one, strings.Repeat("0", 64))
	if err := errors.Join(os.RemoveAll(one), os.RemoveAll(other)); err != nil {
		b.Fatal(err)
	}
	if errors.Is(err, errors.ErrUnsupported) {
		b.Skip("the file system cannot let two folders change names in one step")
	}
	if err != nil {
		b.Fatal(err)
	}
}

// Whenever a new release is interrupted while it replaces the old one, both exist in the end, each complete, with one
// charge each.
func TestNewReleaseTakesThePlaceOfTheOld(t *testing.T) {
	eachReplacement(t, func(b *bench, dying func()) {
		first := b.must(b.colourful(false))
		dying()
		if _, err := b.run(b.Context(), b.colourful(true)); !errors.Is(err, errCut) {
			b.Fatalf("error %v, want %v", err, errCut)
		}
		b.wrap = nil
		second := b.must(b.colourful(true))
		b.expect(second, protocol.StatusFinished, once+" reserve seal publish")
		if second.Digest == first.Digest {
			b.Error("the old release is in its place")
		}
		if moved, err := sink.New().Inspect(b.Context(), first.Dir+"."+first.Digest[:8]); err != nil ||
			moved != first.Digest {
			b.Errorf("the old release is gone: %q, %v", moved, err)
		}
	})
}

// If a re-rendering in the same folder is interrupted while it replaces a release, both exist in the end, whichever
// rendering is requested next.
func TestRenderingTakesThePlaceOfAnother(t *testing.T) {
	owntest.Slow(t)
	for _, next := range []string{"first", "second", "third"} {
		eachReplacement(t, func(b *bench, dying func()) {
			here := func(name string) func(*protocol.Request) {
				return func(r *protocol.Request) { b.presented(name)(r); r.Dir = filepath.Join(b.dir, "out") }
			}
			first := b.must(here("first"))
			noisy := b.noisy(first.Dir)
			dying()
			if _, err := b.run(b.Context(), here("second")); !errors.Is(err, errCut) {
				b.Fatalf("error %v, want %v", err, errCut)
			}
			b.wrap = nil
			o := b.must(here(next))
			if !slices.Equal(noisy, b.noisy(o.Dir)) {
				b.Error("other noise")
			}
			if digest, err := sink.New().Inspect(b.Context(), o.Dir); err != nil || digest != o.Digest {
				b.Errorf("the folder holds %q, the outcome says %q (%v)", digest, o.Digest, err)
			}
			if got := b.must(here("first")); got.Digest != first.Digest {
				b.Error("the first rendering is another one")
			}
		})
	}
}

// Wherever a run is cut short, the next one ends with exactly one release under exactly one charge.
func TestCrash(t *testing.T) {
	for _, at := range []string{"Prepare", "Stage", "WriteMAC", "Publish"} {
		for _, after := range []bool{false, true} {
			t.Run(at+map[bool]string{false: " before", true: " after"}[after], func(t *testing.T) {
				b := newBench(t)
				b.wrap = func(s pipeline.Sink) pipeline.Sink {
					return &cutSink{Sink: s, at: at, after: after, err: errCut}
				}
				if _, err := b.run(t.Context(), nil); !errors.Is(err, errCut) {
					t.Fatalf("error %v, want %v", err, errCut)
				}
				b.wrap = nil
				o := b.must(nil)
				spent := b.spent()
				if n := strings.Count(spent, "reserve"); n != 1 {
					t.Errorf("%d charges: %s", n, spent)
				}
				b.expect(o, o.Status, spent)
				if again := b.must(nil); again.Digest != o.Digest {
					t.Error("another run has other bytes")
				}
			})
		}
	}
}
