//go:build check

package main

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dprelease/dprelease/examples/internal/exampletest"
	"github.com/dprelease/dprelease/examples/internal/experimenttest"
	"github.com/dprelease/dprelease/internal/owntest"
)

// The example makes a release of the table, as a user runs it. The same run again spends nothing, and a run for another
// hour makes a second release.
func TestRun(t *testing.T) {
	owntest.Slow(t)
	dir, data := exampletest.Folder(t)
	invented(t, data)
	run := func(args ...string) string { return exampletest.Run(t, taxi(), dir, args...) }
	first := run("--job", "job.yaml")
	for _, want := range []string{"$ release run", "nyc-taxi: released", "events_by_junction.csv", "1 release)"} {
		if !strings.Contains(first, want) {
			t.Errorf("the output lacks %q:\n%s", want, first)
		}
	}
	if again := run("--job", "job.yaml"); !strings.Contains(again, "nothing was spent") {
		t.Errorf("the same run again:\n%s", again)
	}
	if later := run("--job", "job.yaml", "--", "--param", "hour=01"); !strings.Contains(later, "2013-01-01-01") ||
		!strings.Contains(later, "2 releases)") {
		t.Errorf("another hour:\n%s", later)
	}
	checkRelease(t, filepath.Join(dir, "out", "2013-01-01-00"))
}

// checkRelease checks that all junctions are in the table, and that their counts have noise: the counts are small
// compared with sigma = 21.6, so nearly half of the noisy ones are below zero. This fraction has a standard deviation
// below 0.0081, and the band is wide enough for a false-alarm rate below 1e-9.
func checkRelease(t *testing.T, dir string) {
	t.Helper()
	rows := experimenttest.Table(t, dir, "events_by_junction")
	below := 0
	for _, r := range rows {
		if x := r.Float("noisy"); math.IsNaN(x) {
			t.Fatal("a noisy count that is not a number")
		} else if x < 0 {
			below++
		}
	}
	if len(rows) != streets*avenues || below < len(rows)*35/100 || below > len(rows)*55/100 {
		t.Errorf("%d rows, %d of them below zero", len(rows), below)
	}
	var manifest struct {
		Privacy struct {
			Epsilon, Delta float64
			Unit           []string
		}
	}
	text, err := os.ReadFile(filepath.Join(dir, "release.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &manifest); err != nil {
		t.Fatal(err)
	}
	if p := manifest.Privacy; p.Epsilon != 1 || p.Delta != 1e-6 || !slices.Equal(p.Unit, []string{"cab_id"}) {
		t.Errorf("the manifest promises %+v", p)
	}
}

// The invented city has the schema and is the same each time.
func TestSyntheticCity(t *testing.T) {
	_, data := exampletest.Folder(t)
	_, other := exampletest.Folder(t)
	invented(t, data)
	invented(t, other)
	if n, err := count(data); err != nil || n != 3000 {
		t.Errorf("%d trips, %v", n, err)
	}
	for _, name := range []string{junctionsFile, syntheticTrips} {
		a, errA := os.ReadFile(filepath.Join(data, name))
		b, errB := os.ReadFile(filepath.Join(other, name))
		if errA != nil || errB != nil || !bytes.Equal(a, b) {
			t.Errorf("%s differs from one time to the next (%v, %v)", name, errA, errB)
		}
	}
	if n := len(records(t, filepath.Join(data, junctionsFile))); n != 3874 {
		t.Errorf("%d junctions", n)
	}
}

// A file of another schema is refused before anything runs on it.
func TestCountRefuses(t *testing.T) {
	_, data := exampletest.Folder(t)
	if err := os.WriteFile(filepath.Join(data, "nyc_x_trips.csv.gz"), []byte("cab_id\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := count(data); err == nil || !strings.Contains(err.Error(), "not compressed") {
		t.Errorf("error %v, want one that says %q", err, "not compressed")
	}
}
