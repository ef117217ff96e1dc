package local_test

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/dprelease/dprelease/io/source"
	"github.com/dprelease/dprelease/mechanism/mechanismtest"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/enginetest"
	"github.com/dprelease/dprelease/pipeline/local"
)

// auditJobs are jobs with all kinds of queries, units and adjacencies, for the table of auditTable.
var auditJobs = map[string]string{
	"counts": `privacy: {epsilon: 1, delta: 1e-6, unit: [person], per_unit: {max_rows: 4}}
queries:
  - {name: all, count: {}}
  - {name: colours, histogram: {by: [{column: colour, values: [red, blue], other: bin, null: bin}]}}
  - {name: spread, histogram: {by: [{column: colour, values: [red, blue]}, {column: x, edges: [0, 10, 20]}]}, per_unit: {max_groups: 2, max_rows_per_group: 1}}`,
	"sums": `privacy: {epsilon: 1, delta: 1e-6, unit: [person], per_unit: {max_rows: 3}}
queries:
  - {name: total, sum: {column: x, clamp: [-5, 20], by: [{column: colour, values: [red, blue]}]}}
  - {name: average, mean: {column: x, clamp: [0, 20]}}
  - {name: spread, variance: {column: x, clamp: [0, 20]}}`,
	"keys": `privacy: {epsilon: 1, delta: 1e-6, unit: [person], per_unit: {max_groups: 2}, delta_failure: 1e-7}
queries:
  - {name: colours, histogram: {by: [{column: colour, keys: discover}]}}
  - {name: ages, mean: {column: x, clamp: [-5, 20], by: [{column: colour, keys: discover}]}, per_unit: {max_rows_per_group: 2}}`,
	"rows": `privacy: {epsilon: 1, delta: 1e-6, unit: row}
queries:
  - {name: all, count: {}}
  - {name: colours, histogram: {by: [{column: colour, values: [red, blue], null: bin}]}}
  - {name: total, sum: {column: x, clamp: [-5, 20]}}`,
	"shared noise": `privacy: {epsilon: 1, delta: 1e-6, unit: [person], per_unit: {max_groups: 6, max_rows_per_group: 1}}
queries:
  - {name: all, count: {}, per_unit: {max_rows: 1}}
  - {name: many, histogram: {by: [{column: colour, values: [red, blue]}, {column: x, edges: [0, 10, 20, 30]}], noise: auto}}`,
	"found": `privacy: {epsilon: 1, delta: 1e-6, unit: [person], per_unit: {max_rows: 4}}
queries:
  - {name: all, count: {}, per_unit: {max_rows: discover, max_rows_up_to: 20}}
  - {name: colours, histogram: {by: [{column: colour, values: [red, blue], null: bin}]}, per_unit: {max_rows: discover, max_rows_up_to: 20, max_rows_per_group: 5}}
  - {name: total, sum: {column: x, clamp: [-5, 20]}, per_unit: {max_rows: discover, max_rows_up_to: 20, max_rows_share: 0.3}}
  - {name: clamped, sum: {column: x, clamp: discover, range: [-1000, 1000]}}
  - {name: level, mean: {column: x, clamp: discover, range: [-1000, 1000]}}`,
	"two columns": `privacy: {epsilon: 1, delta: 1e-6, unit: [person, colour], per_unit: {max_rows: 4}}
queries:
  - {name: all, count: {}}`,
}

const auditFrame = `version: 1
name: audited
%s
input: {files: ["%s"], csv: {types: {x: float}}, where: [{column: x, min: -10}]}
output: {dir: out}
ledger: {store: "sqlite:ledger.db", dataset: audited, budget: {epsilon: 9, delta: 1e-4, delta_cap: 1e-5}}
`

