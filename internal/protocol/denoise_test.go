package protocol_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dprelease/dprelease/configs"
	"github.com/dprelease/dprelease/internal/protocol"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/manifest"
)

// files are public files by base name: columns of values.
type files map[string]map[string][]string

func (f files) read(path, column string, _ bool) ([]string, error) {
	values, ok := f[filepath.Base(path)][column]
	if !ok {
		return nil, fmt.Errorf("no column %s", column)
	}
	return values, nil
}

var streets = files{"edges.csv": {
	"u": {"red", "green"}, "v": {"green", "blue"}, "m": {"10", ""}, "loop": {"red", "blue"}, "wrong": {"red", "pink"},
	"short": {"red"}, "negative": {"1", "-3"}, "text": {"1", "far"}, "zero": {"1", "0"}, "none": {},
}}

// planned makes the plan of the job with other steps for its first query.
func planned(t *testing.T, steps string, read files) (*pipeline.Plan, configs.Diagnostics) {
	t.Helper()
	text := strings.Replace(job, "[{method: nonnegative}]", steps, 1)
	j, diags := configs.Parse("job.yaml", []byte(text), configs.ParseOptions{})
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	return pipeline.New(j, read.read)
}

// The plan refuses steps that do not suit the cells, before anything is spent.
func TestPlanRefusesStepsThatDoNotFit(t *testing.T) {
	for _, c := range []struct{ steps, code, message string }{
		{"[{method: wavelet}]", "needs-order", "wavelet needs cells in an order"},
		{"[{method: isotonic}]", "needs-order", ""},
		{"[{method: tree-ensemble}]", "needs-graph", "tree-ensemble needs a graph"},
		{"[{method: round}, {method: auto}]", "denoise-order", ""},
		{"[{method: auto, graph: {edges: edges.csv, from: u, to: wrong}}]", "public-file",
			`edges.csv:3: wrong: no cell of the query has the key "pink"`},
		{"[{method: auto, graph: {edges: edges.csv, from: u, to: v, length: negative}}]", "public-file",
			"edges.csv:3: its length is -3"},
		{"[{method: auto, graph: {edges: edges.csv, from: u, to: v, length: text}}]", "public-file",
			`edges.csv:3: text: "far" is not a number`},
		{"[{method: auto, graph: {edges: edges.csv, from: u, to: v, weight: zero}}]", "public-file",
			"edges.csv:3: its weight is 0"},
		{"[{method: auto, graph: {edges: edges.csv, from: u, to: short}}]", "public-file", "edges.csv: an edge has no value"},
		{"[{method: auto, graph: {edges: edges.csv, from: u, to: v, length: none}}]", "public-file",
			"edges.csv: an edge has no value"},
		{"[{method: auto, graph: {edges: edges.csv, from: u, to: where}}]", "public-file", "no column where"},
		{"[{method: auto, graph: {edges: people.csv, from: u, to: v}}]", "contradiction", "private input"},
	} {
		p, diags := planned(t, c.steps, streets)
		if p != nil || len(diags) == 0 || diags[0].Code != c.code || !strings.Contains(diags[0].Message, c.message) {
			t.Errorf("%s: %v", c.steps, diags)
		}
	}
	for _, steps := range []string{
		"[{method: tree-ensemble, graph: {edges: edges.csv, from: u, to: v, length: m}}, {method: round}]",
		"[{method: trend-filter, graph: {edges: edges.csv, from: u, to: loop}, k: 1, lambda: 3}]",
		"[{method: tree-wavelet, graph: {edges: edges.csv, from: none, to: none}}]",
	} {
		if _, diags := planned(t, steps, streets); len(diags) > 0 {
			t.Errorf("%s: %v", steps, diags)
		}
	}
}

