// Package enginetest is the conformance suite of engines. It checks that exact answers depend only on the rows, not on
// files or workers, and that bounds are enforced. It reads exact answers through package mechanismtest.
package enginetest

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dprelease/dprelease/configs"
	"github.com/dprelease/dprelease/internal/mechanism/mechanismtest"
	"github.com/dprelease/dprelease/pipeline"
)

// Open opens an engine on the input of a plan's job, with a number of workers.
type Open func(t *testing.T, p *pipeline.Plan, workers int) pipeline.Engine

// Suite runs every test on the engine that open returns.
func Suite(t *testing.T, open Open) {
	t.Run("only the rows count", func(t *testing.T) { testInvariance(t, open) })
	t.Run("bounds hold", func(t *testing.T) { testBounds(t, open) })
	t.Run("alone and beside others", func(t *testing.T) { testBeside(t, open) })
	t.Run("digest", func(t *testing.T) { testDigest(t, open) })
	t.Run("empty table", func(t *testing.T) { testEmpty(t, open) })
}

// Fails aggregates the suite's table with an engine that must fail, and passes the error to check.
func Fails(t *testing.T, open Open, check func(*testing.T, error)) {
	t.Helper()
	dir := t.TempDir()
	write(t, dir, "all.csv", table(3000))
	p := plan(t, dir, "all.csv")
	e := open(t, p, 2)
	defer e.Close()
	_, err := e.Aggregate(t.Context(), p, pipeline.Silent{})
	check(t, err)
}

const job = `
version: 1
name: suite
privacy: {epsilon: 1, delta: 1e-6, unit: [person], per_unit: {max_rows: 5}}
input: {files: [%s], csv: {types: {age: int}}}
queries:
  - name: colours
    histogram:
      by: [{column: colour, values: {warm: [red, orange], cold: [blue]}, other: bin, null: bin}]
  - name: ages
    histogram:
      by:
        - {column: age, edges: [0, 20, 40, 60]}
        - {column: colour, values: [red, blue]}
    per_unit: {max_groups: 2, max_rows_per_group: 2}
  - name: all
    count: {}
  - name: active
    histogram: {by: [{column: colour, values: [red, orange, blue], other: bin}], noise: auto}
    per_unit: {max_groups: 3, max_rows_per_group: 1}
output: {dir: out}
ledger: {store: "sqlite:ledger.db", dataset: suite, budget: {epsilon: 2, delta: 1e-5}}
`

// row is a row of the CSV file: a person, an age and a colour.
type row [3]string

// table returns n rows. The persons have very different numbers of rows, some above every bound.
func table(n int) []row {
	rng := rand.New(rand.NewPCG(7, 11))
	colours := []string{"red", "orange", "blue", "green", "red", "blue"}
	rows := make([]row, n)
	for i := range rows {
		person := int(60 * rng.Float64() * rng.Float64() * rng.Float64())
		rows[i] = row{strconv.Itoa(person), strconv.Itoa(rng.IntN(70)), colours[rng.IntN(len(colours))]}
	}
	return rows
}

func write(t *testing.T, dir, name string, rows []row) {
	t.Helper()
	var b strings.Builder
	b.WriteString("person,age,colour\n")
	for _, r := range rows {
		b.WriteString(strings.Join(r[:], ",") + "\n")
	}
	if err := os.WriteFile(filepath.Join(dir, name), []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
}

func plan(t *testing.T, dir, files string) *pipeline.Plan {
	t.Helper()
	return writtenPlan(t, dir, fmt.Appendf(nil, job, files))
}

// writtenPlan does the same as Plan, and also writes the job file, for engines whose workers read it.
func writtenPlan(t *testing.T, dir string, job []byte) *pipeline.Plan {
	t.Helper()
	path := filepath.Join(dir, "job.yaml")
	if err := os.WriteFile(path, job, 0o600); err != nil {
		t.Fatal(err)
	}
	return Plan(t, path, job)
}

// Plan makes the plan of a job as if its file were at path. The job must name no public files.
func Plan(tb testing.TB, path string, job []byte) *pipeline.Plan {
	tb.Helper()
	j, diags := configs.Parse(path, job, configs.ParseOptions{})
	if len(diags) > 0 {
		tb.Fatal(diags)
	}
	p, diags := pipeline.New(j, nil)
	if len(diags) > 0 {
		tb.Fatal(diags)
	}
	return p
}

// exact returns the exact cells of every component in the suite's job, in multiples of the component's quantum.
func exact(t *testing.T, open Open, p *pipeline.Plan, workers int) [][]int64 {
	t.Helper()
	e := open(t, p, workers)
	defer e.Close()
	a, err := e.Aggregate(t.Context(), p, pipeline.Silent{})
	if err != nil {
		t.Fatal(err)
	}
	var out [][]int64
	for _, components := range a.Exacts {
		for _, x := range components {
			_, wide := mechanismtest.OpenWide(t, x)
			cells := make([]int64, len(wide))
			for i, n := range wide {
				cells[i] = n.Int64()
			}
			out = append(out, cells)
		}
	}
	return out
}

// testInvariance checks that answers are the same for any number of workers, any split into files and any order of
// rows.
func testInvariance(t *testing.T, open Open) {
	rows := table(3000)
	dir := t.TempDir()
	write(t, dir, "all.csv", rows)
	want := exact(t, open, plan(t, dir, "all.csv"), 1)
	rng := rand.New(rand.NewPCG(1, 2))
	for trial := range 6 {
		dir := t.TempDir()
		shuffled := slices.Clone(rows)
		rng.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		files := []int{3, 1, 5, 2, 9, 20}[trial]
		for i := range files {
			write(t, dir, fmt.Sprintf("part-%d.csv", i), shuffled[i*len(rows)/files:(i+1)*len(rows)/files])
		}
		workers := []int{1, 2, 3, 5, 8, 16}[trial]
		got := exact(t, open, plan(t, dir, "part-*.csv"), workers)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%d files, %d workers: %s", files, workers, diff)
		}
	}
}

