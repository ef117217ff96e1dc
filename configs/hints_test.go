package configs

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/dprelease/dprelease/configs/internal/yamltree"
)

// A list that is written in another form is answered with the right form.
func TestHintsWriteOutWhatIsMeant(t *testing.T) {
	const job = "version: 1\nname: a\nprivacy: {epsilon: 1, delta: 1e-6, unit: row}\ninput: {files: [a.csv]}\n" +
		"queries:\n  - {name: q, %s}\noutput: {dir: out}\n" +
		"ledger: {store: \"sqlite:l.db\", dataset: a, budget: {epsilon: 1, delta: 1e-6}}\n"
	for query, want := range map[string]string{
		"mean: {column: age, clamp: {min: 0, max: 100}}":                                "write [0, 100]",
		"mean: {column: age, clamp: {hi: 100, lo: -5}}":                                 "write [-5, 100]",
		"mean: {column: age, clamp: {0, 100}}":                                          "write [0, 100]",
		"mean: {column: age, clamp: {discover: [0, 100]}}":                              "write [0, 100]",
		"mean: {column: age, clamp: 0-100}":                                             "write [0, 100]",
		"mean: {column: age, clamp: -5..5.5}":                                           "write [-5, 5.5]",
		"mean: {column: age, clamp: 0 to 1e3}":                                          "write [0, 1e3]",
		"mean: {column: age, clamp: 5-3}":                                               "for example clamp: [17, 90]",
		"mean: {column: age, clamp: 0 to 50 to 100}":                                    "write clamp: [lo, hi]",
		"mean: {column: age, clamp: {lo: 0, mid: 5, hi: 9}}":                            "write clamp: [lo, hi]",
		`mean: {column: age, clamp: "(0; 100)"}`:                                        "write [0, 100]",
		"mean: {column: age, clamp: [0; 100]}":                                          "put commas between the numbers: [0, 100]",
		"mean: {column: age, clamp: [0, inf]}":                                          "write a finite number",
		"mean: {column: age, clamp: [0, 5 EUR]}":                                        "without units",
		"mean: {column: age, clamp: 5}":                                                 "write clamp: [lo, hi]",
		"mean: {column: age, clamp: [{min: 0}, 5]}":                                     "for example clamp: [17, 90]",
		"mean: {column: age, clamp: discover, range: {min: 0, max: 9}}":                 "write [0, 9]",
		"mean: {column: [age], clamp: [0, 9]}":                                          "write age, without brackets",
		"mean: age":                                                                     "for example mean: {column: age",
		"count: rows":                                                                   "for example count: {}",
		"histogram: {by: age}":                                                          "for example by: [{column: age",
		"histogram: {by: {column: age, edges: [0, 9]}}":                                 "begin each item with a dash and a space: - column: …",
		"histogram: {by: [{column: age, edges: 0-100}]}":                                "write [0, 100]",
		`histogram: {by: [{column: day, edges: "2024-01-01, 2024-02-01"}]}`:             "write [2024-01-01, 2024-02-01]",
		"histogram: {by: [{column: day, edges: 2024-01-01..2024-02-01 12:30}]}":         "write [2024-01-01, 2024-02-01 12:30]",
		"histogram: {by: [{column: day, edges: 2024-02-01 to 2024-01-01}]}":             "for example edges",
		"histogram: {by: [{column: sex, values: F|M}]}":                                 "write [F, M]",
		"histogram: {by: [{column: {name: age}, edges: [0, 9]}]}":                       "write column: age",
		"histogram: {by: [{column: {column: age}, edges: [0, 9]}]}":                     "write column: age",
		"histogram: {by: [{column: {day: month}, edges: [0, 9]}]}":                      "for example column: ",
		"share: {column: age}":                                                          "is a rate of two counts",
		"count: {}, share: 0.3":                                                         "a larger fraction of the budget with weight: 2",
		"histogram: {by: [{column: age, edges: 10}]}":                                   "for example edges: [0, 18, 30, 65]",
		"histogram: {by: [{column: day, edges: 2024-10-11}]}":                           "for example edges: [0, 18, 30, 65]",
		"histogram: {by: [{column: age, edges: {from: 0, to: 9, width: 3}}]}":           "write from, to and width in place of edges",
		"histogram: {by: [{column: age, values: {from: 0, to: 9}}]}":                    "write from, to and width in place of values",
		"histogram: {by: [{column: age, values: discover}]}":                            "write keys: discover in place of values",
		"histogram: {by: [{column: age, values: ages.csv}]}":                            "write values_from",
		"histogram: {by: [{column: age, from: 0, to: 100, bins: 10}]}":                  "write the width of a cell",
		"histogram: {by: [{column: sex, values: F; M}]}":                                "write [F, M]",
		"histogram: {by: [{column: sex, values: [F]}]}, denoise: nonnegative":           "write [{method: nonnegative}]",
		"histogram: {by: [{column: age, edges: [0, 9]}], quantiles: 0.5}":               "for example quantiles: [0.25, 0.5, 0.75]",
		"histogram: {by: [{column: age, edges: [0, 9]}], quantiles: {a: 0.75, b: 0.5}}": "write [0.5, 0.75]",
		"histogram: {by: [{column: age, edges: [0, 9]}], cdf: [age]}":                   "for example cdf: true",
		`count: {}, where: "age in (1)"`:                                                "for example where: [{",
		`histogram: {by: [{column: sex, values: [F]}]}, denoise: "nonnegative, round"`:  "for example denoise: [{method",
		"count: {}, accuracy: 40":                                                       "write {95%: 40}",
		"count: {}, publish: 20":                                                        "for example publish: {min_count: 20",
	} {
		_, diags := Parse("job.yaml", fmt.Appendf(nil, job, query), ParseOptions{})
		if text := diags.Error(); !strings.Contains(text, want) {
			t.Errorf("%s: no hint %q in\n%s", query, want, text)
		}
		if text := diags.Error(); strings.Contains(text, "given twice") {
			t.Errorf("%s: contradictory hints\n%s", query, text)
		}
	}
}

