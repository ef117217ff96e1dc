package protocol_test

import (
	"strings"
	"testing"

	"github.com/dprelease/dprelease/configs"
	"github.com/dprelease/dprelease/internal/protocol"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/queries/tally"
)

// With --refuse, a run ends before any noise if a column is unusable, cancels its reservation and leaves nothing.
// Without it, the same run makes the release, and a later usable input is released under a charge of its own.
func TestRefuse(t *testing.T) {
	b := newBench(t)
	b.engine.look, b.engine.rows = true, rows{{"1", "Red"}, {"2", "GREEN"}}
	refuse := func(r *protocol.Request) { r.Refuse = true }
	_, err := b.run(t.Context(), refuse)
	wantError(t, err, pipeline.CauseCheck, "data")
	if got := b.spent(); got != "budget reserve cancel" {
		t.Errorf("ledger %q: the reservation is not cancelled", got)
	}
	if text := err.Error(); !strings.Contains(text, "colour") || strings.Contains(text, "GREEN") {
		t.Errorf("the error names a value, or not the column: %s", text)
	}
	o := b.must(nil)
	b.expect(o, protocol.StatusReleased, "budget reserve cancel reserve seal publish")
	if found := b.plan(job).Findings(o.Checks); len(pipeline.Unusable(found)) != 1 {
		t.Errorf("found %v", found)
	}
	good := newBench(t)
	good.engine.look = true
	good.expect(good.must(refuse), protocol.StatusReleased, once)
}

// An engine that does not look at all rows cannot promise to refuse.
func TestRefuseNeedsAllRows(t *testing.T) {
	b := newBench(t)
	_, err := b.run(t.Context(), func(r *protocol.Request) { r.Refuse = true })
	wantError(t, err, pipeline.CauseInside, "internal")
	if got := b.spent(); got != "budget reserve cancel" {
		t.Errorf("ledger %q", got)
	}
}

func TestPercent(t *testing.T) {
	for _, c := range []struct {
		part, whole int64
		want        string
	}{
		{0, 0, "0 %"}, {0, 9, "0 %"}, {9, 9, "100 %"}, {1, 101, "<1 %"}, {1, 100, "1 %"}, {99, 100, "99 %"}, {999, 1000,
			">99 %"},
		{1, 1 << 40, "<1 %"}, {1<<40 - 1, 1 << 40, ">99 %"}, {1, 3, "33 %"}, {2, 3, "67 %"},
	} {
		if got := pipeline.Percent(c.part, c.whole); got != c.want {
			t.Errorf("%d of %d: %q, want %q", c.part, c.whole, got, c.want)
		}
	}
}

// An input without rows is unusable, and so is an input if no row passes the filters, also if statistics rule out all
// rows.
func TestFindingsOfNoRows(t *testing.T) {
	b := newBench(t)
	b.engine.look = true
	filtered := strings.Replace(job, "[people.csv]", "[people.csv], where: [{column: colour, in: [mauve]}]", 1)
	p := b.plan(filtered)
	for name, c := range map[string]*pipeline.DataChecks{"data-empty": {}, "data-filter": {Rows: 5, Skipped: 5}} {
		var err error
		if c.Filters, err = tally.OfFilters(p.Filters(), b.engine.Schema(), nil); err != nil {
			t.Fatal(err)
		}
		found := pipeline.Unusable(p.Findings(c))
		if len(found) != 1 || found[0].Code != name || found[0].Hint == "" {
			t.Errorf("%s: found %v", name, found)
		}
	}
	for file, csv := range map[string]bool{"people.csv": true, "people.parquet": false} {
		p := b.plan(strings.Replace(job, "people.csv", file, 1))
		if found := p.Findings(&pipeline.DataChecks{}); len(found) != 1 || strings.Contains(found[0].Hint, "csv") != csv {
			t.Errorf("%s: found %v", file, found)
		}
		p = b.plan(strings.Replace(filtered, "people.csv", file, 1))
		c := &pipeline.DataChecks{Rows: 5, Skipped: 5}
		var err error
		if c.Filters, err = tally.OfFilters(p.Filters(), b.engine.Schema(), nil); err != nil {
			t.Fatal(err)
		}
		if found := p.Findings(c); len(found) != 1 || strings.Contains(found[0].Hint, "csv") != csv {
			t.Errorf("%s: found %v", file, found)
		}
	}
	if err := pipeline.UnusableError(configs.Diagnostics{}, ""); err != nil {
		t.Errorf("nothing is unusable, and yet %v", err)
	}
}
