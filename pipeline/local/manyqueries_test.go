//go:build unix

package local_test

import (
	"bufio"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/dprelease/dprelease/internal/mechanism/mechanismtest"
	"github.com/dprelease/dprelease/internal/owntest"
	"github.com/dprelease/dprelease/io/source"
	"github.com/dprelease/dprelease/io/source/textfile"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/enginetest"
	"github.com/dprelease/dprelease/pipeline/local"
)

// wide is a CSV file of a unit and columns of numbers with two decimals, and a job that asks for the mean of each
// column or, if histograms is set, for its histogram of 100 cells. If filtered is above 0, it asks for the means under
// this number of filters, each of which keeps other rows.
type wide struct {
	rows, columns int
	histograms    bool
	filtered      int
	limit         int64
}

func (s wide) write(tb testing.TB, path string) {
	tb.Helper()
	f, err := os.Create(path)
	if err != nil {
		tb.Fatal(err)
	}
	w := bufio.NewWriter(f) // Flush returns the first error of all writes
	rng := rand.New(rand.NewPCG(1, 2))
	_, _ = w.WriteString("unit")
	for c := range s.columns {
		_, _ = fmt.Fprintf(w, ",c%d", c)
	}
	for range s.rows {
		_, _ = fmt.Fprintf(w, "\n%d", rng.IntN(s.rows/4))
		for range s.columns {
			_, _ = fmt.Fprintf(w, ",%.2f", 100*rng.Float64())
		}
	}
	for _, err := range []error{w.Flush(), f.Close()} {
		if err != nil {
			tb.Fatal(err)
		}
	}
}

func (s wide) plan(tb testing.TB, path string) *pipeline.Plan {
	tb.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, `
version: 1
name: wide
privacy: {epsilon: 1, delta: 1e-9, unit: [unit], per_unit: {max_rows: 3}}
input: {files: [%q]}
output: {dir: out}
ledger: {store: "sqlite:ledger.db", dataset: wide, budget: {epsilon: 9, delta: 1e-4}}
queries:
`, path)
	for i := range s.filtered {
		fmt.Fprintf(&b, "  - {name: f%d, mean: {column: c0, clamp: [0, 100]}, where: [{column: c%d, max: %d.5}]}\n", i,
			i%s.columns, 50+i/s.columns)
	}
	for c := range s.columns {
		if s.filtered > 0 {
			break
		}
		if s.histograms {
			fmt.Fprintf(&b, "  - {name: q%d, histogram: {by: [{column: c%d, from: 0, to: 100, width: 1}]}}\n", c, c)
		} else {
			fmt.Fprintf(&b, "  - {name: q%d, mean: {column: c%d, clamp: [0, 100]}}\n", c, c)
		}
	}
	return enginetest.Plan(tb, "/job.yaml", []byte(b.String()))
}

// answers returns a digest of the exact answers of all queries.
func (s wide) answers(tb testing.TB, path string, l local.Limits) string {
	tb.Helper()
	p := s.plan(tb, path)
	data, err := source.Open(tb.Context(), source.Options{Files: []string{path}, CSV: textfile.CSV{Header: true}})
	if err != nil {
		tb.Fatal(err)
	}
	e := local.NewWithin(data, l)
	defer e.Close()
	a, err := e.Aggregate(tb.Context(), p, pipeline.Silent{})
	if err != nil {
		tb.Fatal(err)
	}
	h := sha256.New()
	for _, query := range a.Exacts {
		for _, x := range query {
			_, cells := mechanismtest.OpenWide(tb, x)
			_, _ = fmt.Fprintln(h, cells) // a hash returns no error
		}
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}

// A process that answers hundreds of bounded queries keeps to its memory limit: what it holds for each query and row is
// counted, or does not grow with the number of rows. The answers are those without a limit.
func TestManyBoundedQueriesKeepToTheLimit(t *testing.T) {
	owntest.Slow(t)
	if testing.Short() {
		t.Skip("measures memory, of which the race detector needs much more")
	}
	cases := map[string]wide{
		"means":          {rows: 6000, columns: 400, limit: 128 << 20},
		"filtered means": {rows: 30_000, columns: 10, filtered: 400, limit: 128 << 20},
	}
	if os.Getenv("DPRELEASE_LONG") != "" {
		cases["histograms"] = wide{rows: 6000, columns: 400, histograms: true, limit: 160 << 20}
		cases["means of a wide table"] = wide{rows: 16_000, columns: 2000, limit: 512 << 20}
		cases["means of a long table"] = wide{rows: 200_000, columns: 400, limit: 256 << 20}
	}
	if name := os.Getenv("DPRELEASE_TEST_CASE"); name != "" { // the process whose memory is measured
		s := cases[name]
		local.CollectEarly()
		debug.SetMemoryLimit(s.limit - 32<<20)
		path := os.Getenv("DPRELEASE_TEST_FILE")
		answers := s.answers(t, path, local.Limits{Workers: 2, Memory: s.limit, Scratch: t.TempDir()})
		fmt.Printf("answers %s peak %f\n", answers, peakMB(t))
		return
	}
	for name, s := range cases {
		path := filepath.Join(t.TempDir(), "wide.csv")
		s.write(t, path)
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$", "-test.timeout=60m")
		cmd.Env = append(os.Environ(), "DPRELEASE_TEST_CASE="+name, "DPRELEASE_TEST_FILE="+path)
		out, err := cmd.CombinedOutput()
		var answers string
		var peak float64
		if _, scanned := fmt.Sscanf(string(out), "answers %s peak %f", &answers, &peak); err != nil || scanned != nil {
			t.Fatalf("%s: %v\n%s", name, err, out)
		}
		if t.Logf("%s: peak %.0f MB", name, peak); peak > float64(s.limit)/1e6 {
			t.Errorf("%s: the process took %.0f MB, the limit is %.0f MB", name, peak, float64(s.limit)/1e6)
		}
		if want := s.answers(t, path, local.Limits{Workers: 1, Memory: 1 << 40}); answers != want {
			t.Errorf("%s: the limit changed the answers", name)
		}
	}
}

// The columns of a Parquet file are read at the same time. If there is no memory for their pages, the job is refused
// before a file is opened.
func TestWideParquetNeedsMemoryForItsColumns(t *testing.T) {
	s := wide{columns: 400}
	for _, c := range []struct {
		file  string
		limit int64
		fits  bool
	}{
		{"wide.parquet", 128 << 20, false}, {"wide.arrow", 128 << 20, false}, {"wide.parquet", 256 << 20, true},
		{"wide.csv", 128 << 20, true},
	} {
		err := local.Limits{Workers: 1, Memory: c.limit}.Fits(s.plan(t, c.file))
		if (err == nil) != c.fits {
			t.Errorf("%s within %d bytes: %v", c.file, c.limit, err)
		}
	}
}
