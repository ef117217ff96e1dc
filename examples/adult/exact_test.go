//go:build check

package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/dprelease/dprelease/examples/internal/exampletest"
	"github.com/dprelease/dprelease/internal/owntest"
	"github.com/dprelease/dprelease/pipeline"
)

// The two histograms, with the cells that the original fills.
var histograms = []struct {
	job           string
	cells, filled int
}{
	{"job.yaml", 27_000_960, 10_100},
	{"income.yaml", 54_001_920, 11_300},
}

const complete = 45_222

func TestCells(t *testing.T) {
	dir, data := exampletest.Folder(t)
	invented(t, data)
	for _, h := range histograms {
		q := exampletest.Plan(t, filepath.Join(dir, h.job), nil).Queries()[0]
		if n := q.Query.Cells(); n != h.cells || !q.Sparse || q.Sensitivity().L2 != 1 {
			t.Errorf("%s: %d cells, sparse: %v, sensitivity %v", h.job, n, q.Sparse, q.Sensitivity().L2)
		}
	}
}

func invented(t *testing.T, data string) { invent(t, data, 2000, 1000) }

// whole fills data with as many invented rows as the original has.
func whole(t *testing.T, data string) { invent(t, data, trainRows, testRows) }

func invent(t *testing.T, data string, train, test int) {
	t.Helper()
	if err := synthetic(data, train, test); err != nil {
		t.Fatal(err)
	}
}

// The exact counts of all cells equal the reference.
func TestExactCounts(t *testing.T) {
	owntest.Slow(t)
	if testing.Short() {
		t.Skip("81 million cells")
	}
	t.Run("invented", func(t *testing.T) {
		dir, data := exampletest.Folder(t)
		invented(t, data)
		jobs := histograms
		if os.Getenv("DPRELEASE_LONG") == "" {
			jobs = jobs[:1]
		}
		for _, h := range jobs {
			compare(t, exampletest.Plan(t, filepath.Join(dir, h.job), nil), data)
		}
	})
	t.Run("original", func(t *testing.T) {
		dir, data := exampletest.Folder(t)
		if !exampletest.Original(t, adult(), dir) {
			t.Skip("no public records")
		}
		for _, h := range histograms {
			rows, filled := compare(t, exampletest.Plan(t, filepath.Join(dir, h.job), nil), data)
			if rows != complete || filled != h.filled {
				t.Errorf("%s: %d complete rows in %d cells", h.job, rows, filled)
			}
		}
	})
}

func compare(t *testing.T, plan *pipeline.Plan, data string) (rows, filled int) {
	t.Helper()
	want, rows := reference(t, data, plan.Job().Queries[0].Histogram.By)
	wrong := 0
	for c, n := range exampletest.Exact(t, plan)[0] {
		if n != want[c] {
			wrong++
		}
		if n != 0 {
			filled++
		}
	}
	if wrong > 0 || filled != len(want) {
		t.Errorf("%s: %d cells are wrong; %d are filled, want %d", plan.Name(), wrong, filled, len(want))
	}
	return rows, filled
}
