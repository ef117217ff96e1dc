package local_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/dprelease/dprelease/internal/mechanism/mechanismtest"
	"github.com/dprelease/dprelease/io/source"
	"github.com/dprelease/dprelease/io/source/fault"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/enginetest"
	"github.com/dprelease/dprelease/pipeline/local"
)

const pruneJob = `
version: 1
name: prune
privacy: {epsilon: 1, delta: 1e-6, unit: row, adjacency: %s}
input: {files: [a.parquet], %s}
queries:
  - {name: all, count: {}}
output: {dir: out}
ledger: {store: "sqlite:ledger.db", dataset: prune, budget: {epsilon: 9, delta: 1e-4}}
`

type ticked struct {
	Tick int64   `parquet:"tick"`
	X    float64 `parquet:"x"`
	Note string  `parquet:"note"`
}

// ticks has ten row groups of 100 rows: ticks 0 to 999.
func ticks(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	w := parquet.NewGenericWriter[ticked](&b, parquet.MaxRowsPerRowGroup(100), parquet.DataPageStatistics(false))
	for i := range 1000 {
		if _, err := w.Write([]ticked{{int64(i), float64(i) / 2, "a note"}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// engineOn returns the plan of a job and an engine on a file.
func engineOn(t *testing.T, content []byte, adjacency, input string) (*pipeline.Plan, *local.Engine) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.parquet"), content, 0o600); err != nil {
		t.Fatal(err)
	}
	p := enginetest.Plan(t, filepath.Join(dir, "job.yaml"), fmt.Appendf(nil, pruneJob, adjacency, input))
	data, err := source.Open(t.Context(), source.Options{Dir: dir, Files: p.Job().Input.Files})
	if err != nil {
		t.Fatal(err)
	}
	e := local.New(data, 3)
	t.Cleanup(func() { _ = e.Close() })
	return p, e
}

// counted returns the exact count of a job on a file, and checks that Digest and Aggregate return the same digest.
func counted(t *testing.T, content []byte, adjacency, input string) (int64, error) {
	t.Helper()
	p, e := engineOn(t, content, adjacency, input)
	a, err := e.Aggregate(t.Context(), p, pipeline.Silent{})
	if err != nil {
		return 0, err
	}
	digest, err := e.Digest(t.Context(), p, pipeline.Silent{})
	if err != nil || !slices.Equal(digest, a.Input) {
		t.Errorf("digest %x, %v; aggregate said %x", digest, err, a.Input)
	}
	_, cells := mechanismtest.Open(t, a.Exacts[0][0])
	return cells[0], nil
}

// Row groups that the footer rules out are not read and may even be damaged. All others are read.
func TestFiltersSkipRowGroups(t *testing.T) {
	sound := ticks(t)
	damaged := bytes.Clone(sound)
	pf, err := parquet.OpenFile(bytes.NewReader(sound), int64(len(sound)))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range pf.Metadata().RowGroups[7].Columns { // ticks 700 to 799
		for i := range c.MetaData.TotalCompressedSize {
			damaged[c.MetaData.DataPageOffset+i] ^= 0x55
		}
	}
	for where, want := range map[string]int64{
		"{column: tick, from: 150, before: 700}":       550,
		"{column: tick, in: [5, 650, 2000]}":           2,
		"{column: tick, max: -1}":                      0,
		"{column: tick, max: 99}, {column: x, max: 9}": 19,
	} {
		for name, content := range map[string][]byte{"sound": sound, "damaged": damaged} {
			if got, err := counted(t, content, "add-remove", "where: ["+where+"]"); err != nil || got != want {
				t.Errorf("%s, %s: %d, %v, want %d", where, name, got, err, want)
			}
		}
		if got, err := counted(t, sound, "add-remove", "statistics: ignore, where: ["+where+"]"); err != nil || got != want {
			t.Errorf("%s, without statistics: %d, %v, want %d", where, got, err, want)
		}
	}
	for _, input := range []string{
		"where: [{column: tick, from: 150, before: 701}]", "where: [{column: tick, not_in: [3]}]",
		"where: [{column: x, max: -1}]", "where: [{column: note, in: [x]}]", // floats and texts rule out nothing
		"statistics: ignore, where: [{column: tick, max: -1}]",
	} {
		var e *fault.Error
		if _, err := counted(t, damaged, "add-remove", input); !errors.As(err, &e) || e.RowGroup != 7 ||
			e.File != "a.parquet" {
			t.Errorf("%s: %v", input, err)
		}
	}
	if got, err := counted(t, damaged, "replace-one", "rows: 1000, where: [{column: tick, max: 99}]"); err != nil ||
		got != 100 {
		t.Errorf("with a public number of rows: %d, %v", got, err)
	}
}

// WrongMetadata finds statistics that are wrong. No run fails because of them, and statistics: ignore does not depend
// on them.
func TestStatisticsThatDoNotHold(t *testing.T) {
	content := ticks(t)
	// The tick 299 occurs only in the pages; in the footer 250 is the max of its row group.
	greatest, lie := []byte{0x2b, 1, 0, 0, 0, 0, 0, 0}, []byte{0xfa, 0, 0, 0, 0, 0, 0, 0}
	for at := bytes.LastIndex(content, greatest); at > len(content)*2/3; at = bytes.LastIndex(content[:at], greatest) {
		copy(content[at:], lie)
	}
	for input, want := range map[string]int64{
		"where: [{column: tick, from: 210, before: 240}]":                     30,
		"where: [{column: tick, from: 240, before: 260}]":                     20,
		"where: [{column: tick, from: 260, before: 290}]":                     0, // trusted
		"statistics: ignore, where: [{column: tick, from: 260, before: 290}]": 30,
	} {
		if got, err := counted(t, content, "add-remove", input); err != nil || got != want {
			t.Errorf("%s: %d, %v, want %d", input, got, err, want)
		}
	}
	for name, c := range map[string]struct {
		content []byte
		input   string
		want    []source.FalseMetadata
	}{
		"a wrong max": {content, "where: [{column: tick, min: 1}]",
			[]source.FalseMetadata{{File: "a.parquet", RowGroup: 2, Column: "tick"}}},
		"of another column":   {content, "where: [{column: x, min: 1}]", nil},
		"sound":               {ticks(t), "where: [{column: tick, min: 1}]", nil},
		"nothing is believed": {content, "where: []", nil},
		"ignored":             {content, "statistics: ignore, where: [{column: tick, min: 1}]", nil},
	} {
		p, e := engineOn(t, c.content, "add-remove", c.input)
		if wrong, err := e.WrongMetadata(t.Context(), p); err != nil || !slices.Equal(wrong, c.want) {
			t.Errorf("%s: %v, %v", name, wrong, err)
		}
	}
}

// The min and max of negative integers and of dates before 1970 are signed.
func TestNegativeValuesUnderFilters(t *testing.T) {
	type row struct {
		Four  int32 `parquet:"four"`
		Eight int64 `parquet:"eight"`
		Day   int32 `parquet:"day,date"`
	}
	var b bytes.Buffer
	w := parquet.NewGenericWriter[row](&b, parquet.MaxRowsPerRowGroup(100))
	for i := range 1000 {
		n := int32(i - 500)
		if _, err := w.Write([]row{{n, int64(n) << 33, n}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for where, want := range map[string]int64{
		"{column: four, min: -500, max: 0}":                       501,
		"{column: four, max: -1}":                                 500,
		"{column: four, in: [-450, 450]}":                         2,
		"{column: eight, max: 0}":                                 501,
		"{column: day, before: 1970-01-02}":                       501,
		"{column: day, from: 1969-12-01, before: 1970-02-01}":     62,
		"{column: day, in: [1969-12-31, 1969-01-01, 1971-01-01]}": 3,
	} {
		if got, err := counted(t, b.Bytes(), "add-remove", "where: ["+where+"]"); err != nil || got != want {
			t.Errorf("%s: %d, %v, want %d", where, got, err, want)
		}
	}
	if p, e := engineOn(t, b.Bytes(), "add-remove", "where: [{column: four, min: 0}]"); !leavesOut(t, p, e, 5) {
		t.Error("row groups of negative integers are read")
	}
	if p, e := engineOn(t, b.Bytes(), "add-remove", "where: [{column: day, from: 1970-01-01}]"); !leavesOut(t, p, e, 5) {
		t.Error("row groups of dates before 1970 are read")
	}
}

// leavesOut reports whether an engine skips this number of row groups for a plan.
func leavesOut(t *testing.T, p *pipeline.Plan, e *local.Engine, want int) bool {
	t.Helper()
	return local.LeftOut(t, e, p) == want
}

// The scan plan is the same for every table of a schema, whatever its row groups and statistics.
func TestExplainTellsNothingOfRows(t *testing.T) {
	var b bytes.Buffer
	w := parquet.NewGenericWriter[ticked](&b)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, content := range [][]byte{ticks(t), b.Bytes()} {
		for _, min := range []int{0, 500, 5000} {
			p, e := engineOn(t, content, "add-remove", fmt.Sprintf("where: [{column: tick, min: %d}]", min))
			s, err := e.Explain(p)
			if err != nil {
				t.Fatal(err)
			}
			texts = append(texts, fmt.Sprintf("%+v", *s))
		}
	}
	if texts = slices.Compact(texts); len(texts) != 1 {
		t.Errorf("%q", texts)
	}
}
