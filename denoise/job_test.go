package denoise_test

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/dprelease/dprelease/configs"
	"github.com/dprelease/dprelease/denoise"
)

// TestJobsOfferEveryMethod keeps the job file's keys and the registry together.
func TestJobsOfferEveryMethod(t *testing.T) {
	job := reflect.TypeFor[configs.Denoise]()
	var keys []string
	for i := range job.NumField() {
		key, _, _ := strings.Cut(job.Field(i).Tag.Get("yaml"), ",")
		keys = append(keys, key)
	}
	field, _ := job.FieldByName("Method")
	offered := strings.Split(field.Tag.Get("enum"), "|")
	var methods []string
	for _, m := range denoise.Methods() {
		methods = append(methods, m.Name)
		for _, p := range m.Params {
			if !slices.Contains(keys, p.Name) {
				t.Errorf("a job cannot set %s of %s: its keys are %v", p.Name, m.Name, keys)
			}
		}
	}
	slices.Sort(offered)
	if !slices.Equal(offered, methods) {
		t.Errorf("jobs offer %v, the registry has %v", offered, methods)
	}
}

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

// Every value of every parameter can be written in a job and reaches the method as it is; no method takes another's.
func TestJobsSayWhatMethodsTake(t *testing.T) {
	values := map[denoise.ParamType][]string{denoise.Boolean: {"true", "false"}, denoise.Decimal: {"2.5", "1e-3"}, denoise.Integer: {"3"}}
	every := map[string]string{}
	for _, m := range denoise.Methods() {
		for _, p := range m.Params {
			every[p.Name] = slices.Concat(p.Words, values[p.Type])[0]
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
				if got := step.Params(); got[p.Name] != text {
					t.Errorf("%s: %s %s became %v", m.Name, p.Name, text, got)
				}
				if _, err := denoise.New(m.Name, step.Params()); err != nil {
					t.Errorf("%s with %s: %v", m.Name, step.Params(), err)
				}
			}
		}
	}
	for _, m := range denoise.Methods() {
		for name, text := range every {
			own := slices.ContainsFunc(m.Params, func(p denoise.Param) bool { return p.Name == name })
			if _, diags := parse(m.Name, denoise.Args{name: text}); !own && (len(diags) == 0 || diags[0].Code == configs.CodeUnknownKey) {
				t.Errorf("a job can give %s to %s: %v", name, m.Name, diags)
			}
		}
		refused := false
		_, diags := parse(m.Name, denoise.Args{"graph": "{edges: e.csv, from: u, to: v}"})
		for _, d := range diags {
			refused = refused || strings.Contains(d.Message, "graph")
		}
		if refused == m.TakesGraph {
			t.Errorf("%s takes a graph: %v, but a job says %v", m.Name, m.TakesGraph, diags)
		}
	}
}
