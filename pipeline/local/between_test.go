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
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/enginetest"
	"github.com/dprelease/dprelease/pipeline/local"
	"github.com/dprelease/dprelease/queries/problem"
)

// ride has two times. Each may be an event.
type ride struct {
	Rider int64 `parquet:"rider"`
	Pick  int64 `parquet:"pick"`
	Drop  int64 `parquet:"drop"`
}

// rides has ten row groups of 100 rows: picked at 0 to 999, dropped 300 later.
func rides(t *testing.T, createdBy string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := parquet.NewGenericWriter[ride](&b, parquet.MaxRowsPerRowGroup(100), parquet.CreatedBy(createdBy, "1", "1"))
	for i := range int64(1000) {
		if _, err := w.Write([]ride{{i, i, i + 300}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

const ridesJob = `
version: 1
name: rides
privacy: {epsilon: 1, delta: 1e-6, unit: [rider], per_unit: {max_rows: 2}}
input: {files: [a.parquet], %s}
queries:
  - {name: all, count: {}}
  - {name: when, histogram: {by: [{column: %s, edges: [0, 500, 2000]}]}}
output: {dir: out}
ledger: {store: "sqlite:ledger.db", dataset: rides, budget: {epsilon: 9, delta: 1e-4}}
`

// ridden returns the exact counts of a job on a file, and the input's digest. It checks that Digest and Aggregate
// return the same digest.
func ridden(t *testing.T, content []byte, input, column string) (all int64, when []int64, digest string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.parquet"), content, 0o600); err != nil {
		t.Fatal(err)
	}
	p := enginetest.Plan(t, filepath.Join(dir, "job.yaml"), fmt.Appendf(nil, ridesJob, input, column))
	data, err := source.Open(t.Context(), source.Options{Dir: dir, Files: p.Job().Input.Files})
	if err != nil {
		t.Fatal(err)
	}
	e := local.New(data, 3)
	defer e.Close()
	a, err := e.Aggregate(t.Context(), p, pipeline.Silent{})
	if err != nil {
		t.Fatal(err)
	}
	again, err := e.Digest(t.Context(), p, pipeline.Silent{})
	if err != nil || !bytes.Equal(again, a.Input) {
		t.Errorf("%s: digest %x, %v; aggregate said %x", input, again, err, a.Input)
	}
	_, cells := mechanismtest.Open(t, a.Exacts[0][0])
	_, when = mechanismtest.Open(t, a.Exacts[1][0])
	return cells[0], when, string(a.Input)
}

// Each event has its own column for the filter: if the statistics of one event rule a row group out, another event's
// rows may still pass.
func TestEventsAreFilteredApart(t *testing.T) {
	content := rides(t, "a")
	for _, c := range []struct {
		where     string
		all       int64
		low, high int64
	}{
		{"{column: tick, min: 150, max: 249}", 100, 100, 0},                   // picked alone: nobody is dropped before 300
		{"{column: tick, min: 1150, max: 1249}", 100, 0, 100},                 // dropped alone
		{"{column: tick, min: 450, max: 549}", 200, 100, 100},                 // both, of different row groups
		{"{column: tick, in: [5, 305, 1299, 1300]}", 4, 3, 1},                 // 5 and 305 are picked, 305 and 1299 dropped
		{"{column: tick, min: -5, max: -1}", 0, 0, 0},                         // neither
		{"{column: tick, min: 450}, {column: tick, max: 549}", 200, 100, 100}, // two filters
	} {
		for _, events := range []string{"events: [{tick: pick}, {tick: drop}]", "events: [{tick: drop}, {tick: pick}]"} {
			all, when, _ := ridden(t, content, events+", where: ["+c.where+"]", "tick")
			if all != c.all || when[0] != c.low || when[1] != c.high {
				t.Errorf("%s, %s: %d rows, %v by time; want %d, [%d %d]", events, c.where, all, when, c.all, c.low, c.high)
			}
		}
	}
	// One event: the filter uses the column of that event, not the column of the input with the same name.
	all, _, _ := ridden(t, content, "events: [{pick: drop}], where: [{column: pick, min: 600, max: 649}]", "pick")
	if all != 50 {
		t.Errorf("one event that has another's name: %d rows, want 50", all)
	}
}

// A file that differs only in its footer is another input, because the footer decides which rows are read.
func TestDigestHoldsTheFooter(t *testing.T) {
	one, other := rides(t, "a"), rides(t, "b")
	differ := 0
	for i := range min(len(one), len(other)) {
		if one[i] != other[i] {
			differ++
		}
	}
	if differ != 1 || len(one) != len(other) {
		t.Fatalf("the files differ in %d bytes, and have %d and %d; want one byte, of the footer", differ, len(one),
			len(other))
	}
	for _, input := range []string{"where: [{column: drop, min: 0}]", "where: [{column: pick, max: 99}]",
		"where: [{column: pick, max: -1}]", "events: [{pick: drop}]"} {
		_, _, a := ridden(t, one, input, "pick")
		_, _, b := ridden(t, other, input, "pick")
		if _, _, again := ridden(t, one, input, "pick"); again != a {
			t.Errorf("%s: a copy of the file has another digest", input)
		}
		if a == b {
			t.Errorf("%s: two files with different footers have one digest", input)
		}
	}
}

// A public number of rows counts the rows of all files, filtered or not. One row more or less is refused, with the same
// message.
func TestPublicRows(t *testing.T) {
	content := ticks(t)
	var texts []string
	for _, rows := range []int{999, 1001, 1, 2000} {
		for _, where := range []string{", where: [{column: tick, max: 99}]", ", where: [{column: tick, max: -1}]"} {
			_, err := counted(t, content, "replace-one", fmt.Sprintf("rows: %d%s", rows, where))
			var e *pipeline.Error
			if !errors.As(err, &e) || e.Code != problem.CodeRows {
				t.Errorf("rows: %d%s: error %v, want rows", rows, where, err)
				continue
			}
			texts = append(texts, e.Error())
		}
	}
	if slices.Sort(texts); len(slices.Compact(texts)) != 1 {
		t.Errorf("the error tells more than that: %q", texts)
	}
	if got, err := counted(t, content, "replace-one", "rows: 1000, where: [{column: tick, max: 99}]"); err != nil ||
		got != 100 {
		t.Errorf("the right number: %d rows, %v, want 100", got, err)
	}
}
