package source_test

import (
	"context"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/dprelease/dprelease/io/source"
	"github.com/dprelease/dprelease/io/source/textfile"
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/io/table/tabletest"
)

// record is a row of the sample table, which every writer writes.
type record struct {
	unit  int64
	cat   *string
	value *float64
	flag  *bool
	day   int32
	at    int64 // microseconds since 1970, UTC
	note  string
}

var sampleColumns = []string{"unit", "cat", "value", "flag", "day", "at", "note"}

// row returns the expected result of reading r.
func (r record) row() []any {
	out := []any{r.unit, nil, nil, nil, int64(r.day), r.at, r.note}
	if r.cat != nil {
		out[1] = *r.cat
	}
	if r.value != nil {
		out[2] = tabletest.Float(*r.value)
	}
	if r.flag != nil {
		out[3] = int64(0)
		if *r.flag {
			out[3] = int64(1)
		}
	}
	return out
}

// sample makes n rows with nulls, long runs, runs of nulls, many and few distinct values, and dates before 1970.
func sample(n int) []record {
	rng := rand.New(rand.NewSource(7))
	out := make([]record, n)
	for i := range out {
		r := record{unit: rng.Int63n(1 << 40), day: int32(rng.Intn(30000) - 5000), at: rng.Int63n(4e15) - 2e15}
		if i/100%7 == 0 { // a run
			r.unit, r.day = 5, 3
		}
		if rng.Intn(10) > 0 && i/1000%3 != 1 {
			s := fmt.Sprintf("canary category %d", rng.Intn(40))
			r.cat = &s
		}
		if rng.Intn(20) > 0 {
			v := rng.NormFloat64() * 1e3
			r.value = &v
		}
		if b := rng.Intn(2) == 0; rng.Intn(4) > 0 || i/500%2 == 0 {
			r.flag = &b
		}
		r.note = fmt.Sprintf("canary note %d, \"%x\"\n%s", i, rng.Int63n(1000), []string{"", "ü", ","}[i%3])
		if i%11 == 0 {
			r.note = ""
		}
		out[i] = r
	}
	return out
}

func rowsOf(records []record) [][]any {
	out := make([][]any, len(records))
	for i, r := range records {
		out[i] = r.row()
	}
	return out
}

// write puts a file into a new folder and returns its path.
func write(t testing.TB, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func open(t testing.TB, csv textfile.CSV, paths ...string) *source.Dataset {
	t.Helper()
	d, err := source.Open(context.Background(), source.Options{Files: paths, CSV: csv})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return d
}

// read returns all rows of some columns, and checks every batch with sound.
func read(t testing.TB, d *source.Dataset, columns ...string) [][]any {
	t.Helper()
	rows, err := readAll(d, columns...)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// readAll is read, but returns errors. It also reads splits of few rows of Parquet files with so little memory that all
// columns pass through windows.
func readAll(d *source.Dataset, columns ...string) ([][]any, error) {
	var rows [][]any
	for split := range d.Splits() {
		before := len(rows)
		sum, err := d.Read(context.Background(), split, columns, func(b *table.Batch) error {
			rows = append(rows, tabletest.Rows(b)...)
			return sound(b, len(columns))
		})
		if source.FormatOf(d.Files()[0]) == "parquet" && len(rows)-before < 10_000 {
			if differs := windowed(d, split, columns, rows[before:], sum, err); differs != nil {
				return nil, differs
			}
		}
		if err != nil {
			return nil, err
		}
		digest, err := d.Digest(context.Background(), split, columns)
		if err != nil {
			return nil, err
		}
		if string(sum) != string(digest) {
			return nil, fmt.Errorf("split %d: Read and Digest disagree", split)
		}
	}
	return rows, nil
}

// windowed reads a split with little memory. It returns an error if rows, digest or failure differ from a read with
// much memory.
func windowed(d *source.Dataset, split int, columns []string, rows [][]any, digest []byte, failed error) error {
	var got [][]any
	s := d.NewSplitReader(nil, nil)
	s.Memory = 1
	sum, err := s.Read(context.Background(), split, columns, func(b *table.Batch) error {
		got = append(got, tabletest.Rows(b)...)
		return sound(b, len(columns))
	})
	switch {
	case (err == nil) != (failed == nil):
		return fmt.Errorf("split %d: read with little memory: %w, with much: %w", split, err, failed)
	case err == nil && (string(sum.Digest) != string(digest) || !slices.EqualFunc(rows, got, slices.Equal[[]any])):
		return fmt.Errorf("split %d: with little memory it is read as %d other rows", split, len(got))
	}
	return nil
}

// sound checks the documented properties of table.Column.
func sound(b *table.Batch, columns int) error {
	if len(b.Columns) != columns || b.Rows < 1 || b.Rows > 1<<16 {
		return fmt.Errorf("a batch of %d rows and %d columns", b.Rows, len(b.Columns))
	}
	for i := range b.Columns {
		c := &b.Columns[i]
		if c.Len() != b.Rows || c.Valid != nil && len(c.Valid) != c.Len() || c.Unparsed != nil &&
			len(c.Unparsed) != c.Len() {
			return fmt.Errorf("column %d has %d rows, the batch %d", i, c.Len(), b.Rows)
		}
		for _, code := range c.Codes {
			if code < 0 || int(code) >= c.Values.Len(c.Type.Kind) {
				return fmt.Errorf("column %d: code %d is out of range", i, code)
			}
		}
		if c.Codes != nil && c.Dict == 0 {
			return fmt.Errorf("column %d: a dictionary without identity", i)
		}
	}
	return nil
}

type batch = *table.Batch

// batches calls f with all batches.
func batches(t testing.TB, d *source.Dataset, columns []string, f func(batch)) {
	t.Helper()
	for split := range d.Splits() {
		if _, err := d.Read(context.Background(), split, columns,
			func(b *table.Batch) error { f(b); return nil }); err != nil {
			t.Fatal(err)
		}
	}
}

// same compares rows.
func same(t testing.TB, want, got [][]any) {
	t.Helper()
	if len(want) != len(got) {
		t.Fatalf("%d rows, want %d", len(got), len(want))
	}
	for i := range want {
		if !slices.Equal(want[i], got[i]) {
			t.Fatalf("row %d: got %v, want %v", i, got[i], want[i])
		}
	}
}
