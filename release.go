package dprelease

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/dprelease/dprelease/io/sink"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/manifest"
)

// Release is an opened release folder: see [Open].
type Release struct {
	dir, digest string
	manifest    manifest.Manifest
}

// Open opens a release folder, and compares every file with the digest in the release's manifest. Errors: an [*Error],
// or ctx's.
func Open(ctx context.Context, dir string) (*Release, error) {
	digest, err := sink.New().Inspect(ctx, dir)
	if err != nil {
		return nil, errorOf(pipeline.OutputError(err))
	}
	m, again, err := sink.ReadManifest(dir)
	if err == nil && again != digest {
		err = pipeline.ErrIncomplete
	}
	if err != nil {
		return nil, errorOf(pipeline.OutputError(err))
	}
	return &Release{dir, digest, m}, nil
}

// Name returns the name of the release's job.
func (r *Release) Name() string { return r.manifest.Name }

// Digest returns the SHA-256 of the release's manifest, in hexadecimal.
func (r *Release) Digest() string { return r.digest }

// Guarantee returns the guarantee of the whole release.
func (r *Release) Guarantee() (epsilon, delta float64) {
	return float64(r.manifest.Privacy.Epsilon), float64(r.manifest.Privacy.Delta)
}

// Statement returns the guarantee in words.
func (r *Release) Statement() string { return r.manifest.Privacy.Statement }

// Tables returns the names of the tables, in the job's order: one for each query, and query.name for each table that
// was computed from the query's answer.
func (r *Release) Tables() []string {
	var names []string
	for i := range r.manifest.Queries {
		q := &r.manifest.Queries[i]
		for _, f := range q.Files {
			if name := tableName(q.Name, f.Holds); !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

func tableName(query, holds string) string { return strings.TrimSuffix(query+"."+holds, ".") }

// Column is a column of numbers; NaN stands for a missing value.
type Column struct {
	Name   string
	Values []float64
}

// Labels is a column of labels, one for each row; the labels of a row name its cell. One of the three slices is set.
// From CSV and JSON, all labels are strings.
type Labels struct {
	Name    string
	Strings []string
	Ints    []int64
	Floats  []float64
}

// Table is a table of a release, with a row for each cell. All slices have one element per row.
type Table struct {
	Name string
	Rows int
	// Labels are the columns that name the cells; empty if there is one cell.
	Labels []Labels
	// Noisy holds the noisy answers. They are unbiased unless they are ratios. Noisy is nil in a table that was computed
	// from another one, such as quantiles.
	Noisy []float64
	// Estimate holds the noisy answers after the job's denoising steps; without such steps it equals Noisy.
	Estimate []float64
	// Deviation holds the standard deviation of each element of Noisy; nil if Noisy is nil.
	Deviation []float64
	// Low and High are the ends of 95 % confidence intervals for the exact, bounded answers: the columns ci95_low and
	// ci95_high.
	Low, High []float64
	// Others are further columns, such as the noisy count of a mean.
	Others []Column

	values []Column // all columns of numbers, in the order in which the file has them
}

// Table reads a table by its name. Values that are missing are NaN. Errors: an [*Error], or ctx's.
func (r *Release) Table(ctx context.Context, name string) (*Table, error) {
	for i := range r.manifest.Queries {
		q := &r.manifest.Queries[i]
		for _, f := range q.Files {
			if tableName(q.Name, f.Holds) != name {
				continue
			}
			read, err := sink.ReadTable(ctx, r.dir, q, f.Holds)
			if err != nil {
				return nil, errorOf(pipeline.OutputError(err))
			}
			return tableOf(name, read), nil
		}
	}
	return nil, r.noTable(name)
}

func (r *Release) noTable(name string) error {
	return &Error{Cause: CauseOutput, Code: "no-table", Message: fmt.Sprintf("the release has no table %q", name),
		Hint: "its tables are " + strings.Join(r.Tables(), ", ")}
}

func tableOf(name string, read *sink.ReadBack) *Table {
	t := &Table{Name: name, Rows: read.Rows}
	for _, k := range read.Keys {
		t.Labels = append(t.Labels, Labels{k.Name, k.Labels.Strings, k.Labels.Ints, k.Labels.Floats})
	}
	places := map[string]*[]float64{"noisy": &t.Noisy, "estimate": &t.Estimate, "standard_deviation": &t.Deviation,
		"ci95_low": &t.Low, "ci95_high": &t.High}
	for i, name := range read.Names {
		c := Column{name, read.Values[i]}
		t.values = append(t.values, c)
		if place := places[name]; place != nil && *place == nil {
			*place = c.Values
		} else {
			t.Others = append(t.Others, c)
		}
	}
	return t
}

// Record returns the table as an Arrow record batch: the labels, then all columns of numbers under the names that the
// files have. Missing values are null. The caller releases it.
func (t *Table) Record() arrow.Record {
	var fields []arrow.Field
	for _, l := range t.Labels {
		kind := arrow.DataType(arrow.BinaryTypes.String)
		switch {
		case l.Ints != nil:
			kind = arrow.PrimitiveTypes.Int64
		case l.Floats != nil:
			kind = arrow.PrimitiveTypes.Float64
		}
		fields = append(fields, arrow.Field{Name: l.Name, Type: kind})
	}
	for _, c := range t.values {
		fields = append(fields, arrow.Field{Name: c.Name, Type: arrow.PrimitiveTypes.Float64, Nullable: true})
	}
	b := array.NewRecordBuilder(memory.DefaultAllocator, arrow.NewSchema(fields, nil))
	defer b.Release()
	for i, l := range t.Labels {
		switch column := b.Field(i).(type) {
		case *array.Int64Builder:
			column.AppendValues(l.Ints, nil)
		case *array.Float64Builder:
			column.AppendValues(l.Floats, nil)
		case *array.StringBuilder:
			column.AppendValues(l.Strings, nil)
		}
	}
	for i, c := range t.values {
		present := make([]bool, len(c.Values))
		for k, v := range c.Values {
			present[k] = !math.IsNaN(v)
		}
		if column, ok := b.Field(len(t.Labels) + i).(*array.Float64Builder); ok {
			column.AppendValues(c.Values, present)
		}
	}
	return b.NewRecord()
}
