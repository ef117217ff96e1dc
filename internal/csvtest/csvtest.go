// Package csvtest reads CSV tables in tests: files of reference values, and the tables of releases.
package csvtest

import (
	"compress/gzip"
	"encoding/csv"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// Shared returns the path of a file of the project's reference data, which is in the folder DPRELEASE_SHARED. If the
// variable is not set, the test is skipped.
func Shared(t testing.TB, parts ...string) string {
	t.Helper()
	root := os.Getenv("DPRELEASE_SHARED")
	if root == "" {
		t.Skip("no reference data: DPRELEASE_SHARED is not set")
	}
	return filepath.Join(append([]string{root}, parts...)...)
}

// Row is a row of a table, by column.
type Row map[string]string

// Float returns a column as a number; NaN if it is not a number.
func (r Row) Float(column string) float64 {
	x, err := strconv.ParseFloat(r[column], 64)
	if err != nil {
		return math.NaN()
	}
	return x
}

// Rows reads a table by row. The file may be compressed by gzip.
func Rows(t testing.TB, path string) []Row {
	t.Helper()
	header, records := read(t, path)
	rows := make([]Row, len(records))
	for i, record := range records {
		rows[i] = Row{}
		for k, column := range header {
			rows[i][column] = record[k]
		}
	}
	return rows
}

// Columns reads a table and returns its columns by name.
func Columns(t testing.TB, path string) map[string][]string {
	t.Helper()
	header, records := read(t, path)
	columns := map[string][]string{}
	for k, column := range header {
		for _, record := range records {
			columns[column] = append(columns[column], record[k])
		}
	}
	return columns
}

// Floats parses numbers. It fails the test if a text is not a number.
func Floats(t testing.TB, texts []string) []float64 {
	t.Helper()
	out := make([]float64, len(texts))
	for i, text := range texts {
		var err error
		if out[i], err = strconv.ParseFloat(text, 64); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

func read(t testing.TB, path string) (header []string, records [][]string) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	var r io.Reader = f
	if strings.HasSuffix(path, ".gz") {
		if r, err = gzip.NewReader(f); err != nil {
			t.Fatal(err)
		}
	}
	records, err = csv.NewReader(r).ReadAll()
	if err = errors.Join(err, f.Close()); err != nil || len(records) == 0 {
		t.Fatalf("%s: %d records, %v", path, len(records), err)
	}
	return records[0], records[1:]
}

// Farthest returns the largest difference between numbers at the same index, or +Inf if the lengths differ. a and b
// must hold no NaN.
func Farthest(a, b []float64) (d float64) {
	if len(a) != len(b) {
		return math.Inf(1)
	}
	for i := range a {
		if e := math.Abs(a[i] - b[i]); !(e <= d) {
			d = e
		}
	}
	return d
}
