package pipeline_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/dprelease/dprelease/pipeline"
)

var errCut = errors.New("cut short")

// cutSink stands for a process that dies at one call: the call's effect is there or not, and nothing after it happens.
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

func (c *cutSink) Vouch(staging, voucher string) error {
	return c.call("Vouch", func() error { return c.Sink.Vouch(staging, voucher) })
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

// Wherever a run is cut short, the next one ends with exactly one release under exactly one charge.
func TestCrash(t *testing.T) {
	for _, at := range []string{"Prepare", "Stage", "Vouch", "Publish"} {
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
