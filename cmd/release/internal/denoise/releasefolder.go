package denoise

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"github.com/dprelease/dprelease/cmd/release/internal/console"
	"github.com/dprelease/dprelease/configs"
	"github.com/dprelease/dprelease/denoise"
	"github.com/dprelease/dprelease/io/sink"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/manifest"
	"github.com/dprelease/dprelease/queries/domain"
)

// openRelease reads the table of a query from a release folder, and how its cells are arranged.
func (in *noisyTable) openRelease(ctx context.Context, f *denoiseFlags) error {
	m, _, err := sink.ReadManifest(f.input)
	if err != nil {
		return &pipeline.Error{Cause: pipeline.CauseInput, Code: "noisy-values", Message: console.Here(f.input) +
			": the folder holds no release: there is no release.json that can be read",
			Hint: "name a folder with a release.json in it, or a file"}
	}
	q, err := queryOf(&m, f.query)
	if err != nil {
		return err
	}
	if q.KeysOf != "" {
		return inputProblem(f.input, 0,
			"the keys of "+q.Name+" were selected by the noisy counts of "+q.KeysOf+": how their cells lie is not known")
	}
	if q.Selection != nil {
		return inputProblem(f.input, 0, "the keys of "+q.Name+" were selected by their noisy counts, noise and all: no "+
			"method knows how to treat what is left")
	}
	if s := q.Strategy; s != nil && s.Name != "cells" {
		return inputProblem(f.input, 0, "the noise of the cells of "+q.Name+" is not independent, and the methods are for "+
			"noise that is")
	}
	if q.Publish != nil && q.Publish.Withheld > 0 {
		return inputProblem(f.input, 0, "the publish rule of "+q.Name+" left cells empty, and the methods need all noisy "+
			"values")
	}
	t, err := sink.ReadTable(ctx, f.input, q, "")
	if err != nil {
		return pipeline.OutputError(err)
	}
	in.publicTable = textsOf(f.input, t)
	if len(in.rows) != q.Cells {
		return inputProblem(in.path, 0, fmt.Sprintf("the table has %d rows of %d cells: a sparse release leaves cells out "+
			"by their values, so that the noise of the rest is not known", len(in.rows), q.Cells))
	}
	in.shape = in.laidOut(m.Job, q.Name)
	return nil
}

func queryOf(m *manifest.Manifest, name string) (*manifest.Query, error) {
	var names []string
	for i := range m.Queries {
		if names = append(names, m.Queries[i].Name); m.Queries[i].Name == name || name == "" && len(m.Queries) == 1 {
			return &m.Queries[i], nil
		}
	}
	return nil, console.Usagef("--query: choose one of %s", strings.Join(names, ", "))
}

// textsOf converts a table of a release to the texts that its CSV file has.
func textsOf(path string, from *sink.ReadBack) *publicTable {
	t := &publicTable{path: path}
	var csv sink.CSVFormat
	for _, k := range from.Keys {
		t.columns = append(t.columns, csv.EscapeFormula(k.Name))
	}
	t.columns = append(t.columns, from.Names...)
	for i := range from.Rows {
		row := make([]string, 0, len(t.columns))
		for _, k := range from.Keys {
			text := k.Text(i)
			if len(k.Labels.Strings) > 0 {
				text = csv.EscapeFormula(text)
			}
			row = append(row, text)
		}
		for _, values := range from.Values {
			text := ""
			if v := values[i]; !math.IsNaN(v) {
				text = domain.FloatText(v)
			}
			row = append(row, text)
		}
		t.rows, t.lines = append(t.rows, row), append(t.lines, i+1)
	}
	return t
}

// axisJob is the part of a dimension in the manifest's job that decides whether its cells have an order.
type axisJob struct {
	Edges, From, Part, Grid json.RawMessage
	Null, Other             string
}

// laidOut returns the shape of a release's table, such as 24 hours by 7 days. It is computed from the query's
// dimensions in the job and the keys in the table, and is empty if these do not determine it.
func (in *noisyTable) laidOut(job json.RawMessage, query string) denoise.Shape {
	var shape denoise.Shape
	column := 0
	for _, d := range dimensionsOf(job, query) {
		ordered := d.Null != "bin" && d.Other != "bin"
		switch {
		case d.Grid != nil:
			shape.Dims = append(shape.Dims, in.distinct(column), in.distinct(column+1))
			shape.Ordered = append(shape.Ordered, ordered, ordered)
			column += 2
		case d.Edges != nil || d.From != nil:
			shape.Dims, shape.Ordered = append(shape.Dims, in.distinct(column)), append(shape.Ordered, ordered)
			column += 2
		default:
			shape.Dims, shape.Ordered = append(shape.Dims, in.distinct(column)), append(shape.Ordered, ordered && d.Part != nil)
			column++
		}
	}
	if len(shape.Dims) == 0 || shape.Cells() != len(in.rows) {
		return denoise.Shape{Dims: []int{len(in.rows)}, Ordered: []bool{false}}
	}
	return shape
}

func dimensionsOf(job json.RawMessage, query string) []axisJob {
	var j struct{ Queries []map[string]json.RawMessage }
	if json.Unmarshal(job, &j) != nil {
		return nil
	}
	for _, q := range j.Queries {
		var name string
		if json.Unmarshal(q["name"], &name) != nil || name != query {
			continue
		}
		for _, kind := range configs.Kinds {
			var of struct{ By []axisJob }
			if json.Unmarshal(q[kind], &of) == nil {
				return of.By
			}
		}
	}
	return nil
}

// distinct returns the number of different texts in column k; 1 if there is no such column.
func (t *publicTable) distinct(k int) int {
	if k >= len(t.columns) {
		return 1
	}
	seen := map[string]bool{}
	for _, row := range t.rows {
		seen[row[k]] = true
	}
	return max(1, len(seen))
}
