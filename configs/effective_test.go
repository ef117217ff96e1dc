package configs

import (
	"encoding/json"
	"errors"
	"math/big"
	"strings"
	"testing"
)

func TestEffectiveIsPublic(t *testing.T) {
	src := []byte(strings.NewReplacer("[data/trips.parquet]", "[/home/anna/secret/trips-*.parquet, ../b/c.parquet]",
		"name: trips\n", "name: <trips>&\n").Replace(base))
	job := parsed(t, "/home/anna/job.yaml", src, ParseOptions{})
	got, err := job.Effective()
	if err != nil {
		t.Fatal(err)
	}
	want := `{"version":1,"name":"<trips>&","privacy":{"epsilon":1,"delta":1e-6,"unit":["cab_id"],"adjacency":"add-remove","per_unit":{"max_rows":5}},` +
		`"input":{"files":["trips-*.parquet","c.parquet"],"csv":{"header":true,"delimiter":",","trim_space":false}},` +
		`"queries":[{"name":"payment","histogram":{"by":[{"column":"payment","values":["card","cash"],"null":"drop","other":"drop"}]},"weight":1,"sparse":false}],` +
		`"output":{"dir":"out","formats":["parquet"],"report":true},"ledger":{"dataset":"trips","budget":{"epsilon":10,"delta":1e-5,"per":"total"}}}`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// The effective job does not depend on how the job is written.
func TestEffectiveIsCanonical(t *testing.T) {
	other := `{"ledger": {"budget": {"delta": 1e-5, "epsilon": 10}, "dataset": "trips", "store": "sqlite:elsewhere.db"}, "output": {"dir": "out"},
  "queries": [{"weight": 1, "histogram": {"by": [{"values": {"card": [card], "cash": "cash"}, "null": "drop", "column": "payment"}]}, "name": "payment"}],
  "input": {"files": ["/other/place/trips.parquet"]}, "version": 1, "name": "trips",
  "privacy": {"unit": ["cab_id"], "adjacency": "add-remove", "epsilon": +1, "delta": 1E-6, "per_unit": {"max_rows": 5}}}`
	a, err1 := parsed(t, "job.yaml", []byte(base), ParseOptions{}).Effective()
	b, err2 := parsed(t, "other.yaml", []byte(other), ParseOptions{}).Effective()
	if err1 != nil || err2 != nil || string(a) != string(b) {
		t.Errorf("%v %v\n%s\n%s", err1, err2, a, b)
	}
}

func TestEffectiveShowsAliasesInOrder(t *testing.T) {
	src := with(t, "[card, cash]", "{z: [1, 2], a: 3}")
	got, err := parsed(t, "job.yaml", src, ParseOptions{}).Effective()
	if want := `"values":[{"label":"z","members":["1","2"]},{"label":"a","members":["3"]}]`; err != nil ||
		!strings.Contains(string(got), want) {
		t.Errorf("%v: %s", err, got)
	}
}

func TestEffectiveOfEverySample(t *testing.T) {
	for name, src := range samples(t, "testdata/*.good.yaml") {
		job := parsed(t, name, src, options(src))
		a, err1 := job.Effective()
		b, err2 := parsed(t, name, src, options(src)).Effective()
		if err1 != nil || err2 != nil || !json.Valid(a) || string(a) != string(b) || strings.Contains(string(a), canary) {
			t.Errorf("%s: %v %v %s", name, err1, err2, a)
		}
	}
}

// A job that was not parsed has no place and no secrets; nothing about it may fail.
func TestEffectiveOfAnEmptyJob(t *testing.T) {
	got, err := new(Job).Effective()
	if err != nil || !json.Valid(got) {
		t.Errorf("%v: %s", err, got)
	}
}

func TestDownIsNeverAbove(t *testing.T) {
	for _, d := range []Decimal{"0.1", "1e-6", "1", "0.3", "1e-300", "123456789012345678901234567890"} {
		f, err := d.Down()
		exact, _ := d.rat()
		if got := new(big.Rat).SetFloat64(f); err != nil || got.Cmp(exact) > 0 {
			t.Errorf("%s: %g, %v", d, f, err)
		}
	}
	if _, err := Decimal("x").Down(); err == nil {
		t.Error("x is a number")
	}
}

// The folder of a lake's table is as private as the folders of files.
func TestEffectiveHasNoFolderOfATable(t *testing.T) {
	for table, want := range map[string]string{
		`{driver: duckdb, format: iceberg, table: "/srv/anna/lake/db/trips"}`: `"table":"trips"`,
		`{driver: duckdb, format: delta, table: "s3://secret/lake/trips/"}`:   `"table":"trips"`,
		`{driver: duckdb, table: db.trips}`:                                   `"table":"db.trips"`,
	} {
		src := []byte(strings.Replace(base, "files: [data/trips.parquet]", "sql: "+table, 1))
		job := parsed(t, "job.yaml", src, ParseOptions{})
		shown, err1 := job.Effective()
		identity, err2 := job.Identity()
		if err := errors.Join(err1, err2); err != nil {
			t.Fatal(err)
		}
		for _, got := range [][]byte{shown, identity} {
			if !strings.Contains(string(got), want) {
				t.Errorf("%s: %s", table, got)
			}
		}
	}
}
