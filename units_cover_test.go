package dprelease_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/dprelease/dprelease"
)

// regions is the number of groups of people, and people the number of them in each.
const regions, people = 400, 40

// overUnits describes queries whose rows are people: how many there are by the number of different shops, what a person
// spent, in total and on average, and the number of different shops, in total. The clamps cut some.
func overUnits() string {
	var names []string
	for r := range regions {
		names = append(names, strconv.Itoa(r))
	}
	by := "{column: region, values: [" + strings.Join(names, ", ") + "]}"
	return `version: 1
name: people
privacy: {epsilon: 8, delta: 1e-6, unit: [person], adjacency: add-remove}
input: {files: [rows.csv], csv: {types: {spent: int, region: int, person: int}}}
units:
  shops: {count_distinct: shop}
  total: {sum: spent, clamp: [0, 10]}
  region: {max: region}
queries:
  - {name: shops, over: units, histogram: {by: [` + by + `, {column: shops, edges: [1, 2, 3, 65]}]}}
  - {name: distinct, over: units, sum: {column: shops, clamp: [0, 3], by: [` + by + `]}}
  - {name: spent, over: units, sum: {column: total, clamp: [0, 20], by: [` + by + `]}}
  - {name: average, over: units, mean: {column: total, clamp: [0, 20], by: [` + by + `]}}
output: {dir: out, formats: [parquet]}
ledger: {store: "sqlite:ledger.db", dataset: people, budget: {epsilon: 900, delta: 1e-3}}
`
}

// drawPeople writes the rows of people, and returns the exact answers of the queries.
func drawPeople(r *rand.Rand) (rows []byte, truth map[string][]float64) {
	var b bytes.Buffer
	b.WriteString("person,region,shop,spent\n")
	truth = map[string][]float64{"shops": make([]float64, 3*regions)}
	for _, name := range []string{"distinct", "spent", "average"} {
		truth[name] = make([]float64, regions)
	}
	for person := range regions * people {
		region, total, shops := person%regions, 0, map[int]bool{}
		for range 1 + r.IntN(4) {
			shop, spent := r.IntN(5), r.IntN(14)
			shops[shop] = true
			total += min(spent, 10)
			fmt.Fprintf(&b, "%d,%d,s%d,%d\n", person, region, shop, spent)
		}
		truth["shops"][3*region+min(len(shops), 3)-1]++
		truth["distinct"][region] += float64(min(len(shops), 3))
		truth["spent"][region] += float64(min(total, 20))
		truth["average"][region] += float64(min(total, 20)) / people
	}
	return b.Bytes(), truth
}

// The intervals of queries over units cover the bounded answer in 94 to 96 % of 10,000 cases with DPRELEASE_LONG=1, and
// estimates have no bias: from the rows of a file to the published tables. With fewer cases 6.1 standard errors are
// allowed: false alarms of 1e-9.
func TestQueriesOverUnitsCover(t *testing.T) {
	if testing.Short() {
		t.Skip("a release of many rows")
	}
	runs := 2
	if os.Getenv("DPRELEASE_LONG") != "" {
		runs = 10_000 / regions
	}
	held, cases, off, squares := map[string]float64{}, map[string]float64{}, map[string]float64{}, map[string]float64{}
	r := rand.New(rand.NewPCG(2026, 29))
	for range runs {
		dir := t.TempDir()
		rows, truth := drawPeople(r)
		for name, text := range map[string][]byte{"rows.csv": rows, "job.yaml": []byte(overUnits())} {
			if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		job, err := dprelease.Load(t.Context(), filepath.Join(dir, "job.yaml"), nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := job.Run(t.Context(), dprelease.Options{}); err != nil {
			t.Fatal(err)
		}
		release, err := dprelease.Open(t.Context(), filepath.Join(dir, "out"))
		if err != nil {
			t.Fatal(err)
		}
		for name, want := range truth {
			table, err := release.Table(t.Context(), name)
			if err != nil {
				t.Fatal(err)
			}
			if table.Rows != len(want) {
				t.Fatalf("%s has %d rows, want %d", name, table.Rows, len(want))
			}
			for i, x := range want {
				if cases[name]++; table.Low[i] <= x && x <= table.High[i] {
					held[name]++
				}
				off[name] += table.Estimate[i] - x
				squares[name] += (table.Estimate[i] - x) * (table.Estimate[i] - x)
			}
		}
	}
	for name, n := range cases {
		share, bias := held[name]/n, off[name]/n/math.Sqrt(squares[name]/n)
		t.Logf("%-8s %6.0f intervals: %.4f hold; bias %.3f of the error", name, n, share, bias)
		if slack := max(0.01, 6.1*math.Sqrt(0.95*0.05/n)); math.Abs(share-0.95) > slack {
			t.Errorf("%s: %.4f of the intervals hold the answer, want 0.95 ± %.4f", name, share, slack)
		}
		if math.Abs(bias) > 6.1/math.Sqrt(n) {
			t.Errorf("%s: estimates are off by %.3f of their error", name, bias)
		}
	}
}
