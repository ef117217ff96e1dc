package protocol_test

import (
	"strings"
	"testing"
)

const asked = `
version: 1
name: colours
privacy: {epsilon: 1, delta: 1e-6, unit: [person], per_unit: {max_rows: 2}}
input: {files: [people.csv], csv: {types: {age: int}}, where: [{column: age, min: 18}]}
queries:
  - name: colours
    histogram:
      by: [{column: colour, values: {red: [red, rouge], green: [green]}}, {column: age, edges: [0, 18, 30]}]
    denoise: [{method: nonnegative}]
  - {name: all, count: {}, weight: 3}
  - {name: ages, mean: {column: age, clamp: [0, 100]}}
output: {dir: out}
ledger: {store: "sqlite:ledger.db", dataset: people, budget: {epsilon: 3, delta: 1e-5}}
`

// The fingerprint depends on everything that changes which noisy values are drawn, and on nothing else. Everything else
// that readers see of a release, apart from its folder and its ledger, belongs to its rendering.
func TestQuestionAndRendering(t *testing.T) {
	b := newBench(t)
	first := b.plan(asked)
	plan := func(name, before, after string) (question, rendering bool) {
		t.Helper()
		text := strings.Replace(asked, before, after, 1)
		if text == asked {
			t.Fatalf("%s: %q is not in the job", name, before)
		}
		p := b.plan(text)
		return p.Fingerprint() != first.Fingerprint(), p.Rendering() != first.Rendering()
	}
	for name, edit := range map[string][2]string{
		"epsilon": {"epsilon: 1,", "epsilon: 2,"}, "delta": {"1e-6", "1e-7"}, "unit": {"unit: [person]",
			"unit: [person, colour]"},
		"adjacency": {"unit: [person]", "unit: [person], adjacency: replace-one"}, "bound": {"max_rows: 2", "max_rows: 1"},
		"query's bound": {"count: {}", "count: {}, per_unit: {max_rows: 1}"}, "weight": {"weight: 3", "weight: 2"},
		"declared sensitivity": {"count: {}", "count: {}, sensitivity: 5"}, "dataset": {"dataset: people",
			"dataset: persons"},
		"input": {"people.csv", "persons.csv"}, "type": {"age: int", "age: float"}, "filter": {"min: 18", "min: 17"},
		"member": {"[red, rouge]", "[red]"}, "label": {"green: [green]", "green: [gren]"}, "edges": {"[0, 18, 30]",
			"[0, 18, 31]"},
		"order of cells": {"red: [red, rouge], green: [green]",
			"green: [green], red: [red, rouge]"}, "policy": {"edges: [0, 18, 30]", "edges: [0, 18, 30], null: bin"},
		"clamp": {"[0, 100]", "[0, 99]"}, "kind": {"mean: {", "sum: {"}, "column": {"mean: {column: age",
			"mean: {column: size"}, "header": {"types: {age: int}", "types: {age: int}, header: false, columns: [person, " +
			"colour, age]"},
		"order of queries": {"  - {name: all, count: {}, weight: 3}\n  - {name: ages, mean: {column: age, clamp: [0, 100]}}",
			"  - {name: ages, mean: {column: age, clamp: [0, 100]}}\n  - {name: all, count: {}, weight: 3}"},
	} {
		if question, rendering := plan(name, edit[0], edit[1]); !question || !rendering {
			t.Errorf("another %s is the same question: %t, rendering: %t", name, !question, !rendering)
		}
	}
	for name, edit := range map[string][2]string{
		"name": {"name: colours", "name: hues"}, "query's name": {"- name: colours",
			"- name: hues"}, "step": {"[{method: nonnegative}]", "[{method: james-stein}]"},
		"no step": {"    denoise: [{method: nonnegative}]\n", ""}, "format": {"{dir: out}",
			"{dir: out, formats: [csv]}"}, "sparse": {"    denoise:", "    sparse: true\n    denoise:"},
		"quantiles": {"    denoise:", "      quantiles: [0.5]\n    denoise:"}, "cdf": {"    denoise:",
			"      cdf: true\n    denoise:"}, "target": {"count: {}", "count: {}, max_error: 100"},
		"column's name": {"column: colour,", "column: colour, as: hue,"}, "label's name": {"red: [red, rouge]",
			"rot: [red, rouge]"},
		"contact":              {"output:", "deployment: {contact: us}\noutput:"},
		"spelling of a number": {"1e-6", "0.0000010"}, "other spelling": {"weight: 3", "weight: 3.0"},
	} {
		if question, rendering := plan(name, edit[0], edit[1]); question || !rendering &&
			!strings.Contains(name, "spelling") {
			t.Errorf("another %s is another question: %t, the same rendering: %t", name, question, !rendering)
		}
	}
	for name, edit := range map[string][2]string{
		"folder": {"dir: out", "dir: elsewhere"}, "budget": {"epsilon: 3,", "epsilon: 4,"}, "ledger": {"ledger.db",
			"other.db"},
		"memory": {"output:", "memory_limit: 1GiB\noutput:"}, "policy": {"output:", "data_checks: refuse\noutput:"},
		"input's folder": {"people.csv", "data/people.csv"},
	} {
		if question, rendering := plan(name, edit[0], edit[1]); question || rendering {
			t.Errorf("another %s is another question: %t, rendering: %t", name, question, rendering)
		}
	}
}
