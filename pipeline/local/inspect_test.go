package local_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dprelease/dprelease/io/source"
	"github.com/dprelease/dprelease/io/source/textfile"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/enginetest"
	"github.com/dprelease/dprelease/pipeline/local"
	"github.com/dprelease/dprelease/queries/bounding"
	"github.com/dprelease/dprelease/queries/tally"
)

// looked answers a job on a file and returns the tally.
func looked(t *testing.T, path, job string, workers int, look local.Look) *pipeline.DataChecks {
	t.Helper()
	p := enginetest.Plan(t, filepath.Join(filepath.Dir(path), "job.yaml"), fmt.Appendf(nil, job, filepath.Base(path)))
	j, in := p.Job(), p.Job().Input
	data, err := source.Open(t.Context(), source.Options{Dir: j.Dir(), Files: in.Files,
		CSV: textfile.CSV{Header: true, Types: in.CSV.Types, NullValues: []string{""}}})
	if err != nil {
		t.Fatal(err)
	}
	e := local.NewWithin(data, local.Limits{Workers: workers, Look: look})
	defer e.Close()
	a, err := e.Aggregate(t.Context(), p, pipeline.Silent{})
	if err != nil {
		t.Fatal(err)
	}
	return a.Checks
}

// seen returns the counts that must be equal for all formats. Statistics may rule out rows before they are counted.
type seen struct {
	Rows, Passed int64
	Queries      []seenQuery
}

type seenQuery struct {
	Rows, Counted int64
	Inputs        []tally.Input
	Bounds        bounding.BoundTally
}

func summary(c *pipeline.DataChecks) seen {
	s := seen{Rows: c.Rows, Passed: c.Filters.Counted()}
	for _, q := range c.Queries {
		s.Queries = append(s.Queries, seenQuery{q.Rows(), q.Counted(), q.Inputs(), q.Bounds})
	}
	return s
}

// The tally of a table is the same in every format and for every number of workers, and it counts the rows that bounds
// drop.
func TestChecksAgree(t *testing.T) {
	dir, rows := t.TempDir(), people(3000)
	var want seen
	for name, content := range formats(t, rows) {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		for _, workers := range []int{1, 3} {
			c := looked(t, path, formatsJob, workers, local.LookAll)
			got := summary(c)
			if want.Queries == nil {
				want = got
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s by %d workers: %s", name, workers, diff)
			}
			if !c.All() {
				t.Errorf("%s: %d rows, %d skipped, %d looked at", name, c.Rows, c.Skipped, c.Looked)
			}
		}
	}
	if want.Rows != int64(len(rows)) || want.Passed == 0 || want.Passed == want.Rows {
		t.Errorf("%d rows, %d pass", want.Rows, want.Passed)
	}
	for i, q := range want.Queries {
		if q.Bounds.Rows != q.Counted || q.Bounds.Cut <= 0 || q.Bounds.Cut >= q.Bounds.Rows {
			t.Errorf("query %d: %d rows are counted, the bounds of units: %+v", i, q.Counted, q.Bounds)
		}
	}
}

// All rows of a small input are tallied. The answers do not depend on it, and nothing is tallied unless requested.
func TestChecksOfASample(t *testing.T) {
	path := filepath.Join(t.TempDir(), "text.csv")
	if err := os.WriteFile(path, csvOf(t, people(20_000)), 0o600); err != nil {
		t.Fatal(err)
	}
	all, some := looked(t, path, formatsJob, 2, local.LookAll), looked(t, path, formatsJob, 2, local.LookSome)
	if diff := cmp.Diff(summary(all), summary(some)); diff != "" || !some.All() {
		t.Errorf("a sample of %d of %d rows: %s", some.Looked, some.Rows, diff)
	}
	if c := looked(t, path, formatsJob, 2, local.LookNone); c != nil {
		t.Error("rows were tallied that nobody asked for")
	}
}

// Only a sample of a large input is tallied. The sample does not depend on the number of workers, and the bounds count
// all rows.
func TestChecksOfALargeInput(t *testing.T) {
	path := filepath.Join(t.TempDir(), "text.csv")
	text := csvOf(t, people(30_000))
	header, body, _ := bytes.Cut(text, []byte("\n"))
	if err := os.WriteFile(path, append(append(header, '\n'), bytes.Repeat(body, 16)...), 0o600); err != nil {
		t.Fatal(err)
	}
	const job = `
version: 1
name: large
privacy: {epsilon: 1, delta: 1e-6, unit: [person], per_unit: {max_rows: 4}}
input: {files: [%s], csv: {types: {person: int}}}
queries: [{name: colours, histogram: {by: [{column: colour, values: [red, blue]}]}}]
output: {dir: out}
ledger: {store: "sqlite:ledger.db", dataset: d, budget: {epsilon: 9, delta: 1e-4}}
`
	one, three := looked(t, path, job, 1, local.LookSome), looked(t, path, job, 3, local.LookSome)
	if diff := cmp.Diff(summary(one), summary(three)); diff != "" {
		t.Error(diff)
	}
	if one.Rows != 16*30_000 || one.Looked < one.Rows/100 || one.Looked > 2*one.Rows/3 {
		t.Errorf("%d of %d rows were looked at", one.Looked, one.Rows)
	}
	for i, q := range one.Queries {
		if q.Bounds.Rows <= q.Counted() {
			t.Errorf("query %d: the bounds speak of %d rows, %d are counted in the sample", i, q.Bounds.Rows, q.Counted())
		}
	}
}

// If a column has the wrong layout, all its rows count as unparsed. Each event counts as a row.
func TestChecksOfUnparsedColumns(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.csv")
	rows := "card,from,to\n" + strings.Repeat("1,03/02/2024,2024-02-04\n", 60) + strings.Repeat("1,,2024-02-04\n", 40)
	if err := os.WriteFile(path, []byte(rows), 0o600); err != nil {
		t.Fatal(err)
	}
	c := looked(t, path, `
version: 1
name: unparsed
privacy: {epsilon: 1, delta: 1e-6, unit: [card], per_unit: {max_rows: 2}}
input: {files: [%s], csv: {types: {from: date, to: date}}, events: [{day: from}, {day: to}]}
queries: [{name: months, histogram: {by: [{column: day, part: month}]}}]
output: {dir: out}
ledger: {store: "sqlite:ledger.db", dataset: d, budget: {epsilon: 9, delta: 1e-4}}
`, 1, local.LookSome)
	if x := c.Queries[0].Inputs()[0]; x.Rows != 200 || x.Null != 40 || x.Unparsed != 60 || c.Queries[0].Counted() != 100 {
		t.Errorf("%+v, %d are counted", x, c.Queries[0].Counted())
	}
}