// A mapping whose keys look like a range can still name cells.
func TestCellsCanBeCalledFromAndTo(t *testing.T) {
	const job = "version: 1\nname: a\nprivacy: {epsilon: 1, delta: 1e-6, unit: row}\ninput: {files: [a.csv]}\n" +
		"queries: [{name: q, histogram: {by: [{column: way, values: {from: [0], to: [1]}}]}}]\noutput: {dir: out}\n" +
		"ledger: {store: \"sqlite:l.db\", dataset: a, budget: {epsilon: 1, delta: 1e-6}}\n"
	if _, diags := Parse("job.yaml", []byte(job), ParseOptions{}); len(diags) > 0 {
		t.Error(diags)
	}
}

// Whatever has the wrong type, and at whatever key, the message has a hint.
func TestEachKeyOfTheWrongTypeHasAHint(t *testing.T) {
	for _, typ := range mappings(reflect.TypeFor[Job](), map[reflect.Type]bool{}) {
		for _, name := range yamltree.KeysOf(typ).Names {
			for _, wrong := range []string{"~", "[[a, b]]", "{a: {b: c}, d: e}", "[a, [b]]", "no such thing"} {
				root, f := yamltree.ReadTree(fmt.Appendf(nil, "%q: %s\n", name, wrong))
				if f != nil {
					t.Fatal(f.Message)
				}
				d := yamltree.NewDecoder(root, &jobFormat, nil)
				d.DecodeFields(reflect.New(typ).Elem(), yamltree.Spot{Node: root})
				found, _ := d.Faults()
				for _, f := range found {
					if f.Code == CodeWrongType && f.Hint == "" {
						t.Errorf("%s.%s: %s has no hint: %s", typ.Name(), name, wrong, f.Message)
					}
				}
			}
		}
	}
}

// mappings lists the structs of the job format, from t on.
func mappings(t reflect.Type, seen map[reflect.Type]bool) (all []reflect.Type) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		return mappings(t.Elem(), seen)
	case reflect.Struct:
		if seen[t] {
			return nil
		}
		seen[t] = true
		all = append(all, t)
		for _, i := range yamltree.KeysOf(t).Index {
			all = append(all, mappings(t.Field(i).Type, seen)...)
		}
	}
	return all
}
