package protocol_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dprelease/dprelease/internal/ledger"
	"github.com/dprelease/dprelease/internal/protocol"
	"github.com/dprelease/dprelease/pipeline"
)

const once = "budget reserve seal publish"

func TestRunOnce(t *testing.T) {
	b := newBench(t)
	first := b.must(nil)
	b.expect(first, protocol.StatusReleased, once)
	again := b.must(nil)
	b.expect(again, protocol.StatusAlready, once)
	if again.Digest != first.Digest {
		t.Error("the same run again has another digest")
	}
}

func TestOtherFolder(t *testing.T) {
	b := newBench(t)
	first := b.must(nil)
	o := b.must(func(r *protocol.Request) { r.Dir = filepath.Join(b.dir, "elsewhere") })
	b.expect(o, protocol.StatusCopied, once)
	if o.Digest != first.Digest {
		t.Error("the copy has another digest")
	}
}

// colourful has so many cells that two releases are equal with a probability below 1e-20: each cell is equal with a
// probability below 0.02.
func (b *bench) colourful(again bool) func(*protocol.Request) {
	text := strings.Replace(job, "[red, green, blue]",
		"[red, green, blue, cyan, pink, grey, gold, lime, navy, plum, teal, rust]", 1)
	return func(r *protocol.Request) { r.Plan, r.NewRelease = b.plan(text), again }
}

func TestNewRelease(t *testing.T) {
	b := newBench(t)
	first := b.must(b.colourful(false))
	second := b.must(b.colourful(true))
	b.expect(second, protocol.StatusReleased, once+" reserve seal publish")
	if second.Digest == first.Digest {
		t.Error("two releases are equal")
	}
	if !strings.HasPrefix(second.Moved, first.Dir+".") {
		t.Errorf("the old folder is at %q", second.Moved)
	}
	b.expect(b.must(b.colourful(false)), protocol.StatusAlready, once+" reserve seal publish")
}

func TestOccupied(t *testing.T) {
	b := newBench(t)
	if err := os.MkdirAll(filepath.Join(b.dir, "out"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(b.dir, "out", "precious"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := b.run(t.Context(), nil)
	wantError(t, err, pipeline.CauseOutput, "occupied")
	if b.spent() != "" {
		t.Error("a refused run spent something")
	}
}

// A failure before the first draw cancels the reservation.
func TestInputFails(t *testing.T) {
	b := newBench(t)
	b.engine.fail = errors.New("damaged")
	_, err := b.run(t.Context(), nil)
	wantError(t, err, pipeline.CauseInput, "input")
	if got := b.spent(); got != "budget reserve cancel" {
		t.Errorf("ledger %q", got)
	}
	b.engine.fail = nil
	b.expect(b.must(nil), protocol.StatusReleased, "budget reserve cancel reserve seal publish")
}

func TestCancelled(t *testing.T) {
	b := newBench(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := b.run(ctx, nil); !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v, want %v", err, context.Canceled)
	}
	b.expect(b.must(nil), protocol.StatusReleased, b.spent())
}

func TestOverBudget(t *testing.T) {
	b := newBench(t)
	greedy := strings.Replace(job, "epsilon: 1,", "epsilon: 4,", 1)
	_, err := b.run(t.Context(), func(r *protocol.Request) { r.Plan = b.plan(greedy) })
	wantError(t, err, pipeline.CauseBudget, "over-budget")
}

func TestBusy(t *testing.T) {
	b := newBench(t)
	unlock, err := b.book().Lock(t.Context(), b.plan(job).Fingerprint())
	if err != nil {
		t.Fatal(err)
	}
	_, err = b.run(t.Context(), nil)
	wantError(t, err, pipeline.CauseBusy, "busy")
	unlock()
	b.must(nil)
}

// The composed mechanisms meet the guarantee, and the weights are kept: mu² is shared 1 to 3.
func TestPlan(t *testing.T) {
	p := newBench(t).plan(job)
	q := p.Queries()
	ratio := float64(q[1].Mu()) / float64(q[0].Mu())
	if r := ratio * ratio; r < 3-1e-9 || r > 3+1e-9 {
		t.Errorf("mu² shares have ratio %v, want 3", r)
	}
	if p.Account() != (ledger.Account{Dataset: "people", Unit: "person", Adjacency: "add-remove"}) {
		t.Errorf("account %+v", p.Account())
	}
}

func wantError(t *testing.T, err error, cause pipeline.Cause, code string) {
	t.Helper()
	var e *pipeline.Error
	if !errors.As(err, &e) || e.Cause != cause || e.Code != code {
		t.Fatalf("error %v, want cause %s, code %s", err, cause, code)
	}
	if e.Hint == "" && code != "input" {
		t.Errorf("%s has no hint", code)
	}
}
