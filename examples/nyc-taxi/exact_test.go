//go:build check

package main

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dprelease/dprelease/examples/internal/exampletest"
	"github.com/dprelease/dprelease/internal/owntest"
)

var midnight = map[string]string{"day": "2013-01-01", "hour": "00"}

// invented fills data with a small city.
func invented(t *testing.T, data string) {
	t.Helper()
	if err := (city{trips: 3000, cabs: 1200}).write(data); err != nil {
		t.Fatal(err)
	}
}

// original fills dir with the public records, and skips the test if $DPRELEASE_DATA does not name them.
func original(t *testing.T, dir string) {
	t.Helper()
	if testing.Short() {
		t.Skip("18,000 events against 3,874 junctions")
	}
	if !exampletest.Original(t, taxi(), dir) {
		t.Skip("no public records")
	}
}

// The counts of every junction equal the reference if no cab is over its bound.
func TestExactCounts(t *testing.T) {
	owntest.Slow(t)
	if testing.Short() {
		t.Skip("it runs in one goroutine, which takes long with the race detector")
	}
	t.Run("invented", func(t *testing.T) {
		dir, data := exampletest.Folder(t, "max_rows: 5", "max_rows: 1000")
		invented(t, data)
		compare(t, dir, "00")
		compare(t, dir, "01") // drop-offs alone
	})
	t.Run("original", func(t *testing.T) {
		dir, data := exampletest.Folder(t, "max_rows: 5", "max_rows: 1000")
		original(t, dir)
		compare(t, dir, "00")
		if _, err := os.Stat(filepath.Join(data, "nyc_2013-01-01_00h_trips.csv.gz")); err == nil {
			events, junctions := reference(t, data, "2013-01-01 00")
			if len(events) != 9058+8579 || len(perCab(events)) != 4368 || junctions != 3874 {
				t.Errorf("%d events of %d cabs near %d junctions", len(events), len(perCab(events)), junctions)
			}
		}
	})
}

func compare(t *testing.T, dir, hour string) {
	t.Helper()
	events, junctions := reference(t, filepath.Join(dir, "data"), "2013-01-01 "+hour)
	if len(events) < 100 {
		t.Fatalf("%d events prove nothing", len(events))
	}
	want := make([]int64, junctions)
	for _, e := range events {
		want[e.junction]++
	}
	plan := exampletest.Plan(t, filepath.Join(dir, "job.yaml"), map[string]string{"day": "2013-01-01", "hour": hour})
	if diff := cmp.Diff(want, exampletest.Exact(t, plan)[0]); diff != "" {
		t.Errorf("hour %s (-reference +engine): %.2000s", hour, diff)
	}
}

func perCab(events []event) map[string]int64 {
	n := map[string]int64{}
	for _, e := range events {
		n[e.cab]++
	}
	return n
}

// With the job's own bound, the counted events sum to five for each cab, or to all of a cab's events if it has fewer,
// and nothing is counted that the reference does not have.
func TestBoundedCounts(t *testing.T) {
	owntest.Slow(t)
	for name, fill := range map[string]func(t *testing.T, dir, data string){
		"invented": func(t *testing.T, _, data string) { invented(t, data) },
		"original": func(t *testing.T, dir, _ string) { original(t, dir) },
	} {
		t.Run(name, func(t *testing.T) {
			dir, data := exampletest.Folder(t)
			fill(t, dir, data)
			plan := exampletest.Plan(t, filepath.Join(dir, "job.yaml"), midnight)
			if s := plan.Queries()[0].Sensitivity(); s.L2 != 5 {
				t.Errorf("sensitivity %v, five events at one junction make 5", s.L2)
			}
			events, junctions := reference(t, data, "2013-01-01 00")
			bounded(t, exampletest.Exact(t, plan)[0], events, junctions)
		})
	}
}

func bounded(t *testing.T, got []int64, events []event, junctions int) {
	t.Helper()
	least, most := make([]int64, junctions), make([]int64, junctions)
	cabs := perCab(events)
	for _, e := range events {
		most[e.junction]++
		if cabs[e.cab] <= 5 {
			least[e.junction]++
		}
	}
	var total, want, over int64
	for j, n := range got {
		total += n
		if n < least[j] || n > most[j] {
			t.Errorf("junction %d counts %d, not within %d to %d", j, n, least[j], most[j])
		}
	}
	for _, n := range cabs {
		want += min(n, 5)
		if n > 5 {
			over++
		}
	}
	if total != want || over == 0 {
		t.Errorf("%d events are counted, want %d; %d cabs are over the bound", total, want, over)
	}
}

// Each over-active cab alone counts five events, and none at a junction that it did not visit.
func TestBoundOfEachCab(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs in one goroutine, which takes long with the race detector")
	}
	dir, data := exampletest.Folder(t)
	invented(t, data)
	events, junctions := reference(t, data, "2013-01-01 00")
	all := records(t, filepath.Join(data, syntheticTrips))
	tried := 0
	for cab, n := range perCab(events) {
		if n <= 5 || tried == 20 {
			continue
		}
		tried++
		keepCab(t, data, cab, all)
		plan := exampletest.Plan(t, filepath.Join(dir, "job.yaml"), midnight)
		own := make([]event, 0, n)
		for _, e := range events {
			if e.cab == cab {
				own = append(own, e)
			}
		}
		bounded(t, exampletest.Exact(t, plan)[0], own, junctions)
	}
	if tried == 0 {
		t.Error("no cab is over the bound")
	}
}

// keepCab removes all trips from data except one cab's.
func keepCab(t *testing.T, data, cab string, trips [][]string) {
	t.Helper()
	var out bytes.Buffer
	text := gzip.NewWriter(&out)
	lines := tripsHeader + "\n"
	for _, trip := range trips {
		if trip[0] == cab {
			lines += strings.Join(trip, ",") + "\n"
		}
	}
	if _, err := text.Write([]byte(lines)); err != nil {
		t.Fatal(err)
	}
	if err := text.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(data, syntheticTrips), out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}