// The contents of the edge list are part of the rendering: a step draws no noise.
func TestEdgesAreInTheDigest(t *testing.T) {
	const steps = "[{method: trend-filter, graph: {edges: edges.csv, from: u, to: v}}]"
	first, _ := planned(t, steps, streets)
	again, _ := planned(t, steps, streets)
	other, _ := planned(t, steps, files{"edges.csv": {"u": {"red"}, "v": {"blue"}}})
	if first.Fingerprint() != again.Fingerprint() || first.Fingerprint() != other.Fingerprint() {
		t.Error("the question follows the edges")
	}
	if first.Rendering() != again.Rendering() || first.Rendering() == other.Rendering() {
		t.Error("the rendering does not follow the edges")
	}
}

const hours = `
version: 1
name: table
privacy: {epsilon: 1, delta: 1e-6, unit: row}
input: {files: [people.csv]}
queries:
  - name: cells
    histogram:
      by: [{column: person, values: ["1", "2", "3", "4", "5"]}, {column: colour, values: [red, green, blue]}]
    denoise: [{method: james-stein}]
    margins: [colours, all]
  - name: colours
    histogram: {by: [{column: colour, values: [red, green, blue]}]}
    denoise: [{method: auto}]
  - name: all
    count: {}
output: {dir: out}
ledger: {store: "sqlite:ledger.db", dataset: people, budget: {epsilon: 3, delta: 1e-5}}
`

// Margins agree with their table, the manifest states this, and the noisy values are unchanged.
func TestMarginsAgree(t *testing.T) {
	b := newBench(t)
	o := b.must(func(r *protocol.Request) { r.Plan = b.plan(hours) })
	answers := o.Release.Results()
	values := make([][]float64, len(answers))
	for i, r := range answers {
		values[i] = make([]float64, r.Answer.Cells)
		r.Answer.Estimate(0, values[i])
		noisy := make([]float64, r.Answer.Cells)
		r.Answer.Noisy(0, noisy)
		// Single cells of the margins may agree with the table by chance, once in some hundred runs; shrunk cells never
		// all do.
		if i == 0 && slices.Equal(noisy, values[i]) {
			t.Errorf("%s: the estimates are the noisy values", r.Name)
		}
	}
	sums, all := make([]float64, 3), 0.0
	for k, v := range values[0] {
		sums[k%3] += v
		all += v
	}
	for k, v := range sums {
		if math.Abs(v-values[1][k]) > 1e-9 {
			t.Errorf("colour %d: %v in the table, %v in the margin", k, v, values[1][k])
		}
	}
	if math.Abs(all-values[2][0]) > 1e-9 {
		t.Errorf("all: %v in the table, %v in the count", all, values[2][0])
	}
	m := manifestOf(t, o.Dir)
	for i, want := range []string{"made consistent with all", "made consistent with cells", "made consistent with cells"} {
		if got := strings.Join(m.Queries[i].Notes, "\n"); !strings.Contains(got, want) {
			t.Errorf("%s: notes %q", m.Queries[i].Name, got)
		}
	}
}

func manifestOf(t *testing.T, dir string) (m manifest.Manifest) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "release.json"))
	if err == nil {
		err = json.Unmarshal(text, &m)
	}
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// The manifest states the choice of auto and the expected error.
func TestManifestSaysWhatWasChosen(t *testing.T) {
	b := newBench(t)
	text := strings.Replace(job, "[{method: nonnegative}]", "[{method: auto}, {method: nonnegative}]", 1)
	o := b.must(func(r *protocol.Request) { r.Plan = b.plan(text) })
	q := manifestOf(t, o.Dir).Queries
	if len(q[0].Notes) == 0 || !strings.HasPrefix(q[0].Notes[0], "auto: chose ") {
		t.Errorf("notes: %q", q[0].Notes)
	}
	if e := q[0].Expected; e == nil || !(e.Low <= e.RMSE && e.RMSE <= e.High) {
		t.Errorf("expected error: %+v", e)
	}
	if q[1].Expected != nil || q[1].Notes != nil {
		t.Errorf("a query without steps: %+v", q[1])
	}
}
