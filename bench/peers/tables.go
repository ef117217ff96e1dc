package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go"
)

// The sizes of the invented tables. The tools get them as public bounds.
const (
	hours      = 24
	groups     = 10
	valueRange = 1000      // upper limit of the values whose quantiles are asked for
	wideCells  = 1_000_000 // number of cells of the long vector
	keys       = 100_000
	rowsOfUnit = 5
	smallRows  = 500 // number of rows in the papers' experiments
	dimensions = 100 // number of dimensions in the papers' experiments
	categories = 100 // number of categories in the large table
)

// The quantiles that are asked for, as fractions.
var quantiles = []float64{0.05, 0.25, 0.5, 0.75, 0.95, 0.99}

// truth holds the exact answers of a task: a vector for each result, by its name.
type truth map[string][]float64

type visit struct {
	Unit int64 `parquet:"unit"`
	Hour int64 `parquet:"hour"`
}

type payment struct {
	Group string  `parquet:"group,dict"`
	Value float64 `parquet:"value"`
}

type measured struct {
	Value float64 `parquet:"value"`
}

type place struct {
	Cell int64 `parquet:"cell"`
}

type word struct {
	Unit int64  `parquet:"unit"`
	Key  string `parquet:"key,dict"`
}

type event struct {
	Unit     int64  `parquet:"unit"`
	Category string `parquet:"category,dict"`
}

type component struct {
	Values []float64 `parquet:"values,list"`
}

func keyName(i int) string      { return fmt.Sprintf("key%05d", i) }
func groupName(i int) string    { return fmt.Sprintf("group%d", i) }
func categoryName(i int) string { return fmt.Sprintf("category%02d", i) }

// makeTable writes the table of a task, the same in every run, and returns its exact answers. No unit has more rows
// than the bound, so that a bound drops nothing and all tools estimate the same number. The large table is an
// exception: it is only for timing.
func makeTable(dir string, t *task, big int) (truth, error) {
	r := rand.New(rand.NewPCG(33, uint64(t.name[0])))
	path := filepath.Join(dir, t.name+".parquet")
	switch t.name {
	case "hours":
		cells := make([]float64, hours)
		var rows []visit
		for unit := range int64(20_000) {
			for range 1 + r.IntN(rowsOfUnit) {
				hour := (int64(14+4*r.NormFloat64())%hours + hours) % hours
				cells[hour]++
				rows = append(rows, visit{unit, hour})
			}
		}
		return truth{"counts": cells}, write(path, rows)
	case "groups":
		sums, counts := make([]float64, groups), make([]float64, groups)
		rows := make([]payment, 50_000)
		for i := range rows {
			g := min(int(r.ExpFloat64()*2.5), groups-1)
			rows[i] = payment{groupName(g), math.Round(100*min(100, 20*math.Exp(0.7*r.NormFloat64()))) / 100}
			sums[g] += rows[i].Value
			counts[g]++
		}
		means := make([]float64, groups)
		for g := range means {
			means[g] = sums[g] / counts[g]
		}
		return truth{"sums": sums, "means": means}, write(path, rows)
	case "quantiles":
		rows, values := make([]measured, 100_000), make([]float64, 100_000)
		for i := range rows {
			values[i] = min(valueRange-0.01, math.Round(100*120*math.Exp(0.8*r.NormFloat64()))/100)
			rows[i] = measured{values[i]}
		}
		slices.Sort(values)
		var exact []float64
		for _, q := range quantiles {
			exact = append(exact, values[int(q*float64(len(values)))])
		}
		return truth{"quantiles": exact}, write(path, rows)
	case "wide":
		cells := make([]float64, wideCells)
		rows := make([]place, 2_000_000)
		for i := range rows {
			rows[i].Cell = int64(wideCells * math.Pow(r.Float64(), 3))
			cells[rows[i].Cell]++
		}
		return truth{"counts": cells}, write(path, rows)
	case "keys":
		cells := make([]float64, keys)
		zipf := rand.NewZipf(r, 1.1, 1, keys-1)
		var rows []word
		for unit := range int64(200_000) {
			mine := map[uint64]bool{}
			for range 1 + r.IntN(rowsOfUnit) {
				key := zipf.Uint64()
				if mine[key] {
					continue
				}
				mine[key] = true
				cells[key]++
				rows = append(rows, word{unit, keyName(int(key))})
			}
		}
		return truth{"counts": cells}, write(path, rows)
	case "adult":
		return makeAdult(path)
	case "large":
		return truth{"counts": make([]float64, categories)}, writeLarge(path, r, big)
	case "mean":
		means := make([]float64, dimensions)
		rows := make([]component, smallRows)
		for i := range rows {
			for j := range dimensions {
				x := r.Float64() - 0.5
				rows[i].Values = append(rows[i].Values, x)
				means[j] += x / smallRows
			}
		}
		return truth{"means": means}, write(path, rows)
	case "histogram":
		cells := make([]float64, dimensions)
		rows := make([]place, smallRows)
		for i := range rows {
			rows[i].Cell = int64(dimensions * math.Pow(r.Float64(), 4))
			cells[rows[i].Cell]++
		}
		return truth{"counts": cells}, write(path, rows)
	}
	return nil, fmt.Errorf("there is no table for %q", t.name)
}

