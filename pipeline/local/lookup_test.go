package local_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dprelease/dprelease/internal/wiring"
	"github.com/dprelease/dprelease/io/source"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/local"
)

const lookupJob = `version: 1
name: lookups
privacy: {epsilon: 1, delta: 1e-6, unit: row}
input:
  files: [%s]
  %s
  lookups:
    - {file: zones.csv, on: {tick: zone}, add: [borough, area], types: {area: int}, prefix: at_}
    - {file: codes.csv, on: {at_borough: name}, add: [code]}
  where: [{column: at_area, min: 3}, {column: tick, max: 899}]
queries:
  - {name: codes, histogram: {by: [{column: code, values: [n, s], null: bin}]}}
  - {name: area, sum: {column: at_area, clamp: [0, 8], by: [{column: at_borough, values: [north, south, west], null: bin}]}}
output: {dir: out}
ledger: {store: "sqlite:ledger.db", dataset: lookups, budget: {epsilon: 9, delta: 1e-4}}
`

// lookedUp returns the exact answers of lookupJob on ticks in a file.
func lookedUp(t *testing.T, name string, content []byte, csv string) [][]int64 {
	t.Helper()
	dir := t.TempDir()
	zones := "zone,borough,area\n"
	for i := 0; i < 1000; i += 2 {
		zones += fmt.Sprintf("%d,%s,%d\n", i, []string{"north", "south", "west", ""}[i/2%4], i%9)
	}
	for file, text := range map[string][]byte{name: content, "zones.csv": []byte(zones),
		"codes.csv": []byte("name,code\nnorth,n\nsouth,s\n")} {
		if err := os.WriteFile(filepath.Join(dir, file), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p := planTables(t, dir, fmt.Sprintf(lookupJob, name, csv))
	data, err := source.Open(t.Context(), wiring.SourceOptions(p.Job()))
	if err != nil {
		t.Fatal(err)
	}
	e := local.New(data, 2)
	defer e.Close()
	if diags := p.CheckWith(e); len(diags) > 0 {
		t.Fatal(diags)
	}
	a, err := e.Aggregate(t.Context(), p, pipeline.Silent{})
	if err != nil {
		t.Fatal(err)
	}
	if left := local.LeftOut(t, e, p); name == "a.parquet" && left != 1 {
		t.Errorf("%d row groups are left out, want the last one: files state nothing of derived columns", left)
	}
	return sums(t, a)
}

// Lookups give the same answers as a join in a loop over all rows, in each format.
func TestLookups(t *testing.T) {
	codes, area := map[string]int64{}, map[string]int64{}
	for i := range 900 {
		if i%2 == 1 || i%9 < 3 {
			continue // no zone, or an area that is not counted
		}
		borough := []string{"north", "south", "west", ""}[i/2%4]
		code, known := map[string]string{"north": "n", "south": "s"}[borough]
		if !known {
			code = "null"
		}
		codes[code]++
		area[borough] += int64(i % 9)
	}
	want := [][]int64{{codes["n"], codes["s"], codes["null"]}, {area["north"], area["south"], area["west"], area[""]}}
	if slices.Contains(slices.Collect(maps.Values(codes)), 0) {
		t.Fatal("a cell has no row")
	}
	var lines strings.Builder
	lines.WriteString("tick,x\n")
	for i := range 1000 {
		fmt.Fprintf(&lines, "%d,1\n", i)
	}
	for name, got := range map[string][][]int64{
		"parquet": lookedUp(t, "a.parquet", ticks(t), "statistics: use"),
		"csv":     lookedUp(t, "a.csv", []byte(lines.String()), "csv: {types: {tick: int}}"),
		"floats":  lookedUp(t, "a.csv", []byte(lines.String()), "csv: {types: {tick: float}}"),
	} {
		if !slices.EqualFunc(got, want, slices.Equal[[]int64]) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}
