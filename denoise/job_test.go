package denoise_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/dprelease/dprelease/configs"
	"github.com/dprelease/dprelease/denoise"
)

const jobText = `version: 1
name: steps
privacy: {epsilon: 1, delta: 1e-6, unit: row}
input: {files: [table.csv]}
queries:
  - name: cells
    histogram: {by: [{column: x, from: 0, to: 8, width: 1}]}
    denoise: [{method: %s%s}]
output: {dir: out}
ledger: {store: "sqlite:ledger.db", dataset: table, budget: {epsilon: 10, delta: 1e-5}}
`

// parse makes a job of one step.
func parse(method string, params denoise.Args) (*configs.Denoise, configs.Diagnostics) {
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(params)) {
		text.WriteString(", " + name + ": " + params[name])
	}
	job, diags := configs.Parse("job.yaml", []byte(fmt.Sprintf(jobText, method, text.String())), configs.ParseOptions{})
	if len(diags) > 0 {
		return nil, diags
	}
	return &job.Queries[0].Denoise[0], nil
}

// Every value of every parameter can be written in a job, reaches the method unchanged, and appears in the effective
// job.
func TestJobsSayWhatMethodsTake(t *testing.T) {
	values := map[denoise.ParamType][]string{denoise.Boolean: {"true", "false"}, denoise.Decimal: {"2.5", "1e-3"},
		denoise.Integer: {"1"}}
	for _, m := range denoise.Methods() {
		for _, p := range m.Params {
			for _, text := range slices.Concat(p.Words, values[p.Type]) {
				args := denoise.Args{"total": "12", p.Name: text}
				if m.Name != "total" {
					delete(args, "total")
				}
				step, diags := parse(m.Name, args)
				if len(diags) > 0 {
					t.Errorf("%s with %s: %v", m.Name, args, diags)
					continue
				}
				if step.Args[p.Name] != text {
					t.Errorf("%s: %s %s became %v", m.Name, p.Name, text, step.Args)
				}
				if errs := denoise.CheckStep(m.Name, step.Args, m.TakesGraph, denoise.Counts); len(errs) > 0 {
					t.Errorf("%s with %s: %v", m.Name, step.Args, errs[0])
				}
			}
			if p.Example == "" {
				t.Errorf("%s: %s has no example", m.Name, p.Name)
			}
		}
		errs := denoise.CheckStep(m.Name, denoise.Args{"total": "12"}, true, denoise.Counts)
		refused := slices.ContainsFunc(errs, func(e *denoise.Error) bool { return e.Param == "graph" })
		if refused == m.TakesGraph {
			t.Errorf("%s takes a graph: %v, but is judged by %v", m.Name, m.TakesGraph, errs)
		}
	}
}
