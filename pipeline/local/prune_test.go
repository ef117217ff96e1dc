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

	"github.com/dprelease/dprelease/io/source"
	"github.com/dprelease/dprelease/mechanism/mechanismtest"
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

// ticks is ten row groups of 100 rows: ticks 0 to 999.
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

// counted returns the exact count of a job on a file, and checks that Digest says what Aggregate says.
func counted(t *testing.T, content []byte, adjacency, input string) (int64, error) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.parquet"), content, 0o600); err != nil {
		t.Fatal(err)
	}
	p := enginetest.Plan(t, filepath.Join(dir, "job.yaml"), fmt.Appendf(nil, pruneJob, adjacency, input))
	data, err := source.Open(t.Context(), source.Options{Dir: dir, Files: p.Job().Input.Files})
	if err != nil {
		return 0, err
	}
	e := local.New(data, 3)
	defer e.Close()
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

// What the footer rules out is not read: it may even be damaged. What it does not rule out is.
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
		"{column: tick, from: 150, before: 700}":            550,
		"{column: tick, in: [5, 650, 2000]}":                2,
		"{column: x, min: 400.5}":                           199,
		"{column: x, max: -1}":                              0,
		"{column: x, in: [0.5, 0.25]}, {column: x, max: 9}": 1,
		"{column: note, in: [x, a]}":                        0,
	} {
		for name, content := range map[string][]byte{"sound": sound, "damaged": damaged} {
			if got, err := counted(t, content, "add-remove", "where: ["+where+"]"); err != nil || got != want {
				t.Errorf("%s, %s: %d, %v, want %d", where, name, got, err, want)
			}
		}
	}
	for _, where := range []string{"{column: tick, from: 150, before: 701}", "{column: tick, not_in: [3]}", "{column: note, in: [x, a notebook]}"} {
		var e *source.Error
		if _, err := counted(t, damaged, "add-remove", "where: ["+where+"]"); !errors.As(err, &e) || e.RowGroup != 7 || e.File != "a.parquet" {
			t.Errorf("%s: %v", where, err)
		}
	}
	if got, err := counted(t, damaged, "replace-one", "rows: 1000, where: [{column: tick, max: 99}]"); err != nil || got != 100 {
		t.Errorf("with a public number of rows: %d, %v", got, err)
	}
}

// Statistics that the values contradict are an error where the values are read.
func TestStatisticsThatLie(t *testing.T) {
	content := ticks(t)
	// The tick 250 stands in the data alone; 299 in the footer, as the greatest of its row group.
	greatest, lie := []byte{0x2b, 1, 0, 0, 0, 0, 0, 0}, []byte{0xfa, 0, 0, 0, 0, 0, 0, 0}
	at := bytes.LastIndex(content, greatest)
	for at >= 0 {
		copy(content[at:], lie)
		next := bytes.LastIndex(content[:at], greatest)
		if next < len(content)*2/3 {
			break
		}
		at = next
	}
	var e *source.Error
	_, err := counted(t, content, "add-remove", "where: [{column: tick, from: 210, before: 240}]")
	if !errors.As(err, &e) || e.Code != source.CodeDamaged || e.RowGroup != 2 || e.Column != "tick" {
		t.Errorf("got %v", err)
	}
}
