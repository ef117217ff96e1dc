package protocol_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/configs"
	"github.com/dprelease/dprelease/internal/ledger"
	"github.com/dprelease/dprelease/internal/protocol"
	"github.com/dprelease/dprelease/io/sink"
	"github.com/dprelease/dprelease/pipeline"
)

// A reservation that another version of the program calibrated differently is resumed as recorded, if its noise meets
// the guarantee.
func TestOtherCalibration(t *testing.T) {
	for _, c := range []struct {
		factor float64
		meets  bool
	}{{1.25, true}, {0.75, false}} {
		b := newBench(t)
		charge := b.plan(job).Charge(filepath.Join(b.dir, "out"), 1)
		for i := range charge.Mechanisms {
			charge.Mechanisms[i].Sigma *= calibrate.Sigma(c.factor)
		}
		if _, err := b.book().Charge(t.Context(), charge); err != nil {
			t.Fatal(err)
		}
		o, err := b.run(t.Context(), nil)
		if !c.meets {
			var mismatch *ledger.MismatchError
			if !errors.As(err, &mismatch) {
				t.Errorf("less noise than is promised: %v", err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		b.expect(o, protocol.StatusReleased, once)
		m, _, err := sink.ReadManifest(o.Dir)
		if err != nil || m.Queries[0].Mechanisms[0].Sigma != float64(charge.Mechanisms[0].Sigma) || m.Meets() != nil {
			t.Errorf("the manifest states sigma %v, reserved was %v (%v, %v)", m.Queries[0].Mechanisms[0].Sigma,
				charge.Mechanisms[0].Sigma, err, m.Meets())
		}
	}
}

// A reservation with other mechanisms, of another account or with another part of delta is not resumed, even if its
// noise meets the guarantee: it was charged for another release.
func TestOtherCharge(t *testing.T) {
	for name, edit := range map[string]func(*ledger.Charge){
		"sensitivity": func(c *ledger.Charge) { c.Mechanisms[0].Sens.L2 /= 2 },
		"larger":      func(c *ledger.Charge) { c.Mechanisms[0].Sens.L2 *= 2; c.Mechanisms[0].Sigma *= 2 },
		"part":        func(c *ledger.Charge) { c.Mechanisms[0].Query += "/sum" },
		"one less":    func(c *ledger.Charge) { c.Mechanisms = c.Mechanisms[:1] },
		"share":       func(c *ledger.Charge) { c.DeltaShare, c.Budget.DeltaCap = "1e-9", "1e-7" },
		"unit":        func(c *ledger.Charge) { c.Account.Unit = "row" },
		"adjacency":   func(c *ledger.Charge) { c.Account.Adjacency = "replace-one" },
	} {
		b := newBench(t)
		charge := b.plan(job).Charge(filepath.Join(b.dir, "out"), 1)
		edit(&charge)
		if _, err := b.book().Charge(t.Context(), charge); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var mismatch *ledger.MismatchError
		if _, err := b.run(t.Context(), nil); !errors.As(err, &mismatch) {
			t.Errorf("another %s: error %v, want a %T", name, err, mismatch)
		}
		if got := b.spent(); got != "budget reserve" {
			t.Errorf("another %s: ledger %q, want %q", name, got, "budget reserve")
		}
	}
}

// A reservation whose queries had other names is resumed: mechanisms are matched by their order in the job, which is
// part of the fingerprint. The release has the job's names.
func TestRenamedQueries(t *testing.T) {
	b := newBench(t)
	charge := b.plan(job).Charge(filepath.Join(b.dir, "out"), 1)
	charge.Mechanisms[0].Query = "other"
	if _, err := b.book().Charge(t.Context(), charge); err != nil {
		t.Fatal(err)
	}
	o := b.must(nil)
	b.expect(o, protocol.StatusReleased, once)
	m, _, err := sink.ReadManifest(o.Dir)
	if err != nil || m.Queries[0].Name != "colours" || m.Meets() != nil {
		t.Errorf("%+v (%v, %v)", m.Queries, err, m.Meets())
	}
}

// Two units never have the same name in a ledger.
func TestUnitsHaveNamesOfTheirOwn(t *testing.T) {
	names := map[string]configs.Unit{}
	var units []configs.Unit
	for _, columns := range [][]string{nil, {"row"}, {"a", "b"}, {"a,b"}, {`"a"`, "b"}, {`"a","b"`}, {"a"}, {"row", "a"},
		{`"row"`}, {"a", `b"`}, {"upstream a"}, {`upstream "a"`}} {
		units = append(units, configs.Unit{Columns: columns})
	}
	for _, name := range []string{"a", "row", `a"`} {
		units = append(units, configs.Unit{Upstream: &configs.Upstream{Name: name}})
	}
	for _, u := range units {
		name := pipeline.UnitText(u)
		if other, taken := names[name]; taken {
			t.Errorf("the units %v and %v are both named %s", other, u, name)
		}
		names[name] = u
	}
	if name := pipeline.UnitText(configs.Unit{}); name != "row" {
		t.Errorf("rows are named %q, want row", name)
	}
}

// A new release that is interrupted before its seal waits for the next run that asks for a new release: other runs
// return the published one.
func TestNewReleaseWaits(t *testing.T) {
	for _, at := range []string{"Stage before", "Stage after"} {
		b := newBench(t)
		first := b.must(nil)
		again := func(r *protocol.Request) { r.NewRelease = true }
		b.wrap = func(s pipeline.Sink) pipeline.Sink {
			return &cutSink{Sink: s, at: "Stage", after: strings.HasSuffix(at, "after"), err: errCut}
		}
		if _, err := b.run(t.Context(), again); !errors.Is(err, errCut) {
			t.Fatalf("error %v, want %v", err, errCut)
		}
		b.wrap = nil
		if o := b.must(nil); o.Status != protocol.StatusAlready || o.Digest != first.Digest {
			t.Errorf("%s: a plain run has status %s, digest %s", at, o.Status, o.Digest)
		}
		second := b.must(again)
		b.expect(second, second.Status, once+" reserve seal publish")
		if second.Digest == first.Digest {
			t.Error("two releases are equal")
		}
		b.expect(b.must(nil), protocol.StatusAlready, once+" reserve seal publish")
	}
}

// Two jobs want one folder at the same moment: the second is not charged.
func TestFolderIsTaken(t *testing.T) {
	b := newBench(t)
	unlock, err := b.book().LockFolder(t.Context(), filepath.Join(b.dir, "out"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = b.run(t.Context(), nil)
	wantError(t, err, pipeline.CauseBusy, "busy")
	if b.spent() != "" {
		t.Error("a refused run spent something")
	}
	unlock()
	b.must(nil)
}

// A release that was staged on one file system can be published on another.
func TestOtherFileSystem(t *testing.T) {
	const memory = "/dev/shm"
	other, err := os.MkdirTemp(memory, "dprelease")
	if err != nil {
		t.Skipf("no file system at %s: %v", memory, err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(other) })
	b := newBench(t)
	b.wrap = failing("Publish", errCut)
	if _, err := b.run(t.Context(), nil); !errors.Is(err, errCut) {
		t.Fatalf("error %v, want %v", err, errCut)
	}
	b.wrap = nil
	o := b.must(func(r *protocol.Request) { r.Dir = filepath.Join(other, "out") })
	b.expect(o, protocol.StatusFinished, once)
}
