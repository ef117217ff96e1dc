package isolationtest

import (
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/dprelease/dprelease/internal/owntest"
	"github.com/dprelease/dprelease/pipeline/stabilitytest"
)

// The long form tries 10 to 80 times as many pairs as the short form, fewer if their writer is slow. It covers every
// dialect of text files and every type of Parquet and Arrow, as these tests, Python's csv and json, pandas, polars,
// DuckDB, pyarrow, jq and PostgreSQL write them, and files with long data (long_test.go). It takes about a quarter of
// an hour of one core, and less than 2 GB. DPRELEASE_PAIRS replaces the number of pairs of each test, and
// DPRELEASE_SEED chooses other pairs.

// maxMemory is the memory in bytes near which Go collects garbage more often during a search.
const maxMemory = 1 << 30

// search returns a search with the given numbers of pairs in the short and in the long form; quick tests try a quarter
// of the short form's.
func search(t *testing.T, short, long int, draw func(*rand.Rand) (Format, bool)) *Search {
	t.Helper()
	if !owntest.Checking() {
		short /= 4
	}
	s := &Search{Seed: stabilitytest.Seed(t), Pairs: stabilitytest.Pairs(t, short, long), PerFormat: 20, Draw: draw}
	for range runtime.GOMAXPROCS(0) {
		s.Dirs = append(s.Dirs, stabilitytest.Folder(t))
	}
	percent, limit := debug.SetGCPercent(800), debug.SetMemoryLimit(maxMemory) // each case lives only briefly
	t.Cleanup(func() {
		debug.SetGCPercent(percent)
		debug.SetMemoryLimit(limit)
	})
	return s
}

// holds runs a search. Jobs must be able to have three fifths of the formats, and half of the pairs must be compared.
// With fewer than fifty formats this is not checked, since chance may choose bad ones.
func holds(t *testing.T, s *Search) {
	t.Helper()
	r := s.Run()
	t.Log(r)
	if r.Finding != nil {
		t.Fatal(r.Finding)
	}
	if r.Formats < 50 {
		return
	}
	if 5*r.Refused > 2*r.Formats {
		t.Errorf("%d of %d formats were refused", r.Refused, r.Formats)
	}
	if lost := r.Unwritten + r.Failed + r.Doubted; 2*lost > r.Pairs {
		t.Errorf("%d of %d pairs were compared", r.Pairs-lost, r.Pairs)
	}
}

func drawText(formats ...string) func(*rand.Rand) (Format, bool) {
	return func(r *rand.Rand) (Format, bool) { return DrawText(r, pick(r, formats...)) }
}

// Rows and units stay apart in delimited text of every dialect that jobs can state.
func TestIsolationOfCSV(t *testing.T) {
	holds(t, search(t, 2000, 120_000, drawText("csv", "csv", "tsv")))
}

// Rows and units stay apart in JSON lines.
func TestIsolationOfJSONLines(t *testing.T) { holds(t, search(t, 500, 40_000, drawText("jsonl"))) }

// Rows and units stay apart in Parquet and Arrow files, for every type of a unit.
func TestIsolationOfTypes(t *testing.T) {
	holds(t, search(t, 1000, 80_000, func(r *rand.Rand) (Format, bool) { return DrawBinary(r), true }))
}

// python starts Python with some packages. The test is skipped if one of them, or Python itself, is missing.
func python(t *testing.T, packages ...string) *Python {
	t.Helper()
	p, err := StartPython(packages...)
	if err != nil {
		t.Skipf("no Python: %v", err)
	}
	t.Cleanup(func() { _ = p.Close() })
	if len(p.Missing) > 0 {
		t.Skipf("Python has no %v: install them, and name the program in DPRELEASE_PYTHON", p.Missing)
	}
	return p
}

func foreignText(writers ...string) func(*rand.Rand) (Format, bool) {
	return func(r *rand.Rand) (Format, bool) { return DrawForeignText(r, writers...) }
}

// Rows and units stay apart in files that Python's own modules csv and json write.
func TestIsolationOfPython(t *testing.T) {
	owntest.Slow(t)
	s := search(t, 600, 4000, foreignText("python csv", "python csv", "python json"))
	s.Write = python(t).Write
	holds(t, s)
}

// Rows and units stay apart in text files that pandas, polars, DuckDB, pyarrow and jq write.
func TestIsolationOfLibraries(t *testing.T) {
	s := search(t, 400, 2000, foreignText("pandas csv", "polars csv", "duckdb csv", "pyarrow csv", "pandas json",
		"polars json", "duckdb json", "jq json"))
	s.Write = python(t, "pandas", "polars", "duckdb", "pyarrow").Write
	holds(t, s)
}

// Rows and units stay apart in Parquet and Arrow files that pyarrow writes.
func TestIsolationOfPyarrow(t *testing.T) {
	s := search(t, 400, 2000, func(r *rand.Rand) (Format, bool) { return DrawPyarrow(r), true })
	s.Write = python(t, "pyarrow").Write
	holds(t, s)
}
