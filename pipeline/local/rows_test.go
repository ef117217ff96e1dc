package local_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"

	"github.com/dprelease/dprelease/internal/mechanism/mechanismtest"
	"github.com/dprelease/dprelease/internal/wiring"
	"github.com/dprelease/dprelease/io/source"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/enginetest"
	"github.com/dprelease/dprelease/pipeline/local"
	"github.com/dprelease/dprelease/queries/problem"
)

const publicRowsJob = `
version: 1
name: rows
privacy: {epsilon: 1, delta: 1e-6, unit: row, adjacency: replace-one}
input: {files: [%s], rows: %d, csv: {header: %v, columns: [a, b], quote: none, comment: "#", trim_space: true, types: {a: int}, null_values: [""]}}
queries:
  - name: a
    histogram: {by: [{column: a, edges: [0, 5, 10], null: bin}]}
  - name: b
    histogram: {by: [{column: b, values: [x, y], null: bin, other: bin}]}
output: {dir: out}
ledger: {store: "sqlite:ledger.db", dataset: rows, budget: {epsilon: 9, delta: 1e-4}}
`

// publicRows returns the exact answers of a job with a public number of rows on one CSV file.
func publicRows(t *testing.T, name, text string, header bool, rows int) ([][]int64, error) {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, name)
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if strings.HasSuffix(name, ".gz") {
		z := gzip.NewWriter(f)
		_, err = z.Write([]byte(text))
		err = errors.Join(err, z.Close())
	} else {
		_, err = f.WriteString(text)
	}
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	p := enginetest.Plan(t, filepath.Join(dir, "job.yaml"), fmt.Appendf(nil, publicRowsJob, name, rows, header))
	data, err := source.Open(t.Context(), wiring.SourceOptions(p.Job()))
	if err != nil {
		t.Fatal(err)
	}
	e := local.New(data, 3)
	defer e.Close()
	a, err := e.Aggregate(t.Context(), p, pipeline.Silent{})
	if err != nil {
		return nil, err
	}
	var out [][]int64
	for _, exact := range a.Exacts {
		_, cells := mechanismtest.Open(t, exact[0])
		out = append(out, slices.Clone(cells))
	}
	return out, nil
}

// With a public number of rows, a line that looks blank or like a comment counts as a row without values.
func TestRowsThatLookLikeNone(t *testing.T) {
	many := strings.Repeat("7,x\n", 300_000) // several pieces
	for _, name := range []string{"a.csv", "a.csv.gz"} {
		for _, c := range []struct {
			what, text string
			rows       int
			a          []int64 // 0 to 5, 5 to 10, null
			b          []int64 // x, y, null, other
		}{
			{"plain", "1,x\n6,y\n7,x\n", 3, []int64{1, 2, 0}, []int64{2, 1, 0, 0}},
			{"a line without text", "1,x\n\n7,x\n", 3, []int64{1, 1, 1}, []int64{2, 0, 1, 0}},
			{"the first", "\n6,y\n7,x\n", 3, []int64{0, 2, 1}, []int64{1, 1, 1, 0}},
			{"the last", "1,x\n6,y\n\n", 3, []int64{1, 1, 1}, []int64{1, 1, 1, 0}},
			{"the last, without an end", "1,x\n6,y\n#x", 3, []int64{1, 1, 1}, []int64{1, 1, 1, 0}},
			{"a line of blanks", "1,x\n \t \n7,x\n", 3, []int64{1, 1, 1}, []int64{2, 0, 1, 0}},
			{"a comment", "1,x\n#6,y\n7,x\n", 3, []int64{1, 1, 1}, []int64{2, 0, 1, 0}},
			{"only commas", "1,x\n,\n7,x\n", 3, []int64{1, 1, 1}, []int64{2, 0, 1, 0}},
			{"comments and blank lines around the rows", "#a\n\n1,x\n6,y\n7,x\n\n#", 3, []int64{1, 2, 0}, []int64{2, 1, 0, 0}},
			{"both", "#a\n\n1,x\n#6,y\n7,x\n\n#", 3, []int64{1, 1, 1}, []int64{2, 0, 1, 0}},
			{"all", "\n\n\n", 3, []int64{0, 0, 3}, []int64{0, 0, 3, 0}},
			{"in many pieces", many + "\n" + many + "#\n" + many, 900_002, []int64{0, 900_000, 2}, []int64{900_000, 0, 2, 0}},
			{"many of them", strings.Repeat("\n", 200_000) + "1,x\n", 150_001, []int64{1, 0, 150_000},
				[]int64{1, 0, 150_000, 0}},
		} {
			got, err := publicRows(t, name, c.text, false, c.rows)
			if err != nil || !slices.Equal(got[0], c.a) || !slices.Equal(got[1], c.b) {
				t.Errorf("%s, %s: %v, %v, want %v and %v", name, c.what, got, err, c.a, c.b)
			}
		}
	}
	// Lines before the header are never rows.
	if got, err := publicRows(t, "a.csv", "#c\n\na,b\n1,x\n\n", true, 2); err != nil ||
		!slices.Equal(got[0], []int64{1, 0, 1}) {
		t.Errorf("behind a header: %v, %v", got, err)
	}
	for what, text := range map[string]string{
		"too few lines": "1,x\n\n", "too many rows": "1,x\n6,y\n7,x\n8,x\n", "no line": "",
		"lines before a header": "\n\n\na,b\n1,x\n",
	} {
		var e *pipeline.Error
		if _, err := publicRows(t, "a.csv", text, what == "lines before a header", 3); !errors.As(err, &e) ||
			e.Code != problem.CodeRows {
			t.Errorf("%s: %v", what, err)
		}
	}
}
