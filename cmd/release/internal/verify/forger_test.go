package verify

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"testing"

	"github.com/dprelease/dprelease/configs"
	"github.com/dprelease/dprelease/internal/owntest"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/manifest"
)

// forgedJobs have every kind of query whose manifest states a fact of its own; %s is the privacy block.
var forgedJobs = map[string]string{
	"gaussian": `version: 1
name: kinds
privacy: {epsilon: 4, delta: 1e-6, unit: [person], adjacency: add-remove, per_unit: {max_rows: 8, max_groups: 2, max_rows_per_group: 5}}
input: {files: [people.csv], csv: {types: {age: int, sex: text}}}
queries:
  - {name: all, count: {}}
  - {name: ages, histogram: {by: [{column: sex, values: {woman: [F, f], man: [M, m]}}, {column: age, from: 0, to: 100, width: 10}]}, denoise: [{method: james-stein}]}
  - {name: words, histogram: {by: [{column: word, keys: discover}], min_units: 3}, per_unit: {max_groups: 2, max_rows_per_group: 1}}
  - {name: spent, sum: {column: age, clamp: [0, 100], by: [{column: word, keys: discover}]}}
  - {name: tables, crosstabs: {by: [{column: sex, values: [F, M]}, {column: age, from: 0, to: 100, width: 20}], ways: [1, 2]}}
  - {name: shared, histogram: {by: [{column: age, from: 0, to: 100, width: 5}], noise: auto}}
  - {name: below, histogram: {by: [{column: age, from: 0, to: 128, width: 1}], cdf: true, optimize: cdf}}
  - {name: total, sum: {column: age, clamp: discover, range: [0, 1000]}}
  - {name: rows, count: {}, per_unit: {max_rows: discover, max_rows_up_to: 100}}
  - {name: mean_age, mean: {column: age, clamp: [17, 90], by: [{column: sex, values: [F, M]}]}}
  - {name: variance, variance: {column: age, clamp: [17, 90]}}
output: {dir: out, formats: [csv]}
ledger: {store: "sqlite:ledger.db", dataset: people, budget: {epsilon: 10, delta: 1e-5}}
`,
	"withheld": `version: 1
name: withheld
privacy: {epsilon: 2, delta: 1e-6, unit: [person], per_unit: {max_rows: 3}}
input: {files: [people.csv], csv: {types: {age: int}}}
queries:
  - {name: words, histogram: {by: [{column: word, values: [a, b]}]}, publish: {min_count: 20, max_relative_error: 0.2}}
  - {name: ages, mean: {column: age, clamp: [0, 90], by: [{column: word, values: [a, b]}]}, publish: {min_count: 20}}
output: {dir: out, formats: [csv]}
ledger: {store: "sqlite:ledger.db", dataset: people, budget: {epsilon: 10, delta: 1e-5}}
`,
}