// write writes rows, first under another name, so that no file is left incomplete.
func write[R any](path string, rows []R) error {
	return writeWith(path, func(w io.Writer) error { return parquet.Write(w, rows, parquet.Compression(&parquet.Snappy)) })
}

func writeWith(path string, write func(io.Writer) error) error {
	f, err := os.Create(path + ".part")
	if err != nil {
		return err
	}
	if err := errors.Join(write(f), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// writeLarge writes the large table in pieces. It has ten times as many rows as units, so most units exceed the bound.
func writeLarge(path string, r *rand.Rand, rows int) error {
	return writeWith(path, func(f io.Writer) error {
		w := parquet.NewGenericWriter[event](f, parquet.Compression(&parquet.Snappy))
		piece := make([]event, 0, 100_000)
		for done := 0; done < rows; done += len(piece) {
			piece = piece[:0]
			for range min(cap(piece), rows-done) {
				category := int(categories * math.Pow(r.Float64(), 2))
				piece = append(piece, event{int64(r.IntN(max(rows/10, 1))), categoryName(category)})
			}
			if _, err := w.Write(piece); err != nil {
				return err
			}
		}
		return w.Close()
	})
}

// adultColumns are the categorical columns of the UCI Adult table for the cross tabulation: their indices in a line and
// their numbers of values, including "?" for unknown.
var adultColumns = []struct {
	name         string
	place, cells int
}{
	{"workclass", 1, 9}, {"education", 3, 16}, {"marital_status", 5, 7}, {"occupation", 6, 15}, {"relationship", 7, 6},
	{"race", 8, 5}, {"sex", 9, 2}, {"native_country", 13, 42}, {"income", 14, 2},
}

// makeAdult writes the table as codes from 0 on, in the order of the sorted texts. The lists of texts are public: they
// are in the table's documentation. The answers are all tables of one column, then all of two, row by row.
func makeAdult(path string) (truth, error) {
	dir := filepath.Join(os.Getenv("DPRELEASE_DATA"), "adult")
	var lines [][]string
	for _, name := range []string{"adult.data", "adult.test"} {
		f, err := os.Open(filepath.Join(dir, name))
		if err != nil {
			return nil, fmt.Errorf("the UCI Adult table is not there: DPRELEASE_DATA names no folder with adult/%s", name)
		}
		for scan := bufio.NewScanner(f); scan.Scan(); {
			fields := strings.Split(strings.TrimSuffix(scan.Text(), "."), ",")
			if len(fields) < 15 {
				continue
			}
			for i := range fields {
				fields[i] = strings.TrimSpace(fields[i])
			}
			lines = append(lines, fields)
		}
		if err := f.Close(); err != nil {
			return nil, err
		}
	}
	codes := make([][]int, len(adultColumns))
	node := parquet.Group{}
	for c, column := range adultColumns {
		var texts []string
		for _, fields := range lines {
			texts = append(texts, fields[column.place])
		}
		codes[c] = make([]int, len(texts))
		list := slices.Compact(slices.Sorted(slices.Values(texts)))
		if len(list) != column.cells {
			return nil, fmt.Errorf("column %s of Adult has %d texts and not %d", column.name, len(list), column.cells)
		}
		for i, text := range texts {
			codes[c][i], _ = slices.BinarySearch(list, text)
		}
		node[column.name] = parquet.Int(64)
	}
	var cells []float64
	for _, table := range adultTables() {
		answer := make([]float64, size(table))
		for i := range lines {
			cell := 0
			for _, c := range table {
				cell = cell*adultColumns[c].cells + codes[c][i]
			}
			answer[cell]++
		}
		cells = append(cells, answer...)
	}
	err := writeWith(path, func(f io.Writer) error {
		schema := parquet.NewSchema("adult", node)
		w := parquet.NewGenericWriter[map[string]int64](f, schema, parquet.Compression(&parquet.Snappy))
		for i := range lines {
			row := map[string]int64{}
			for c, column := range adultColumns {
				row[column.name] = int64(codes[c][i])
			}
			if _, err := w.Write([]map[string]int64{row}); err != nil {
				return err
			}
		}
		return w.Close()
	})
	return truth{"cells": cells}, err
}

// adultTables returns the columns of each table: the single ones, then the pairs.
func adultTables() (tables [][]int) {
	for c := range adultColumns {
		tables = append(tables, []int{c})
	}
	for a := range adultColumns {
		for b := a + 1; b < len(adultColumns); b++ {
			tables = append(tables, []int{a, b})
		}
	}
	return tables
}

func size(table []int) int {
	cells := 1
	for _, c := range table {
		cells *= adultColumns[c].cells
	}
	return cells
}
