//go:build check

package main

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dprelease/dprelease/examples/internal/example"
	"github.com/dprelease/dprelease/examples/internal/exampletest"
	"github.com/dprelease/dprelease/examples/internal/experimenttest"
	"github.com/dprelease/dprelease/internal/owntest"
)

// The first run releases the means; the second finds that release and spends nothing. Each noisy mean is within ten
// standard deviations of the truth, so a false alarm has a probability far below 1e-9.
func TestMeans(t *testing.T) {
	owntest.Slow(t)
	dir, data := exampletest.Folder(t)
	invented(t, data)
	if out := exampletest.Run(t, adult(), dir, "--job", "means.yaml"); !strings.Contains(out, "adult-means: released") {
		t.Error(out)
	}
	if out := exampletest.Run(t, adult(), dir, "--job", "means.yaml"); !strings.Contains(out, "nothing was spent") {
		t.Error(out)
	}
	rows := experimenttest.Table(t, filepath.Join(dir, "out", "means"), "age_by_sex")
	if len(rows) != len(sex.values) {
		t.Fatalf("groups %v", rows)
	}
	for i, r := range rows {
		mean, sigma := r.Float("noisy"), r.Float("standard_deviation")
		if truth := meanAge(t, data, sex.values[i]); r["sex"] != sex.values[i] ||
			!(math.Abs(mean-truth) <= 10*sigma && sigma > 0 && sigma <= 5) {
			t.Errorf("%v: the true mean of %s is %g", r, sex.values[i], truth)
		}
	}
}

func meanAge(t *testing.T, data, group string) float64 {
	t.Helper()
	var sum, n float64
	for _, row := range persons(t, data) {
		if row[slices.Index(columns, "sex")] == group {
			age, err := strconv.Atoi(row[0])
			if err != nil {
				t.Fatal(err)
			}
			sum += float64(age)
			n++
		}
	}
	return sum / n
}

// All 27 million cells of the histogram get noise. From 50 to 2,000 of them are in the release, and their estimates are
// above zero.
func TestSparseRelease(t *testing.T) {
	if os.Getenv("DPRELEASE_LONG") == "" {
		t.Skip("with DPRELEASE_LONG: 27 million cells")
	}
	dir, data := exampletest.Folder(t)
	whole(t, data)
	if out := exampletest.Run(t, adult(), dir, "--job", "job.yaml"); !strings.Contains(out, "adult: released") ||
		!strings.Contains(out, "27,000,960") {
		t.Error(out)
	}
	rows := experimenttest.Table(t, filepath.Join(dir, "out", "attributes"), "attributes")
	if len(rows) < 50 || len(rows) > 2000 {
		t.Errorf("%d rows", len(rows))
	}
	for _, r := range rows {
		if !(r.Float("estimate") > 0) {
			t.Fatalf("an estimate of %s is written", r["estimate"])
		}
	}
}

// All tables by one and by two attributes have an error of 4.038 noisy counts at mu = 1, the least of all Gaussian
// noise.
func TestCrosstabsAreNearlyTheBest(t *testing.T) {
	plan, err := example.Plan(t.Context(), "crosstabs.yaml", nil)
	if err != nil {
		t.Fatal(err)
	}
	s, mu := plan.Queries()[0].Strategy, float64(plan.Mu())
	if got := s.Error * mu; len(s.Tables) != 36 || got > 4.039 || s.Error > s.Bound*(1+1e-6) {
		t.Errorf("%d tables, error %g, bound %g", len(s.Tables), got, s.Bound*mu)
	}
}
