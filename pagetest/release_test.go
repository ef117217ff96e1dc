package pagetest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

var program = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "pagetest")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "release")
	build := exec.Command("go", "build", "-o", path, "./cmd/release")
	build.Dir = ".."
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%v: %s", err, out)
	}
	return path, nil
})

func TestMain(m *testing.M) {
	code := m.Run()
	if path, err := program(); err == nil {
		_ = os.RemoveAll(filepath.Dir(path))
	}
	os.Exit(code)
}

// released runs a job with the given files in its folder and returns the release folder, out.
func released(t *testing.T, files map[string]string) string {
	t.Helper()
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run := exec.Command(path, "run", "job.yaml", "--quiet")
	run.Dir = dir
	if out, err := run.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return filepath.Join(dir, "out")
}

// canary is a text of the data that no cell has.
const canary = "canary-7f3a9c"

// everything returns a release with all kinds of queries; its labels contain markup, formulas and the like.
func everything() map[string]string {
	var rows strings.Builder
	rows.WriteString("sex,age,region,day,lat,lon,income\n")
	regions := []string{"north", "south", "west", "=cmd()", "<script>alert(1)</script>", "\u202eevil", canary}
	for i := range 5000 {
		fmt.Fprintf(&rows, "%s,%d,%s,2024-%02d-%02d %02d:00:00,%.4f,%.4f,%d\n", []string{"Male", "Female"}[i%2], i*7%90,
			regions[i%len(regions)], 1+i%12, 1+i%28, i*i%24,
			40.7+float64(i%190)/1000, -74+float64(i*3%190)/1000, i*13%90000)
	}
	return map[string]string{"t.csv": rows.String(), "job.yaml": `version: 1
name: "many <script>alert(2)</script> kinds"
privacy: {epsilon: 1, delta: 1e-6, unit: row}
input:
  files: [t.csv]
  csv: {types: {sex: text, age: int, region: text, day: timestamp 2006-01-02 15:04:05, lat: float, lon: float, income: int}}
queries:
  - {name: total, count: {}}
  - name: by_region
    histogram: {by: [{column: region, values: [north, south, west, east, centre, "=cmd()", "<script>alert(1)</script>", "\u202Eevil", "` + strings.Repeat("k", 10_000) + `"], other: bin}]}
  - name: by_age
    histogram: {by: [{column: age, from: 0, to: 100, width: 5}], quantiles: [0.25, 0.5, 0.75], cdf: true}
  - name: by_hour_and_day
    histogram: {by: [{column: day, part: day_of_week, as: weekday}, {column: day, part: hour_of_day, as: hour}]}
    denoise: [{method: james-stein}]
  - name: sex_age_region
    histogram: {by: [{column: sex, values: [Male, Female]}, {column: age, edges: [0, 18, 30, 45, 65, 100]}, {column: region, values: [north, south, west]}]}
  - name: age_by_sex
    histogram: {by: [{column: sex, values: [Male, Female]}, {column: age, from: 0, to: 100, width: 10}], quantiles: [0.1, 0.5, 0.9], cdf: true}
  - name: where
    histogram: {by: [{grid: {lat: lat, lon: lon, south: 40.7, west: -74.0, north: 40.9, east: -73.8, rows: 32, cols: 32}}]}
  - name: income
    mean: {column: income, clamp: [0, 90000], by: [{column: sex, values: [Male, Female]}]}
  - {name: income_sum, sum: {column: income, clamp: [0, 90000]}}
  - {name: income_var, variance: {column: income, clamp: [0, 90000]}}
  - name: cross
    crosstabs: {by: [{column: sex, values: [Male, Female]}, {column: region, values: [north, south, west]}, {column: age, edges: [0, 30, 60, 100]}], ways: [1, 2]}
output: {dir: out, formats: [parquet, csv, json]}
deployment: {licence: CC-BY-4.0, curators: ["A <b>city</b>"], description: "All kinds of queries, & more.", published: 2026-11-22}
ledger: {store: "sqlite:ledger.db", dataset: d, budget: {epsilon: 10, delta: 1e-5}}
`}
}

// junctions is the number of points on the map, the junctions of Manhattan's streets.
const junctions = 26 * 149

// city returns a release of events at the junctions of a street map.
func city() map[string]string {
	var points, sections, rows strings.Builder
	points.WriteString("junction,lat,lon\n")
	sections.WriteString("a,b,length\n")
	rows.WriteString("cab,lat,lon\n")
	for y := range 149 {
		for x := range 26 {
			id := y*26 + x
			lat, lon := 40.7+float64(y)*0.0011, -74.02+float64(x)*0.0013+float64(y)*0.0004
			fmt.Fprintf(&points, "j%d,%.5f,%.5f\n", id, lat, lon)
			if x > 0 {
				fmt.Fprintf(&sections, "j%d,j%d,100\n", id-1, id)
			}
			if y > 0 {
				fmt.Fprintf(&sections, "j%d,j%d,120\n", id-26, id)
			}
			for k := range max(0, 12-(x-13)*(x-13)/4-(y-50)*(y-50)/60) {
				fmt.Fprintf(&rows, "%d,%.5f,%.5f\n", id*20+k, lat, lon)
			}
		}
	}
	return map[string]string{"points.csv": points.String(), "sections.csv": sections.String(), "t.csv": rows.String(), "job.yaml": `version: 1
name: city
privacy: {epsilon: 1, delta: 1e-6, unit: row}
input: {files: [t.csv], csv: {types: {cab: int, lat: float, lon: float}}}
queries:
  - name: events
    histogram: {by: [{nearest: {lat: lat, lon: lon, points: points.csv, id: junction, within_m: 150}}]}
    denoise: [{method: tree-ensemble, graph: {edges: sections.csv, from: a, to: b, length: length}}]
output: {dir: out, formats: [csv]}
ledger: {store: "sqlite:ledger.db", dataset: city, budget: {epsilon: 10, delta: 1e-5}}
`}
}
