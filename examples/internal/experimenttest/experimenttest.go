// Package experimenttest holds the helpers that the tests of the experiments share: a quick run, its tables, and the
// reference tables.
package experimenttest

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/dprelease/dprelease/examples/internal/experiment"
	"github.com/dprelease/dprelease/internal/csvtest"
)

// Quick runs an experiment with --quick and returns the folder of its files. With -short, it skips the test: the
// concurrent code is in packages experiment and trial, which have their own tests.
func Quick(t *testing.T, e experiment.Experiment, more ...string) string {
	t.Helper()
	if testing.Short() {
		t.Skip("a whole experiment")
	}
	dir := t.TempDir()
	args := append([]string{"--quick", "--out", dir}, more...)
	if err := e.Execute(t.Context(), args, t.Output()); err != nil {
		t.Fatal(err)
	}
	return dir
}

// Row is a row of a table, by column.
type Row = csvtest.Row

// Table reads NAME.csv in the folder dir. The test fails if it has no rows.
func Table(t *testing.T, dir, name string) []Row {
	t.Helper()
	return table(t, filepath.Join(dir, name+".csv"))
}

// Golden reads a reference table below $DPRELEASE_SHARED/golden. It skips the test if the variable is not set.
func Golden(t *testing.T, path string) []Row {
	t.Helper()
	return table(t, csvtest.Shared(t, "golden", filepath.FromSlash(path)))
}

func table(t *testing.T, path string) []Row {
	t.Helper()
	rows := csvtest.Rows(t, path)
	if len(rows) == 0 {
		t.Fatalf("%s has no rows", path)
	}
	return rows
}

// Figures checks that there is a PNG and an SVG of each name.
func Figures(t *testing.T, dir string, names ...string) {
	t.Helper()
	for _, name := range names {
		for extension, start := range map[string]string{".png": "\x89PNG", ".svg": "<?xml"} {
			content, err := os.ReadFile(filepath.Join(dir, name+extension))
			if err != nil || !bytes.HasPrefix(content, []byte(start)) || len(content) < 2000 {
				t.Errorf("figure %s%s: %d bytes, %v", name, extension, len(content), err)
			}
		}
	}
}

// Alarm is the number of standard errors that a statistical check allows. If the error is normal, the check fails by
// chance with a probability below 1e-9.
const Alarm = 6.2

// Results are the rows of a table that lists the errors of mechanisms.
type Results []Row

// At returns the mean error of a mechanism for an epsilon and a dimension d, and its standard error. The test fails if
// there is no such row.
func (r Results) At(t *testing.T, eps float64, d int, mechanism string) (mean, stdErr float64) {
	t.Helper()
	for _, row := range r {
		if row.Float("eps") == eps && row["d"] == strconv.Itoa(d) && row["mechanism"] == mechanism {
			return row.Float("mean_err"), row.Float("std_err")
		}
	}
	t.Fatalf("no %s at eps %g, d %d", mechanism, eps, d)
	return 0, 0
}

// Order checks that the mean error of each mechanism is below the next one's by more than chance explains.
func (r Results) Order(t *testing.T, eps float64, d int, mechanisms ...string) {
	t.Helper()
	for i := 1; i < len(mechanisms); i++ {
		less, a := r.At(t, eps, d, mechanisms[i-1])
		more, b := r.At(t, eps, d, mechanisms[i])
		if more-less <= Alarm*math.Hypot(a, b) {
			t.Errorf("eps %g, d %d: %s has %g ± %g, not clearly below %s with %g ± %g", eps, d, mechanisms[i-1], less, a,
				mechanisms[i], more, b)
		}
	}
}

// Slope checks how a mechanism's error grows with the dimension d. From d = want[0] to want[1] it must grow as
// d^want[2], up to the tolerance want[3] and chance.
func (r Results) Slope(t *testing.T, mechanism string, eps float64, want [4]float64) {
	t.Helper()
	from, to, slope, tolerance := int(want[0]), int(want[1]), want[2], want[3]
	low, a := r.At(t, eps, from, mechanism)
	high, b := r.At(t, eps, to, mechanism)
	span := math.Log(want[1] / want[0])
	got, chance := math.Log(high/low)/span, math.Hypot(a/low, b/high)/span
	if math.Abs(got-slope) > tolerance+Alarm*chance {
		t.Errorf("eps %g: %s grows as d^%.4f ± %.4f, want d^%g", eps, mechanism, got, chance, slope)
	}
}

// Agree compares the results with an independently computed table. At every point they must differ by less than five
// standard errors of the difference. All seeds are fixed, so the comparison has the same result each time.
func (r Results) Agree(t *testing.T, golden []Row) {
	t.Helper()
	for _, g := range golden {
		d, err := strconv.Atoi(g["d"])
		if err != nil {
			t.Fatal(err)
		}
		mean, stdErr := r.At(t, g.Float("eps"), d, g["mechanism"])
		if allowed := 5*math.Hypot(stdErr, g.Float("std_err")) + 1e-9; math.Abs(mean-g.Float("mean_err")) > allowed {
			t.Errorf("%v: here %g ± %g", g, mean, stdErr)
		}
	}
}
