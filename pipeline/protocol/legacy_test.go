package protocol_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dprelease/dprelease/configs"
	"github.com/dprelease/dprelease/internal/wiring"
	"github.com/dprelease/dprelease/ledger"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/protocol"
)

// The keys under which earlier versions (schema 2 of the ledger) ran a job are still known, so that what they published is never charged
// again. testdata/legacy/keys.txt was made by such a version. A key of a job that is new since must be left out of the old digest if it
// has its default.
func TestLegacyKeys(t *testing.T) {
	keys, err := os.ReadFile("testdata/legacy/keys.txt")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(keys)), "\n")
	if len(lines) < 16 {
		t.Fatalf("%d keys", len(lines))
	}
	for _, line := range lines {
		want, name, _ := strings.Cut(line, " ")
		p, diags := wiring.Plan(t.Context(), filepath.Join("testdata", "legacy", name), configs.ParseOptions{
			Sample: true, Env: func(s string) (string, bool) { return "env-" + s, true },
		})
		if len(diags) > 0 {
			t.Errorf("%s: %v", name, diags)
			continue
		}
		if got := p.LegacyRun(); got != want {
			t.Errorf("%s: key %s, want %s", name, got, want)
		}
	}
}

// legacyCharge is the charge that an earlier version made of the job.
func (b *bench) legacyCharge(plan *pipeline.Plan) ledger.Charge {
	c := plan.Charge(filepath.Join(b.dir, "out"), 1)
	c.Run = plan.LegacyRun()
	return c
}

// What an earlier version charged and did not finish is taken up under that charge; afterwards its release is repeated and presented anew
// like any other.
func TestLegacyReservation(t *testing.T) {
	b := newBench(t)
	if _, err := b.book().Charge(t.Context(), b.legacyCharge(b.plan(job))); err != nil {
		t.Fatal(err)
	}
	first := b.must(nil)
	b.expect(first, protocol.StatusReleased, once)
	b.expect(b.must(nil), protocol.StatusAlready, once)
	other := func(r *protocol.Request) {
		r.Plan, r.Dir = b.plan(strings.Replace(job, "name: colours", "name: hues", 1)), filepath.Join(b.dir, "hues")
	}
	derived := b.must(other)
	b.expect(derived, protocol.StatusDerived, once+" derive")
	b.expect(b.must(other), protocol.StatusAlready, once+" derive")

	// Now that the ledger knows the question of the old key, the folder of the first release is not needed to find it.
	if err := errors.Join(os.RemoveAll(first.Dir), os.RemoveAll(derived.Dir)); err != nil {
		t.Fatal(err)
	}
	_, err := b.run(t.Context(), func(r *protocol.Request) {
		r.Plan, r.Dir = b.plan(strings.Replace(job, "name: colours", "name: third", 1)), filepath.Join(b.dir, "third")
	})
	wantError(t, err, pipeline.CauseOutput, "lost")
	if b.spent() != once+" derive" {
		t.Errorf("ledger %q", b.spent())
	}

	// New noise is charged under the question's own key, once.
	again := b.must(func(r *protocol.Request) { r.NewRelease = true })
	b.expect(again, protocol.StatusReleased, once+" derive reserve seal publish")
	b.expect(b.must(nil), protocol.StatusAlready, once+" derive reserve seal publish")
}

// A charge that an earlier version gave back is none.
func TestLegacyGivenBack(t *testing.T) {
	b := newBench(t)
	book := b.book()
	receipt, err := book.Charge(t.Context(), b.legacyCharge(b.plan(job)))
	if err != nil {
		t.Fatal(err)
	}
	if err := book.Release(t.Context(), receipt); err != nil {
		t.Fatal(err)
	}
	b.expect(b.must(nil), protocol.StatusReleased, "budget reserve release reserve seal publish")
	b.expect(b.must(nil), protocol.StatusAlready, "budget reserve release reserve seal publish")
}
