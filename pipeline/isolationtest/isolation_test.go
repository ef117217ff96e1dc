package isolationtest

import (
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/dprelease/dprelease/pipeline/stabilitytest"
)

// The long form tries 10 to 80 times as many pairs as the short form, fewer if their writer is slow. It covers every
// dialect of text files and every type of Parquet and Arrow, as these tests, Python's csv and json, pandas, polars,
// DuckDB, pyarrow, jq and PostgreSQL write them, and files with long data (long_test.go). It takes about a quarter of an
// hour of one core, and less than 2 GB. DPRELEASE_PAIRS replaces the number of pairs of each test, and DPRELEASE_SEED
// chooses other pairs.

// maxMemory is the memory in bytes near which Go collects garbage more often during a search.
const maxMemory = 1 << 30

// search returns a search of so many pairs, the second number for the long form.
func search(t *testing.T, short, long int, draw func(*rand.Rand) (Format, bool)) *Search {
	t.Helper()
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

// holds runs a search. Of at least fifty formats three fifths must be ones that jobs can have, and half of the pairs
// must be compared; fewer formats may be unlucky ones.
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

// Delimited text in every dialect that jobs can state.
func TestIsolationOfCSV(t *testing.T) {
	holds(t, search(t, 2000, 120_000, drawText("csv", "csv", "tsv")))
}

// JSON lines.
func TestIsolationOfJSONLines(t *testing.T) { holds(t, search(t, 500, 40_000, drawText("jsonl"))) }

// Parquet and Arrow, every type of a unit.
func TestIsolationOfTypes(t *testing.T) {
	holds(t, search(t, 1000, 80_000, func(r *rand.Rand) (Format, bool) { return DrawBinary(r), true }))
}

// python starts Python, if it has some packages.
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

// Python's own csv and json.
func TestIsolationOfPython(t *testing.T) {
	s := search(t, 600, 20_000, foreignText("python csv", "python csv", "python json"))
	s.Write = python(t).Write
	holds(t, s)
}

// The writers of pandas, polars, DuckDB, pyarrow and jq.
func TestIsolationOfLibraries(t *testing.T) {
	s := search(t, 400, 4000, foreignText("pandas csv", "polars csv", "duckdb csv", "pyarrow csv", "pandas json",
		"polars json", "duckdb json", "jq json"))
	s.Write = python(t, "pandas", "polars", "duckdb", "pyarrow").Write
	holds(t, s)
}

// Parquet and Arrow files of pyarrow.
func TestIsolationOfPyarrow(t *testing.T) {
	s := search(t, 400, 8000, func(r *rand.Rand) (Format, bool) { return DrawPyarrow(r), true })
	s.Write = python(t, "pyarrow").Write
	holds(t, s)
}