// auditTable is two CSV files: 600 persons, one of whom has a third of all rows, and rows without a person.
func auditTable(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for file := range 2 {
		text := []byte("person,colour,x\n")
		for i := range 1500 {
			person, x := fmt.Sprintf("p%d", i*7919%600), fmt.Sprint(i%47-12)
			colour := []string{"red", "blue", "green", ""}[(i+i/7)%4]
			switch {
			case i%97 == 5:
				person, colour, x = "rich", "red", "34"
			case i%3 == 0:
				person = "heavy"
			case i%50 == 1:
				person = ""
			case i%31 == 2:
				x = "NaN"
			}
			text = fmt.Appendf(text, "%s,%s,%s\n", person, colour, x)
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("part-%d.csv", file)), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func auditPlan(t *testing.T, dir, body, files string) *pipeline.Plan {
	t.Helper()
	return enginetest.Plan(t, filepath.Join(dir, "job.yaml"), fmt.Appendf(nil, auditFrame, body, files))
}

func audit(t *testing.T, p *pipeline.Plan, dir string, engine func(*source.Dataset) *local.Engine) bool {
	t.Helper()
	in := p.Job().Input
	data, err := source.Open(t.Context(), source.Options{Dir: dir, Files: in.Files,
		CSV: source.CSV{Header: true, Types: in.CSV.Types}})
	if err != nil {
		t.Fatal(err)
	}
	e := engine(data)
	defer e.Close()
	pass, err := e.Audit(t.Context(), p, pipeline.Silent{})
	if err != nil {
		t.Fatal(err)
	}
	return pass
}

func twoWorkers(data *source.Dataset) *local.Engine { return local.New(data, 2) }

// A correct program passes. A program whose sensitivities are slightly too small fails: some unit attains them, usually
// the heavy one.
func TestAudit(t *testing.T) {
	manyRuns(t)
	dir := auditTable(t)
	// by a single unit that comes or goes
	attained := map[string][]int{"counts": {0, 1}, "sums": {0}, "keys": {0}, "rows": {0}, "two columns": {0},
		"shared noise": {0, 1}, "found": {0}}
	for name, body := range auditJobs {
		for _, adjacency := range []string{"add-remove", "replace-one"} {
			t.Run(name+" "+adjacency, func(t *testing.T) {
				if adjacency == "replace-one" && name == "rows" {
					body = `privacy: {epsilon: 1, delta: 1e-6, unit: row}
queries:
  - {name: colours, histogram: {by: [{column: colour, values: [red, blue], null: bin}]}}
  - {name: total, sum: {column: x, clamp: [-5, 20]}}`
				}
				plan := func() *pipeline.Plan {
					return auditPlan(t, dir, withAdjacency(body, adjacency), "part-*.csv")
				}
				if !audit(t, plan(), dir, twoWorkers) {
					t.Error("a right program fails")
				}
				if adjacency == "replace-one" {
					return
				}
				for _, q := range attained[name] {
					p := plan()
					l2 := &p.Queries()[q].Mechanisms[0].Sens.L2
					*l2 = math.Nextafter(*l2, 0)
					if audit(t, p, dir, twoWorkers) {
						t.Errorf("query %d passes with a sensitivity below what is attained", q)
					}
				}
			})
		}
	}
}

func withAdjacency(body, adjacency string) string {
	const at = "privacy: {"
	return at + "adjacency: " + adjacency + ", " + body[len(at):]
}

// Under replace-one the difference of two units is compared, not that of a unit and nothing.
func TestAuditOfReplacedUnits(t *testing.T) {
	dir := auditTable(t)
	body := withAdjacency(auditJobs["counts"], "replace-one")
	p := auditPlan(t, dir, body, "part-*.csv")
	// Another colour for four rows: √(4² + 4²). The sensitivity of one unit alone, 4, is too small for the pair.
	p.Queries()[1].Mechanisms[0].Sens.L2 = 3
	if audit(t, p, dir, twoWorkers) {
		t.Error("passes with a sensitivity of 3")
	}
}

// Every format is audited.
func TestAuditOfEveryFormat(t *testing.T) {
	manyRuns(t)
	dir := t.TempDir()
	for name, content := range formats(t, people(2000)) {
		t.Run(name, func(t *testing.T) {
			if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
				t.Fatal(err)
			}
			p := enginetest.Plan(t, filepath.Join(dir, "job.yaml"), fmt.Appendf(nil, formatsJob, name))
			if !audit(t, p, dir, twoWorkers) {
				t.Error("a right program fails")
			}
		})
	}
}

// Rows of units that do not fit in memory are written to the scratch file. Nothing of it is left.
func TestAuditWithoutMemory(t *testing.T) {
	dir, folder := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.csv"), csvOf(t, people(100)), 0o600); err != nil {
		t.Fatal(err)
	}
	p := enginetest.Plan(t, filepath.Join(dir, "job.yaml"), fmt.Appendf(nil, formatsJob, "a.csv"))
	if !audit(t, p, dir, func(d *source.Dataset) *local.Engine { return local.NewTight(d, 2, folder) }) {
		t.Error("a right program fails")
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v (%v)", left, err)
	}
}

