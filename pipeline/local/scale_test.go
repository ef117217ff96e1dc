//go:build unix

package local_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/dprelease/dprelease/internal/mechanism/mechanismtest"
	"github.com/dprelease/dprelease/io/source"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/enginetest"
	"github.com/dprelease/dprelease/pipeline/local"
)

// scaled is a table of rows with a value. The number of rows per unit is mildly heavy-tailed, and categories follow
// Zipf's law.
type scaled struct{ rows, units, categories int }

// scaledRow is one of its rows.
type scaledRow struct {
	Unit  int64   `parquet:"unit"`
	Cat   string  `parquet:"cat,dict"`
	Value float64 `parquet:"value"`
}

const scaledGroup = 1_000_000 // rows of a row group

// path returns the table's Parquet file, and writes it if it is missing. DPRELEASE_SCALE_DIR keeps it between runs.
func (s scaled) path(tb testing.TB) string {
	tb.Helper()
	dir := os.Getenv("DPRELEASE_SCALE_DIR")
	if dir == "" {
		dir = tb.TempDir()
	}
	path := filepath.Join(dir, fmt.Sprintf("rows-%d-units-%d.parquet", s.rows, s.units))
	if _, err := os.Stat(path); err == nil {
		return path
	}
	f, err := os.Create(path + ".part")
	if err != nil {
		tb.Fatal(err)
	}
	w := parquet.NewGenericWriter[scaledRow](f, parquet.MaxRowsPerRowGroup(scaledGroup),
		parquet.Compression(&parquet.Snappy))
	s.write(tb, w)
	for _, err := range []error{w.Close(), f.Close(), os.Rename(path+".part", path)} {
		if err != nil {
			tb.Fatal(err)
		}
	}
	return path
}

func (s scaled) write(tb testing.TB, w *parquet.GenericWriter[scaledRow]) {
	tb.Helper()
	rng := rand.New(rand.NewPCG(10, 20))
	zipf := rand.NewZipf(rng, 1.05, 1, uint64(s.categories-1))
	names := make([]string, s.categories)
	for i := range names {
		names[i] = fmt.Sprintf("cat%04d", i)
	}
	rows := make([]scaledRow, 0, 10_000)
	for range s.rows {
		u := int64(float64(s.units) * math.Pow(rng.Float64(), 1.2))
		rows = append(rows, scaledRow{u, names[zipf.Uint64()], 5 * rng.ExpFloat64()})
		if len(rows) == cap(rows) {
			if _, err := w.Write(rows); err != nil {
				tb.Fatal(err)
			}
			rows = rows[:0]
		}
	}
	if _, err := w.Write(rows); err != nil {
		tb.Fatal(err)
	}
}

// scaledJob asks for one histogram by category.
const scaledJob = `
version: 1
name: scaled
privacy: {epsilon: 1, delta: 1e-9, unit: [unit], per_unit: {%s}}
input: {files: [%q]}
queries:
  - name: categories
    histogram: {by: [{column: cat, values: [%s]}]}
output: {dir: out}
ledger: {store: "sqlite:ledger.db", dataset: scaled, budget: {epsilon: 9, delta: 1e-4}}
`

func (s scaled) plan(tb testing.TB, path, bounds string) *pipeline.Plan {
	tb.Helper()
	var values []byte
	for i := range s.categories {
		values = fmt.Appendf(values, "cat%04d, ", i)
	}
	return enginetest.Plan(tb, "/job.yaml", fmt.Appendf(nil, scaledJob, bounds, path, values))
}

// countsWithin answers the plan's only histogram within some limits.
func countsWithin(tb testing.TB, p *pipeline.Plan, l local.Limits) []int64 {
	tb.Helper()
	in := p.Job().Input
	data, err := source.Open(tb.Context(), source.Options{Files: in.Files})
	if err != nil {
		tb.Fatal(err)
	}
	e := local.NewWithin(data, l)
	defer e.Close()
	a, err := e.Aggregate(tb.Context(), p, pipeline.Silent{})
	if err != nil {
		tb.Fatal(err)
	}
	_, cells := mechanismtest.Open(tb, a.Exacts[0][0])
	return cells
}

// BenchmarkBounded computes a histogram of 10 million rows of 500,000 units in 5,000 categories. MB is the peak memory
// of the process.
func BenchmarkBounded(b *testing.B) {
	s := scaled{rows: 10_000_000, units: 500_000, categories: 5000}
	path := s.path(b)
	for _, bounds := range []string{"max_rows: 4", "max_groups: 4, max_rows_per_group: 1", "max_rows: 1000"} {
		for _, workers := range []int{1, 2} {
			b.Run(fmt.Sprintf("%s/workers=%d", bounds, workers), func(b *testing.B) {
				p := s.plan(b, path, bounds)
				before, n := cpuSeconds(b), 0
				for b.Loop() {
					countsWithin(b, p, local.Limits{Workers: workers})
					n++
				}
				b.ReportMetric((cpuSeconds(b)-before)/float64(n), "cpu-s/op")
				b.ReportMetric(peakMB(b), "MB")
			})
		}
	}
}

// cpuSeconds returns the CPU time of the process so far.
func cpuSeconds(tb testing.TB) float64 {
	tb.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		tb.Fatal(err)
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

// peakMB returns the peak resident memory of the process so far.
func peakMB(tb testing.TB) float64 {
	tb.Helper()
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	var kb float64
	for line := range bytes.Lines(text) {
		if _, err := fmt.Sscanf(string(line), "VmHWM: %f kB", &kb); err == nil {
			return kb / 1000
		}
	}
	return 0
}
