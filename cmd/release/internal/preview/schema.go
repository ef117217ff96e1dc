package preview

import (
	"context"
	"encoding/csv"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/dprelease/dprelease/internal/wiring"
	"github.com/dprelease/dprelease/io/source"
	"github.com/dprelease/dprelease/io/source/textfile"
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/pipeline"
)

// A preview needs the types of the columns. From Parquet and Arrow files it reads the schemas, but no row. From text
// files it reads nothing, since the job states their types. If the files are missing, it assumes types that the job's
// queries can use.

// typesFrom is a text for the user: it names the source of the columns' types.
type typesFrom string

const (
	fromJob     typesFrom = "the job; nothing of the input was read"
	fromFooters typesFrom = "the schema in the footers of the input's files; no row was read"
	fromAsked   typesFrom = "what the job asks; nothing of the input was read"
	fromUse     typesFrom = "what the job asks, since the input's files are not there"
)

// schemaOf returns the columns that a plan needs, with their types. dir is the preview's temporary folder.
func schemaOf(ctx context.Context, plan *pipeline.Plan, all []use, dir string) (table.Schema, typesFrom, error) {
	in := &plan.Job().Input
	o := wiring.SourceOptions(plan.Job())
	o.Keeps = nil // a folder that is missing has the same columns
	o.Files = slices.DeleteFunc(slices.Clone(o.Files), func(f string) bool {
		return f == source.Stdin || !source.DescribesItself(in.Format,
			f)
	})
	if len(o.Files) == 0 {
		s, err := stated(ctx, plan, dir)
		if in.SQL == nil && !slices.Contains(in.Files, source.Stdin) {
			return s, fromJob, err
		}
		guess(plan, &s, all)
		return s, fromAsked, err
	}
	data, err := source.Open(ctx, o)
	if errors.Is(err, source.ErrAbsent) {
		s, err := stated(ctx, plan, dir)
		guess(plan, &s, all)
		return s, fromUse, err
	}
	if err != nil {
		return table.Schema{}, "", pipeline.InputError(err)
	}
	defer data.Close()
	needed := table.Schema{}
	for _, f := range data.Schema().Fields {
		if slices.Contains(plan.Columns(), f.Name) {
			needed.Fields = append(needed.Fields, f)
		}
	}
	return needed, fromFooters, nil
}

// stated returns the plan's columns with the types that the job states. To get the types that a run would get, it
// writes an empty table with these columns and reads it with the job's options.
func stated(ctx context.Context, plan *pipeline.Plan, dir string) (table.Schema, error) {
	in := &plan.Job().Input
	types := statedTypes(plan)
	var header []string
	used := map[string]string{}
	for _, c := range plan.Columns() {
		_, inFolder := in.Folders[c]
		if len(in.CSV.Columns) > 0 && in.JSONL == nil && !inFolder && !slices.Contains(in.CSV.Columns, c) {
			continue // the plan's check will report that the column is missing
		}
		if _, named := types[c]; in.JSONL != nil && !named {
			continue
		}
		header = append(header, c)
		if t := types[c]; t != "" && t != "text" {
			used[c] = t
		}
	}
	if len(header) == 0 {
		return table.Schema{}, nil
	}
	path := filepath.Join(dir, "header.csv")
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return table.Schema{}, err
	}
	w := csv.NewWriter(f)
	err = w.Write(header)
	w.Flush()
	if err = errors.Join(err, w.Error(), f.Close()); err != nil {
		return table.Schema{}, err
	}
	data, err := source.Open(ctx, source.Options{Files: []string{path}, Format: "csv",
		CSV: textfile.CSV{Header: true, Types: used}})
	if err != nil {
		return table.Schema{}, pipeline.InputError(err)
	}
	defer data.Close()
	return data.Schema(), nil
}

// Assumed returns the columns of a plan, for callers that have no input to read. It assumes types that the plan's
// queries can use.
func Assumed(ctx context.Context, plan *pipeline.Plan) (s table.Schema, err error) {
	all, err := usesOf(ctx, plan)
	for _, c := range plan.Columns() {
		s.Fields = append(s.Fields, table.Field{Name: c, Type: table.Type{Kind: table.String}})
	}
	guess(plan, &s, all)
	return s, err
}

// statedTypes returns the column types that the job states, in the form of the job.
func statedTypes(plan *pipeline.Plan) map[string]string {
	in := &plan.Job().Input
	types := map[string]string{}
	if in.JSONL != nil {
		maps.Copy(types, in.JSONL.Columns)
	} else {
		maps.Copy(types, in.CSV.Types)
	}
	maps.Copy(types, in.Folders)
	return types
}

// guess sets the types of columns for which the job states none. It chooses types that the queries can use.
func guess(plan *pipeline.Plan, s *table.Schema, all []use) {
	for i := range s.Fields {
		f := &s.Fields[i]
		if statedTypes(plan)[f.Name] != "" {
			continue
		}
		kind := table.Invalid
		for _, u := range all {
			if slices.ContainsFunc(u.columns, func(c string) bool { return c == f.Name || stands(plan, c, f.Name) }) {
				kind = more(kind, u.kind)
			}
		}
		switch {
		case kind == table.Timestamp:
			f.Type = table.Type{Kind: kind, Unit: 1e3, Zone: table.UTC}
		case kind != table.Invalid:
			f.Type = table.Type{Kind: kind}
		case slices.Contains(plan.Job().Privacy.Unit.Columns, f.Name):
			f.Type = table.Type{Kind: table.Int}
		}
	}
}

// stands reports whether some event renames column to logical.
func stands(plan *pipeline.Plan, logical, column string) bool {
	for _, e := range plan.Job().Input.Events {
		if e[logical] == column {
			return true
		}
	}
	return false
}

// strength orders kinds of types. A column with several uses gets the kind that comes last.
var strength = []table.Kind{table.Invalid, table.String, table.Float, table.Date, table.Timestamp, table.List}

func more(a, b table.Kind) table.Kind {
	if slices.Index(strength, b) > slices.Index(strength, a) {
		return b
	}
	return a
}
