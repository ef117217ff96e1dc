package main

import (
	"bufio"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dprelease/dprelease/configs"
	"github.com/dprelease/dprelease/examples/internal/example"
)

// cells holds the exact counts of a histogram's cells. Empty cells are not in it.
type cells struct {
	count  map[int]float64
	number int
}

// completeRows returns all rows without a missing value, each as a map from column to value. The code is as simple as
// possible, since it checks the program.
func completeRows(dir string, columns []string) (rows []map[string]string, err error) {
	for _, name := range []string{trainFile, testFile} {
		f, err := os.Open(filepath.Join(dir, "data", name))
		if err != nil {
			return nil, err
		}
		defer f.Close()
		lines := bufio.NewScanner(f)
		for lines.Scan() {
			values := strings.Split(strings.TrimSpace(lines.Text()), ", ")
			if len(values) != len(columns) || slices.Contains(values, "?") {
				continue
			}
			row := map[string]string{}
			for i, c := range columns {
				row[c] = values[i]
			}
			rows = append(rows, row)
		}
		if err := lines.Err(); err != nil {
			return nil, err
		}
	}
	return rows, nil
}

// exactCells counts the complete rows in each cell of the first query of a job.
func exactCells(ctx context.Context, dir, job string) (cells, error) {
	plan, err := example.Plan(ctx, filepath.Join(dir, job), nil)
	if err != nil {
		return cells{}, err
	}
	rows, err := completeRows(dir, plan.Job().Input.CSV.Columns)
	if err != nil {
		return cells{}, err
	}
	return tally(rows, plan.Job().Queries[0].Histogram.By), nil
}

// tally counts the rows in each cell. The last dimension varies fastest.
func tally(rows []map[string]string, by []configs.Dimension) cells {
	out := cells{count: map[int]float64{}, number: 1}
	place := make([]map[string]int, len(by))
	for i, d := range by {
		place[i] = map[string]int{}
		for j, v := range d.Values {
			place[i][string(v.Name)] = j
		}
		out.number *= len(d.Values)
	}
	for _, row := range rows {
		cell := 0
		for i, d := range by {
			cell = cell*len(d.Values) + place[i][strings.TrimSuffix(row[d.Column], ".")]
		}
		out.count[cell]++
	}
	return out
}

// series is a function that writes the values of the cells from start on to dst.
type series func(start int, dst []float64)

// meanSquare returns the mean squared error of values over all cells of the histogram.
func (c cells) meanSquare(values series) float64 {
	const block = 1 << 16
	buffer := make([]float64, block)
	sum := 0.0
	for start := 0; start < c.number; start += block {
		part := buffer[:min(block, c.number-start)]
		values(start, part)
		for i, x := range part {
			if f, ok := c.count[start+i]; ok {
				x -= f
			}
			sum += x * x
		}
	}
	return sum / float64(c.number)
}

// zero is the series of an estimator that answers 0 in every cell.
func zero(_ int, dst []float64) { clear(dst) }
