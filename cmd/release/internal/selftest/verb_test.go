//go:build check

package selftest

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/dprelease/dprelease/cmd/release/internal/console"
	"github.com/dprelease/dprelease/internal/mechanism/selftest"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/manifest"
)

func testProgram() manifest.Program { return manifest.Program{Name: "dprelease", Version: "v1"} }

// A check that fails is named, in text and as JSON, also with --quiet, and is the failure of a
// stated check.
func TestSelftestFails(t *testing.T) {
	checks := []selftest.Check{
		{Name: "good", Measure: "chi-square", Statistic: 1, Threshold: 2, Pass: true},
		{Name: "bad", Measure: "lower bound of mu", Statistic: 1.1, Threshold: 1},
	}
	for _, edit := range []func(*selftester){func(*selftester) {}, func(a *selftester) { a.Quiet = true },
		func(a *selftester) { a.JSON = true }} {
		var out bytes.Buffer
		a := &selftester{console.New(&out, &out), testProgram}
		edit(a)
		var e *pipeline.Error
		if err := a.conclude(checks, time.Second); !errors.As(err, &e) || e.Cause != pipeline.CauseCheck ||
			!strings.Contains(e.Message, "1 of 2 checks failed") {
			t.Errorf("%v", err)
		}
		if !strings.Contains(out.String(), "bad") || !a.JSON && !strings.Contains(out.String(), "FAIL") {
			t.Errorf("%q", &out)
		}
	}
}

// The audit's releases follow its job, with the charged noise.
func TestSelftestRelease(t *testing.T) {
	counts, m, err := (&selftester{nil, testProgram}).releaseIn(t.TempDir(), gaussian)(t.Context(), 2000, 2)
	if err != nil {
		t.Fatal(err)
	}
	if mu := float64(m.Mu()); len(counts) != 2000 || mu < 0.9 || mu > 1.1 || m.Sens.L2 != 1 {
		t.Errorf("%d cells, %+v", len(counts), m)
	}
	sum := 0.0
	for _, c := range counts {
		sum += c
	}
	if mean := sum / 2000; mean < 1.8 || mean > 2.2 { // 9 standard errors
		t.Errorf("two rows a cell, %g on average", mean)
	}
}

// The audit's releases with discovered keys follow its job. About a tenth of the keys of one unit is selected, and all
// keys of many units. With a minimum of three units, a tenth of the keys of three units is selected, and none of the
// keys of two.
func TestSelftestSelects(t *testing.T) {
	// The expected number of 185 depends on the grid of the noise; the bounds are 5.7 standard errors around it.
	for rows, selected := range map[[2]int][2]int{{1, 1}: {110, 260}, {1, 12}: {2000, 2000}, {3, 3}: {110, 260},
		{3, 2}: {0, 0}} {
		s, err := (&selftester{nil, testProgram}).selectIn(t.TempDir())(t.Context(), int64(rows[0]), 2000, rows[1])
		if err != nil {
			t.Fatal(err)
		}
		if n := len(s.Counts); n < selected[0] || n > selected[1] || n != len(s.Sums) || s.Selection.Failure < 0.0999 ||
			s.Selection.Failure > 0.1 || s.Summed.Sens.L2 != 1 {
			t.Errorf("%v least units and rows a key: %d keys are selected with %+v, %d summed with %+v", rows, n, s.Selection,
				len(s.Sums), s.Summed)
		}
	}
}