// testBounds checks that max_rows: 5 keeps min(5, rows) rows of each unit. A query with common noise has one more
// component: the number of units with a row, in which each unit counts once.
func testBounds(t *testing.T, open Open) {
	rows := table(3000)
	dir := t.TempDir()
	write(t, dir, "all.csv", rows)
	active := map[string]int64{}
	for _, r := range rows {
		active[r[0]]++
	}
	var want int64
	for _, n := range active {
		want += min(n, 5)
	}
	got := exact(t, open, plan(t, dir, "all.csv"), 2)
	var colours int64
	for _, n := range got[0] {
		colours += n
	}
	if colours != want || got[2][0] != want {
		t.Errorf("%d rows in the histogram, %d in the count, want %d", colours, got[2][0], want)
	}
	if len(got) != 5 || got[4][0] != int64(len(active)) {
		t.Errorf("%v units have a row, want %d", got[4:], len(active))
	}
}

// testBeside checks that a query keeps as many rows of a unit beside other queries as in a job of its own. Queries that
// bound the cells of a unit also keep the same cells, so their answers are equal.
func testBeside(t *testing.T, open Open) {
	dir := t.TempDir()
	write(t, dir, "all.csv", table(3000))
	together := exact(t, open, plan(t, dir, "all.csv"), 2)
	head, rest, _ := strings.Cut(job, "queries:\n")
	list, tail, _ := strings.Cut(rest, "output:")
	for i, query := range strings.Split(list, "  - name: ")[1:] {
		text := head + "queries:\n  - name: " + query + "output:" + tail
		alone := exact(t, open, writtenPlan(t, dir, fmt.Appendf(nil, text, "all.csv")), 2)[0]
		sum, want := int64(0), int64(0)
		for k, n := range alone {
			want += n
			sum += together[i][k]
		}
		if sum != want || i > 0 && !slices.Equal(together[i], alone) {
			t.Errorf("query %d: %v beside others, %v alone", i, together[i], alone)
		}
	}
}

// testDigest checks that Digest returns the same digest as Aggregate, for any number of workers, and a different digest
// for other rows.
func testDigest(t *testing.T, open Open) {
	dir := t.TempDir()
	write(t, dir, "a.csv", table(100))
	p := plan(t, dir, "a.csv")
	e := open(t, p, 2)
	defer e.Close()
	a, err := e.Aggregate(t.Context(), p, pipeline.Silent{})
	if err != nil {
		t.Fatal(err)
	}
	same, err := e.Digest(t.Context(), p, pipeline.Silent{})
	if err != nil || !slices.Equal(same, a.Input) {
		t.Errorf("digest %x, %v; aggregate said %x", same, err, a.Input)
	}
	write(t, dir, "a.csv", table(101))
	f := open(t, p, 1)
	defer f.Close()
	if other, err := f.Digest(t.Context(), p, pipeline.Silent{}); err != nil || slices.Equal(other, same) {
		t.Errorf("another table has the same digest (%v)", err)
	}
}

func testEmpty(t *testing.T, open Open) {
	dir := t.TempDir()
	write(t, dir, "none.csv", nil)
	for i, cells := range exact(t, open, plan(t, dir, "none.csv"), 2) {
		for _, n := range cells {
			if n != 0 {
				t.Errorf("query %d counts %d in an empty table", i, n)
			}
		}
	}
}
