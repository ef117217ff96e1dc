// Package experimenttest is what the tests of the experiments share: a quick run, its tables, and the reference tables.
package experimenttest

import (
	"bytes"
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/dprelease/dprelease/examples/internal/experiment"
)

// Quick runs an experiment with --quick and returns the folder of its files.
func Quick(t *testing.T, e experiment.Experiment, more ...string) string {
	t.Helper()
	dir := t.TempDir()
	args := append([]string{"--quick", "--out", dir}, more...)
	if err := e.Execute(t.Context(), args, t.Output()); err != nil {
		t.Fatal(err)
	}
	return dir
}

// Row is a row of a table, by column.
type Row map[string]string

// Float is a column as a number, NaN where it is none.
func (r Row) Float(column string) float64 {
	x, err := strconv.ParseFloat(r[column], 64)
	if err != nil {
		return math.NaN()
	}
	return x
}

// Table reads NAME.csv of the folder dir; it is an error if it has no rows.
func Table(t *testing.T, dir, name string) []Row {
	t.Helper()
	return table(t, filepath.Join(dir, name+".csv"))
}

// Golden reads a reference table below $DPRELEASE_SHARED/golden, and skips the test where the variable is not set.
func Golden(t *testing.T, path string) []Row {
	t.Helper()
	shared := os.Getenv("DPRELEASE_SHARED")
	if shared == "" {
		t.Skip("no reference tables: DPRELEASE_SHARED is not set")
	}
	return table(t, filepath.Join(shared, "golden", filepath.FromSlash(path)))
}

func table(t *testing.T, path string) (rows []Row) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	records, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, record := range records[1:] {
		r := Row{}
		for i, column := range records[0] {
			r[column] = record[i]
		}
		rows = append(rows, r)
	}
	if len(rows) == 0 {
		t.Fatalf("%s has no rows", path)
	}
	return rows
}

// Figures looks for the PNG and the SVG of each name.
func Figures(t *testing.T, dir string, names ...string) {
	t.Helper()
	for _, name := range names {
		for extension, start := range map[string]string{".png": "\x89PNG", ".svg": "<?xml"} {
			content, err := os.ReadFile(filepath.Join(dir, name+extension))
			if err != nil || !bytes.HasPrefix(content, []byte(start)) || len(content) < 2000 {
				t.Errorf("figure %s%s: %d bytes, %v", name, extension, len(content), err)
			}
		}
	}
}
