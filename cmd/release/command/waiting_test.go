package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dprelease/dprelease/cmd/release/internal/console"
	"github.com/dprelease/dprelease/cmd/release/internal/jobs"
	"github.com/dprelease/dprelease/internal/ledger"
	"github.com/dprelease/dprelease/internal/ledger/sqlstore"
)

// A charge that has been reserved for more than an hour is named by status, by the runs of the dataset and in their
// metrics; a younger one is not. A charge whose date is far ahead of the clock is named too: its age is unknown.
func TestChargesThatWaitAreShown(t *testing.T) {
	p := newProcesses(t, "sqlite:ledger.db", "30")
	path := filepath.Join(p.dir, "colours.yaml")
	store, err := sqlstore.Named(t.Context(), "sqlite:"+filepath.Join(p.dir, "ledger.db"), true)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	for day, age := range map[string]time.Duration{"2013-01-01": 2 * time.Hour, "2013-01-02": time.Minute,
		"2013-01-04": -2 * time.Hour} {
		plan, err := new(jobs.Flags).LoadWith(t.Context(), console.New(&strings.Builder{}, &strings.Builder{}), path,
			map[string]string{"day": day})
		if err != nil {
			t.Fatal(err)
		}
		book := ledger.NewBook(store, func() time.Time { return time.Now().Add(-age) })
		if _, err := book.Charge(t.Context(), plan.Charge(filepath.Join(p.dir, "out-colours", day), 1)); err != nil {
			t.Fatal(err)
		}
	}
	metrics := filepath.Join(p.dir, "release.prom")
	for _, args := range [][]string{
		{"status", path, "--from", "2013-01-01", "--to", "2013-01-03"},
		{"run", path, "--param", "day=2013-01-03", "--metrics", metrics},
	} {
		var stdout, stderr strings.Builder
		execute(t.Context(), args, &stdout, &stderr)
		if n := strings.Count(stderr.String(), "is charged and not published since"); n != 2 ||
			!strings.Contains(stderr.String(), ", which the clock has not reached: ") ||
			!strings.Contains(stderr.String(), "--param day=2013-01-01 is charged") {
			t.Errorf("%s: %s", args[0], stderr.String())
		}
	}
	var stdout, stderr strings.Builder
	execute(t.Context(), []string{"status", path, "--from", "2013-01-01", "--to", "2013-01-03", "--json"}, &stdout, &stderr)
	if text := stdout.String(); strings.Count(text, `"ahead": true`) != 1 || strings.Count(text, `"ahead": false`) != 1 {
		t.Errorf("status --json: %s", text)
	}
	text, err := os.ReadFile(metrics)
	if err != nil || !strings.Contains(string(text), `dprelease_charges_reserved_long{dataset="people"} 2`) {
		t.Errorf("%v: %s", err, text)
	}
}
