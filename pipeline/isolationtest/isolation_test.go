package isolationtest

import (
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/dprelease/dprelease/pipeline/stabilitytest"
)

// search returns a search of so many pairs, the second number for check-long.
func search(t *testing.T, short, long int, draw func(*rand.Rand) (Format, bool)) *Search {
	t.Helper()
	s := &Search{Seed: stabilitytest.Seed(t), Pairs: stabilitytest.Pairs(t, short, long), PerFormat: 20, Draw: draw}
	for range runtime.GOMAXPROCS(0) {
		s.Dirs = append(s.Dirs, stabilitytest.Folder(t))
	}
	old := debug.SetGCPercent(800) // each case lives only briefly
	t.Cleanup(func() { debug.SetGCPercent(old) })
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
	holds(t, search(t, 2000, 600_000, drawText("csv", "csv", "tsv")))
}

// JSON lines.
func TestIsolationOfJSONLines(t *testing.T) { holds(t, search(t, 500, 150_000, drawText("jsonl"))) }

// Parquet and Arrow, every type of a unit.
func TestIsolationOfTypes(t *testing.T) {
	holds(t, search(t, 1000, 250_000, func(r *rand.Rand) (Format, bool) { return DrawBinary(r), true }))
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
	s := search(t, 600, 200_000, foreignText("python csv", "python csv", "python json"))
	s.Write = python(t).Write
	holds(t, s)
}

// The writers of pandas, polars, DuckDB, pyarrow and jq.
func TestIsolationOfLibraries(t *testing.T) {
	s := search(t, 400, 40_000, foreignText("pandas csv", "polars csv", "duckdb csv", "pyarrow csv", "pandas json",
		"polars json", "duckdb json", "jq json"))
	s.Write = python(t, "pandas", "polars", "duckdb", "pyarrow").Write
	holds(t, s)
}

// Parquet and Arrow files of pyarrow.
func TestIsolationOfPyarrow(t *testing.T) {
	s := search(t, 400, 40_000, func(r *rand.Rand) (Format, bool) { return DrawPyarrow(r), true })
	s.Write = python(t, "pyarrow").Write
	holds(t, s)
}
