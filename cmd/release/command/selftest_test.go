package command

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/dprelease/dprelease/cmd/release/internal/console"
	"github.com/dprelease/dprelease/mechanism/selftest"
)

// TestSelftestFails: a check that fails is named, in text and as JSON, also with --quiet, and ends with exit code 1.
func TestSelftestFails(t *testing.T) {
	checks := []selftest.Check{
		{Name: "good", Measure: "chi-square", Statistic: 1, Threshold: 2, Pass: true},
		{Name: "bad", Measure: "lower bound of mu", Statistic: 1.1, Threshold: 1},
	}
	for _, edit := range []func(*app){func(*app) {}, func(a *app) { a.Quiet = true }, func(a *app) { a.JSON = true }} {
		var out, problems bytes.Buffer
		a := &app{Console: console.New(&out, &problems)}
		edit(a)
		err := a.concludeSelftest(checks, time.Second)
		if code := a.report(t.Context(), err); code != exitCheck {
			t.Errorf("exit code %d", code)
		}
		if !strings.Contains(out.String(), "bad") || !strings.Contains(problems.String(), "1 of 2 checks failed") {
			t.Errorf("%q, %q", &out, &problems)
		}
		if !a.JSON && !strings.Contains(out.String(), "FAIL") {
			t.Errorf("no verdict: %q", &out)
		}
	}
}

// TestSelftestRelease: the audit's releases are those of its job, at the noise that was charged.
func TestSelftestRelease(t *testing.T) {
	counts, m, err := releaseIn(t.TempDir())(t.Context(), 2000, 2)
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
