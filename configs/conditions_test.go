package configs

import (
	"strings"
	"testing"
)

// A query has the conditions of the rows that it reads and its own, in words. Values from the environment stay
// references.
func TestConditions(t *testing.T) {
	for _, c := range []struct{ input, query, want string }{
		{"", "", ""},
		{"{column: a, in: [x]}", "", "Only rows with a = x."},
		{`{column: a, in: ["${env:STATE}"]}`, "", "Only rows with a = ${env:STATE}."},
		{"{column: status, in: [active]}", "{column: age, min: 18, max: 65}",
			"Only rows with status = active and age at least 18 and at most 65."},
		{"", `{column: a, in: [x, ""]}, {column: b, not_in: [" y"]}, {column: c, not_in: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]}`,
			`Only rows with a in (x, "") and b not null and b not " y" and c not null and c not in (1, 2, 3, 4, 5, 6, 7, 8, and 2 more).`},
		{"", "{column: t, from: 2013-01-01, before: 2013-01-02}, {column: u, from: 2013-01-01, for: 1h}",
			"Only rows with t from 2013-01-01 and before 2013-01-02 and u from 2013-01-01 for 1h."},
		{"", "{column: t, before: 2013-01-02}, {column: u, from: 2013-01-01}, {column: v, not_null: true, min: 1}, {column: w, max: 2}",
			"Only rows with t before 2013-01-02 and u from 2013-01-01 on and v not null and v at least 1 and w at most 2."},
	} {
		job, diagnostics := Parse("job.yaml", []byte(strings.NewReplacer("INPUT", c.input, "QUERY", c.query).Replace(`version: 1
name: j
privacy: {epsilon: 1, delta: 1e-6, unit: row}
input: {files: [a.csv], where: [INPUT]}
queries: [{name: q, count: {}, where: [QUERY]}]
output: {dir: out}
ledger: {store: "sqlite:l.db", dataset: d, budget: {epsilon: 1, delta: 1e-6}}
`)), ParseOptions{Env: func(string) (string, bool) { return "secret", true }})
		if job == nil {
			t.Fatal(diagnostics)
		}
		effective, err := job.Effective()
		if err != nil {
			t.Fatal(err)
		}
		if got := Conditions(effective)["q"]; got != c.want {
			t.Errorf("%s; %s: %q, want %q", c.input, c.query, got, c.want)
		}
	}
	tables := `{"input": {"where": [{"column": "no"}], "tables": {"visits": {"where": [{"column": "kind", "in": ["inpatient"]}]}}},
		"queries": [{"name": "q", "from": "visits"}, {"name": "u", "over": "units", "from": "visits", "where": [{"column": "n", "min": "3"}]}]}`
	for name, want := range map[string]string{"q": "Only rows with kind = inpatient.",
		"u": "Only units with n at least 3. Only rows with kind = inpatient."} {
		if got := Conditions([]byte(tables))[name]; got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// Rows of a table without a unit need a partner in each table on the way to the unit. Joins in a circle, which only a
// forged manifest has, end.
func TestConditionsOfPartners(t *testing.T) {
	const job = `{"input": {"tables": {
		"people": {"unit": ["id"], "where": [{"column": "age", "min": "18"}]},
		"visits": {"where": [{"column": "kind", "in": ["a, b"]}], "join": [{"table": "people"}]},
		"drugs": {"where": [{"column": "dose", "max": "9"}], "join": [{"table": "visits"}]},
		"circle": {"where": [{"column": "x", "min": "0"}], "join": [{"table": "circle"}]}}},
		"queries": [{"name": "drugs", "from": "drugs"}, {"name": "circle", "from": "circle"}]}`
	all := Conditions([]byte(job))
	const want = `Only rows with a partner in visits with kind = "a, b". Only rows with a partner in people with age at ` +
		`least 18. Only rows with dose at most 9.`
	if got := all["drugs"]; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if all["circle"] == "" {
		t.Error("a circle has no conditions")
	}
}
