package graph

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/dprelease/dprelease/internal/csvtest"
)

// The reference files were made with numpy and an independent solver, see their README.

// golden reads a table of reference values by column.
func golden(t testing.TB, name string) map[string][]string {
	t.Helper()
	path := filepath.Join("testdata", name)
	if _, err := os.Stat(path); err != nil {
		path = csvtest.Shared(t, "golden", "denoise", name)
	}
	return csvtest.Columns(t, path)
}

var floats = csvtest.Floats

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

// spanningForest draws one uniform tree of each component.
func spanningForest(t testing.TB, g *Graph) *Forest {
	t.Helper()
	return must(newWalker(g, g.weight).draw(t.Context(), publicStream(0, 0)))(t)
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
