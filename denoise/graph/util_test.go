package graph

import (
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// The reference files were made with numpy and an independent solver, see their README.

// sharedFile returns the path of a file that lies beside the project, or skips the test.
func sharedFile(t testing.TB, parts ...string) string {
	t.Helper()
	root := os.Getenv("DPRELEASE_SHARED")
	path := filepath.Join(append([]string{root}, parts...)...)
	if _, err := os.Stat(path); err != nil {
		t.Skip("the reference data are not here")
	}
	return path
}

// golden reads a table of reference values by column.
func golden(t testing.TB, name string) map[string][]string {
	t.Helper()
	path := filepath.Join("testdata", name)
	if _, err := os.Stat(path); err != nil {
		path = sharedFile(t, "golden", "denoise", name)
	}
	return readTable(t, path)
}

func readTable(t testing.TB, path string) map[string][]string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	table := map[string][]string{}
	for k, column := range rows[0] {
		for _, row := range rows[1:] {
			table[column] = append(table[column], row[k])
		}
	}
	return table
}

func floats(t testing.TB, texts []string) []float64 {
	t.Helper()
	out := make([]float64, len(texts))
	for i, text := range texts {
		var err error
		if out[i], err = strconv.ParseFloat(text, 64); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

func ints(t testing.TB, texts []string) []int {
	t.Helper()
	out := make([]int, len(texts))
	for i, v := range floats(t, texts) {
		out[i] = int(v)
	}
	return out
}

// goldenGraph reads an edge list; weights default to 1.
func goldenGraph(t testing.TB, name string, n int) *Graph {
	t.Helper()
	table := golden(t, name)
	u, v := ints(t, table["u"]), ints(t, table["v"])
	w := floats(t, table["w"])
	edges := make([]Edge, len(u))
	for i := range edges {
		edges[i] = Edge{U: u[i], V: v[i], W: 1}
		if len(w) > 0 {
			edges[i].W = w[i]
		}
	}
	return must(New(n, edges))(t)
}

// must unwraps a result that cannot fail.
func must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func farthest(a, b []float64) (d float64) {
	if len(a) != len(b) {
		return math.Inf(1)
	}
	for i := range a {
		if e := math.Abs(a[i] - b[i]); !(e <= d) {
			d = e
		}
	}
	return d
}
