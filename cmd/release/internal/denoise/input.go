package denoise

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/dprelease/dprelease/cmd/release/internal/console"
	"github.com/dprelease/dprelease/denoise"
	"github.com/dprelease/dprelease/internal/regular"
	"github.com/dprelease/dprelease/internal/spelling"
	"github.com/dprelease/dprelease/io/source"
	"github.com/dprelease/dprelease/io/source/textfile"
	"github.com/dprelease/dprelease/pipeline"
)

func readNoisy(ctx context.Context, f *denoiseFlags) (*noisyTable, error) {
	in := &noisyTable{}
	info, err := os.Stat(f.input)
	switch {
	case err == nil && info.IsDir():
		err = in.openRelease(ctx, f)
	case f.query != "":
		return nil, console.Usagef("--query goes with a release folder")
	default:
		in.publicTable, err = readPublic(ctx, f.input)
	}
	if err != nil {
		return nil, err
	}
	if len(in.rows) == 0 {
		return nil, inputProblem(in.path, 0, "there are no rows")
	}
	if in.noisy, err = in.numbers(f.value); err != nil {
		return nil, err
	}
	if in.sigma, err = in.deviation(f.sigma); err != nil {
		return nil, err
	}
	return in, in.layOut(f)
}

// deviation returns the standard deviation of the noise: the flag's number or, without one, the number in the column
// standard_deviation or sigma.
func (in *noisyTable) deviation(flag string) (float64, error) {
	if flag != "" {
		s, err := strconv.ParseFloat(flag, 64)
		if err != nil || !(s > 0) || math.IsInf(s, 1) {
			return 0, console.Usagef("--sigma %q is not a finite number above 0: the standard deviation of the noise", flag)
		}
		return s, nil
	}
	column := "standard_deviation"
	if !slices.Contains(in.columns, column) {
		column = "sigma" // the name that other programs use
	}
	if !slices.Contains(in.columns, column) {
		return 0, console.Usagef("--sigma is missing: the standard deviation of the noise")
	}
	all, err := in.numbers(column)
	if err != nil {
		return 0, err
	}
	for i, s := range all {
		if !(s > 0) || s != all[0] {
			return 0, inputProblem(in.path, in.lines[i], column+" is not one number above 0 in all rows: rows of different "+
				"noise, such as means of private numbers of rows, are not denoised together")
		}
	}
	return all[0], nil
}

// layOut sets the shape in which the table's rows are arranged for denoising: the shape that --shape states or, without
// this flag, the release's shape. Without either, the rows form a line, or have no order if --edges is given.
func (in *noisyTable) layOut(f *denoiseFlags) error {
	n := len(in.rows)
	switch {
	case f.shape == "none" || f.shape == "" && f.edges != "" && in.shape.Dims == nil:
		in.unordered = f.shape == ""
		in.shape = denoise.Shape{Dims: []int{n}, Ordered: []bool{false}}
	case f.shape != "":
		in.shape = denoise.Shape{}
		for _, text := range strings.Split(f.shape, "x") {
			size, err := strconv.Atoi(text)
			if err != nil || size < 1 {
				return console.Usagef("--shape %q: write 24, 64x64, … or none", f.shape)
			}
			in.shape.Dims, in.shape.Ordered = append(in.shape.Dims, size), append(in.shape.Ordered, true)
		}
	case in.shape.Dims == nil:
		in.shape = denoise.Line(n)
	}
	if cells := in.shape.Cells(); cells != n {
		return console.Usagef("--shape %s has %d cells, the input %d rows", f.shape, cells, n)
	}
	return nil
}

// numbers returns the values of a column, which must all be finite numbers.
func (t *publicTable) numbers(column string) ([]float64, error) {
	k := slices.Index(t.columns, column)
	if k < 0 {
		return nil, inputProblem(t.path, 0, fmt.Sprintf("there is no column %q: it has %s", column,
			strings.Join(t.columns, ", ")))
	}
	out := make([]float64, len(t.rows))
	for i, row := range t.rows {
		v, err := strconv.ParseFloat(strings.TrimSpace(row[k]), 64)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, inputProblem(t.path, t.lines[i], column+" is not a finite number")
		}
		out[i] = v
	}
	return out, nil
}

func readPublic(ctx context.Context, path string) (*publicTable, error) {
	if _, err := os.Stat(path); err != nil {
		return nil, &pipeline.Error{Cause: pipeline.CauseInput, Code: "noisy-values", Message: console.Here(path) +
			" can't be read: " + regular.Reason(err), Hint: regular.Hint(path, "a path is relative to the current folder",
			spelling.Distance)}
	}
	if strings.HasSuffix(strings.ToLower(path), ".csv") {
		return readCSV(ctx, path)
	}
	d, err := source.Open(ctx, source.Options{Dir: filepath.Dir(path), Files: []string{filepath.Base(path)},
		CSV: textfile.CSV{Header: true}})
	if err != nil {
		return nil, pipeline.InputError(err)
	}
	t := &publicTable{path: path}
	for _, f := range d.Schema().Fields {
		t.columns = append(t.columns, f.Name)
	}
	_ = d.Close() // nothing is lost: the table was only read
	for k, name := range t.columns {
		values, err := source.ReadStrings(ctx, path, name)
		if err != nil {
			return nil, pipeline.InputError(err)
		}
		if err := t.add(k, values); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// add sets the values of column k.
func (t *publicTable) add(k int, values []string) error {
	if k == 0 {
		for i := range values {
			t.rows, t.lines = append(t.rows, make([]string, len(t.columns))), append(t.lines, i+1)
		}
	}
	if len(values) != len(t.rows) {
		return inputProblem(t.path, 0, fmt.Sprintf("column %s has empty cells", t.columns[k]))
	}
	for i, v := range values {
		t.rows[i][k] = v
	}
	return nil
}
