package pipeline

import (
	"maps"
	"slices"

	"github.com/dprelease/dprelease/configs"
	"github.com/dprelease/dprelease/io/table"
)

// CheckDeclared does the part of [Plan.Check] that needs no file: it checks the plan against the columns and types that
// the job states for text files. It finds nothing if one of the inputs is a database, a Parquet or
// Arrow file, or a mix of CSV and JSON lines. typeOf parses a type as a job writes it, such as "date 2/1/2006"; "" is
// the type of a column without one.
func (p *Plan) CheckDeclared(typeOf func(string) (table.Type, error)) configs.Diagnostics {
	if len(p.tables) == 0 {
		schema, ok := declaredSchema(&p.job.Input, p.Columns(), typeOf)
		if !ok {
			return nil
		}
		return p.Check(schema)
	}
	schemas := make([]table.Schema, len(p.tables))
	for k := range p.tables {
		var ok bool
		if schemas[k], ok = declaredSchema(&p.tables[k].job.Input, p.columnsOf(k), typeOf); !ok {
			return nil
		}
	}
	return p.checkTables(schemas)
}

// columnsOf returns the columns that the plan reads from the files of table k, also for joins of other tables.
func (p *Plan) columnsOf(k int) []string {
	columns := slices.Clone(p.OfTable(k).Columns())
	for i := range p.tables {
		for j := range p.tables[i].joins {
			if join := &p.tables[i].joins[j]; join.Table == k {
				columns = append(columns, join.Side.Columns()...)
			}
		}
	}
	return columns
}

// declaredSchema returns the columns and types that a job states for an input of text files. If the job does not list
// the columns, they are assumed to be those that the plan reads. It returns false if some file is not a text, or if a
// type cannot be parsed.
func declaredSchema(in *configs.Input, read []string, typeOf func(string) (table.Type, error)) (table.Schema, bool) {
	if !in.IsText() || in.JSONL != nil && in.IsDelimited() {
		return table.Schema{}, false
	}
	types, columns := in.CSV.Types, in.CSV.Columns
	if in.JSONL != nil {
		types, columns = in.JSONL.Columns, slices.Sorted(maps.Keys(in.JSONL.Columns))
	}
	if len(columns) == 0 {
		columns = slices.Clone(read)
		for _, e := range in.Events {
			columns = slices.AppendSeq(columns, maps.Values(e))
		}
		columns = slices.DeleteFunc(columns, func(name string) bool { return isMade(in, name) })
	}
	var schema table.Schema
	for _, name := range slices.AppendSeq(slices.Clone(columns), maps.Keys(in.Folders)) {
		if _, again := schema.Lookup(name); again {
			continue
		}
		text := types[name]
		if folder, ok := in.Folders[name]; ok {
			text = folder
		}
		t, err := typeOf(text)
		if err != nil {
			return table.Schema{}, false
		}
		schema.Fields = append(schema.Fields, table.Field{Name: name, Type: t})
	}
	return schema, true
}

// isMade reports whether the job makes a column: derives it, or looks it up.
func isMade(in *configs.Input, name string) bool {
	_, derived := in.Derive[name]
	return derived || slices.ContainsFunc(in.Lookups, func(l configs.Lookup) bool {
		return slices.Contains(l.Names(),
			name)
	})
}
