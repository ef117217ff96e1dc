package local_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/dprelease/dprelease/pipeline/local"
	"github.com/dprelease/dprelease/pipeline/partial"
)

// The length of encrypted rows is visible: it depends on their number, and not on their units, cells and values.
func TestLengthsDoNotDependOnValues(t *testing.T) {
	const rows = 40
	question := `
version: 1
name: lengths
privacy: {epsilon: 1, delta: 1e-6, unit: [u], per_unit: {max_rows: 2}}
input: {files: [t.csv], csv: {types: {u: int, v: float}}}
queries:
  - {name: h, histogram: {by: [{column: c, values: [a, b, c]}]}}
  - {name: s, sum: {column: v, clamp: [0, 100]}}
output: {dir: out}
ledger: {store: "sqlite:ledger.db", dataset: suite, budget: {epsilon: 2, delta: 1e-5}}
`
	var want [2]int
	for i, row := range []func(n int) string{
		func(n int) string { return fmt.Sprintf("%d,a,1", n) },
		func(n int) string { return fmt.Sprintf("%d,%c,%d", n, "abc"[n%3], n) },
		func(n int) string { return fmt.Sprintf("%d,a,1", math.MaxInt64-int64(n)*1e15) },
		func(n int) string { return fmt.Sprintf("%d,a,1", n<<(n/(rows-1)*40)) },
	} {
		dir := t.TempDir()
		text := "u,c,v\n"
		for n := range rows {
			text += row(n) + "\n"
		}
		if err := os.WriteFile(filepath.Join(dir, "t.csv"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		p := shardPlan(t, dir, question)
		k := runKey(t)
		e := local.New(dataset(t, p), 1)
		paths, err := sharded{e, t, 1, false, 0}.write(t.Context(), p, k, dir)
		if err != nil {
			t.Fatal(err)
		}
		part, err := os.Stat(paths[0])
		if err != nil {
			t.Fatal(err)
		}
		got := [2]int{int(part.Size())}
		from, to := partial.Range(1, 1, e.Splits())
		if err := e.Pack(t.Context(), p, k, program, from, to, 1, func(_ int, m []byte) { got[1] += len(m) }); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			want = got
		} else if got != want {
			t.Errorf("table %d: a shard's file and the messages of a shuffle have %v bytes, those of other rows %v", i, got,
				want)
		}
	}
}