// sound returns the text of a manifest that verifies, made without data.
func sound(t *testing.T, job string) []byte {
	t.Helper()
	j, diags := configs.Parse("job.yaml", []byte(job), configs.ParseOptions{CheckStep: pipeline.CheckStep})
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	p, diags := pipeline.New(j, nil)
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	r, err := p.Rehearse(t.Context(), manifest.Program{Name: "test"}, 1)
	if err != nil {
		t.Fatal(err)
	}
	text, err := r.Manifest(nil).Encode()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// found returns the result of the checks that need only the manifest; "" if they find nothing.
func found(t *testing.T, text []byte) (what string) {
	t.Helper()
	var m manifest.Manifest
	if err := json.Unmarshal(text, &m); err != nil {
		return err.Error()
	}
	if err := m.Meets(); err != nil {
		return err.Error()
	}
	want, err := restate(&m, "", nil)
	if err != nil {
		return err.Error()
	}
	paths, _, err := differences(&m, want)
	if err != nil {
		t.Fatal(err)
	}
	if len(paths) > 0 {
		return paths[0]
	}
	return ""
}

// byNoise is the reason for a fact whose change is found for some noise alone.
const byNoise = "noise of which the choice may not depend"

// unstated are facts that the manifest states once, so that no other value in it contradicts a change: only a ledger or
// a signature reveals it.
var unstated = map[string]string{
	".format":                                              "the reader refuses other formats before it checks",
	".job.input.csv.trim_space":                            "how rows are read",
	".job.ledger.budget.epsilon":                           "the ledger has its budget",
	".job.ledger.budget.delta":                             "the ledger has its budget",
	".job.ledger.dataset":                                  "the ledger has its dataset",
	".job.output.dir":                                      "the folder may have been moved",
	".job.output.report":                                   "documents are listed with their digests",
	".job.queries[i].crosstabs.by[i].values[i]":            "labels are in the tables",
	".job.queries[i].crosstabs.ways[]":                     "the order of a set",
	".job.queries[i].denoise[i].positive_part":             "estimates are in the tables",
	".job.queries[i].histogram.by[i].values[i]":            "labels are in the tables",
	".job.queries[i].histogram.by[i].values[i].label":      "labels are in the tables",
	".job.queries[i].histogram.by[i].values[i].members[i]": "how rows are read",
	".job.queries[i].histogram.by[i].values[i].members[]":  "how rows are read",
	".job.queries[i].histogram.by[i].values[]":             "labels are in the tables",
	".job.queries[i].histogram.cdf":                        "tables are listed with their digests",
	".job.queries[i].mean.by[i].values[i]":                 "labels are in the tables",
	".job.queries[i].mean.by[i].values[]":                  "labels are in the tables",
	".job.queries[i].crosstabs.by[i].values[]":             "labels are in the tables",
	".job.queries[i].sparse":                               "the tables have the cells",
	".job.queries[i].per_unit.max_rows_up_to":              "the search has steps of its own",
	".program.go":                                          "who made the release",
	".program.name":                                        "who made the release",
	".program.version":                                     "who made the release",
	".queries[i].discovered_clamp.clamp[]":                 "a third end is not read",
	".queries[i].discovered_clamp.noisy_histogram[]":       byNoise,
	".queries[i].discovered_clamp.noisy_histogram[i]":      byNoise,
	".queries[i].discovered_max_rows.noise[i]":             "of a bound that was not chosen",
	".queries[i].discovered_max_rows.noisy_histogram[]":    byNoise,
	".queries[i].discovered_max_rows.noisy_histogram[i]":   byNoise,
	".queries[i].discovered_max_rows.steps[i]":             "of a bound that was not chosen",
	".queries[i].publish.withheld":                         "the tables have the empty cells",
	".queries[i].expected_error.high":                      "computed from noisy values",
	".queries[i].expected_error.low":                       "computed from noisy values",
	".queries[i].expected_error.rmse":                      "computed from noisy values",
}

// A forger changes one fact of a manifest and can make every digest and signature anew. The manifest's own statements
// contradict the forgery, wherever a fact follows from others.
func TestForger(t *testing.T) {
	owntest.Slow(t)
	needed := map[string]bool{}
	for name, job := range forgedJobs {
		good := sound(t, job)
		if what := found(t, good); what != "" {
			t.Fatalf("%s: %v", name, what)
		}
		var tree map[string]any
		d := json.NewDecoder(bytes.NewReader(good))
		d.UseNumber() // 1e-7 keeps its spelling
		if err := d.Decode(&tree); err != nil {
			t.Fatal(err)
		}
		tried := 0
		walk(tree, "", func(path string) {
			bad, err := json.Marshal(tree)
			if err != nil {
				t.Fatal(err)
			}
			if tried++; found(t, bad) != "" {
				return
			}
			if needed[path] = true; unstated[path] == "" {
				t.Errorf("%s: %s was changed, and nothing was found", name, path)
			}
		})
		if tried < 200 {
			t.Errorf("%s: only %d forgeries", name, tried)
		}
	}
	for path, why := range unstated {
		if !needed[path] && why != byNoise {
			t.Errorf("%s need not be exempt", path)
		}
	}
}

// walk changes one leaf or list of a tree at a time, calls try with its path, and restores the tree.
func walk(node any, path string, try func(path string)) {
	visit := func(at string, value any, set func(any)) {
		if list, ok := value.([]any); ok {
			for _, other := range rearranged(list) {
				set(other)
				try(at + "[]")
			}
		}
		for _, other := range others(value) {
			set(other)
			try(at)
		}
		set(value)
		walk(value, at, try)
	}
	switch node := node.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(node)) {
			visit(path+"."+key, node[key], func(v any) { node[key] = v })
		}
	case []any:
		for i, value := range node {
			if _, number := value.(json.Number); number && i > 1 && i < len(node)-1 {
				continue // one of a long list of numbers
			}
			visit(path+"[i]", value, func(v any) { node[i] = v })
		}
	}
}

// others returns other values for a leaf.
func others(value any) []any {
	switch v := value.(type) {
	case json.Number:
		x, _ := v.Float64()
		if x == 0 {
			return []any{1.0}
		}
		if x > 1e6 { // adding one would be within the rounding differences between machines
			return []any{x * 1.125, x * (1 + 1e-6)}
		}
		return []any{x * 1.125, x + 1, x * (1 + 1e-6)}
	case string:
		return []any{v + "x"}
	case bool:
		return []any{!v}
	}
	return nil
}

// rearranged returns other lists: without an element, with an element twice, in another order.
func rearranged(list []any) (out [][]any) {
	if len(list) == 0 {
		return nil
	}
	out = append(out, list[1:], append(slices.Clone(list), list[0]))
	if len(list) > 1 && !reflect.DeepEqual(list[0], list[1]) {
		swapped := slices.Clone(list)
		swapped[0], swapped[1] = swapped[1], swapped[0]
		out = append(out, swapped)
	}
	return out
}

// A release of a job with parameters is one of many if a parameter is a date, which the manifest does not tell. No
// other statement of it passes.
func TestReleaseTypeOfParameters(t *testing.T) {
	for _, c := range []struct {
		release, source string
		found           bool
	}{{"One release", "Static", false}, {"Many releases", "Dynamic", false}, {"Many releases", "Static", true},
		{"None", "Dynamic", true}} {
		var m, want manifest.Manifest
		m.Params = map[string]string{"day": "2013-01-01"}
		m.Privacy.ReleaseType, m.Privacy.DataSource = c.release, c.source
		want.Params = m.Params
		want.Privacy.ReleaseType, want.Privacy.DataSource = "One release", "Static"
		found, _, err := differences(&m, &want)
		if err != nil {
			t.Fatal(err)
		}
		if (len(found) > 0) != c.found {
			t.Errorf("%s, %s: %v", c.release, c.source, found)
		}
	}
}
