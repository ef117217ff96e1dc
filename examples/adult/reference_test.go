//go:build check

package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dprelease/dprelease/configs"
)

// columns are the table's, in the order of the files.
var columns = []string{
	"age", "workclass", "fnlwgt", "education", "education_num", "marital_status", "occupation",
	"relationship", "race", "sex",
	"capital_gain", "capital_loss", "hours_per_week", "native_country", "income",
}

// persons returns the values of all rows, in the plainest way.
func persons(t *testing.T, data string) (rows [][]string) {
	t.Helper()
	for _, name := range []string{trainFile, testFile} {
		text, err := os.ReadFile(filepath.Join(data, name))
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if values := strings.Split(strings.TrimSpace(line), ", "); len(values) == len(columns) {
				rows = append(rows, values)
			}
		}
	}
	return rows
}

// reference counts the complete rows by cell of a histogram, and returns the number of complete rows.
func reference(t *testing.T, data string, by []configs.Dimension) (cells map[int]int64, complete int) {
	t.Helper()
	cells = map[int]int64{}
	for _, row := range persons(t, data) {
		if slices.Contains(row, "?") {
			continue
		}
		complete++
		cell := 0
		for _, d := range by {
			value := strings.TrimSuffix(row[slices.Index(columns, d.Column)], ".")
			at := slices.IndexFunc(d.Values, func(l configs.Label) bool { return string(l.Name) == value })
			if at < 0 {
				t.Fatalf("the codebook lacks a value of %s", d.Column)
			}
			cell = cell*len(d.Values) + at
		}
		cells[cell]++
	}
	return cells, complete
}