// The same holds for what is added up by private keys, which is read back when it is compared.
func TestAuditOfKeysWithoutMemory(t *testing.T) {
	manyRuns(t)
	dir, folder := auditTable(t), t.TempDir()
	p := auditPlan(t, dir, auditJobs["keys"], "part-*.csv")
	if !audit(t, p, dir, func(d *source.Dataset) *local.Engine { return local.NewTight(d, 2, folder) }) {
		t.Error("a right program fails")
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v (%v)", left, err)
	}
}

// Taking a unit out has the same result as the table without its rows.
func TestWithoutIsTheTableWithout(t *testing.T) {
	dir := auditTable(t)
	p := auditPlan(t, dir, auditJobs["counts"], "part-*.csv")
	data, err := source.Open(t.Context(), source.Options{Dir: dir, Files: p.Job().Input.Files,
		CSV: source.CSV{Header: true, Types: p.Job().Input.CSV.Types}})
	if err != nil {
		t.Fatal(err)
	}
	e := local.New(data, 2)
	defer e.Close()
	units := local.Census(t, e, p)
	if len(units) < 300 || units[0].Rows != 990 {
		t.Fatalf("%d units, the heaviest with %d rows", len(units), units[0].Rows)
	}
	got := local.Without(t, e, p, units[0].Key)
	_, all := mechanismtest.Open(t, got[0][0])

	// The same table without the heavy person's lines.
	other := t.TempDir()
	var lines []byte
	lines = append(lines, "person,colour,x\n"...)
	for file := range 2 {
		text, err := os.ReadFile(filepath.Join(dir, fmt.Sprintf("part-%d.csv", file)))
		if err != nil {
			t.Fatal(err)
		}
		for line := range bytes.Lines(text) {
			if !slices.Equal(line[:min(6, len(line))], []byte("heavy,")) && string(line) != "person,colour,x\n" {
				lines = append(lines, line...)
			}
		}
	}
	if err := os.WriteFile(filepath.Join(other, "part-0.csv"), lines, 0o600); err != nil {
		t.Fatal(err)
	}
	data2, err := source.Open(t.Context(), source.Options{Dir: other, Files: p.Job().Input.Files,
		CSV: source.CSV{Header: true, Types: p.Job().Input.CSV.Types}})
	if err != nil {
		t.Fatal(err)
	}
	e2 := local.New(data2, 1)
	defer e2.Close()
	want, err := e2.Aggregate(t.Context(), p, pipeline.Silent{})
	if err != nil {
		t.Fatal(err)
	}
	if _, cells := mechanismtest.Open(t, want.Exacts[0][0]); !slices.Equal(cells, all) {
		t.Errorf("%v without the unit, want %v", all, cells)
	}
}

// manyRuns skips a test of many runs if the tests are to be short, as with the race detector: the other audits run the
// same code.
func manyRuns(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("runs without -short")
	}
}
