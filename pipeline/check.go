package pipeline

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/dprelease/dprelease/configs"
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/problem"
)

// Check reports every part of the job that does not fit the input's schema.
func (p *Plan) Check(schema table.Schema) configs.Diagnostics {
	if _, err := p.input.derived.Bind(schema, p.input.location); err != nil {
		// Stop here: queries may name columns whose definition failed, so other problems may only follow from these.
		return unique(p.hideHeader(schema, diagnose(p.job, "", err)))
	}
	logical, diags := p.LogicalSchema(schema)
	ofUnits := table.Schema{}
	if p.input.units != nil {
		bound, err := p.input.units.Bind(logical)
		if err != nil {
			return unique(p.hideHeader(schema, append(diags, diagnose(p.job, "", err)...)))
		}
		ofUnits = bound.Schema
	}
	for i := range p.queries {
		of := logical
		if p.queries[i].overUnits {
			of = ofUnits
		}
		if _, err := p.queries[i].Query.Aggregation(of); err != nil {
			diags = append(diags, diagnose(p.job, p.queries[i].path, err)...)
		}
		if _, err := p.queries[i].Filters.Conditions(of, p.input.location); err != nil {
			diags = append(diags, diagnose(p.job, "", err)...)
		}
	}
	diags = append(diags, p.checkNumbers(logical)...)
	if _, err := p.input.filters.Compile(logical, p.input.location); err != nil {
		diags = append(diags, diagnose(p.job, "", err)...)
	}
	return unique(p.hideHeader(schema, diags))
}

// inFolderNames reports whether a column may be in the names of the input's folders, NAME=VALUE, as far as the job
// tells.
func (p *Plan) inFolderNames(column string) bool {
	in := &p.job.Input
	return in.Folders[column] == "" && slices.ContainsFunc(in.Files, func(f string) bool {
		folder := filepath.ToSlash(filepath.Dir(f))
		return strings.Contains(folder, "*") || strings.Contains("/"+folder, "/"+column+"=")
	})
}

// hideHeader removes column names from hints if an input file is delimited text. If such a file has no header, these
// names are values of its first row, which is private. For columns that may be in the names of folders it adds how to
// read them.
func (p *Plan) hideHeader(s table.Schema, diags configs.Diagnostics) configs.Diagnostics {
	var names []string
	for _, f := range s.Fields {
		names = append(names, f.Name)
	}
	fromHeader := len(p.job.Input.CSV.Columns) == 0 && p.job.Input.IsDelimited()
	for i := range diags {
		if diags[i].Code != problem.CodeUnknownColumn {
			continue
		}
		column := strings.TrimPrefix(diags[i].Message, "the input has no column ")
		if fromHeader {
			diags[i].Hint = table.HeaderAdvice(names, column)
		}
		if p.inFolderNames(column) {
			diags[i].Hint += "; if the names of folders have it (" + column + "=VALUE), add input.folders: {" + column +
				": text}"
		}
	}
	return diags
}

// unique removes duplicates: several queries may report the same missing column at the same place of the job.
func unique(diags configs.Diagnostics) configs.Diagnostics {
	seen := map[configs.Diagnostic]bool{}
	return slices.DeleteFunc(diags, func(d configs.Diagnostic) bool {
		again := seen[d]
		seen[d] = true
		return again
	})
}

// diagnose returns the problems of a query as diagnostics with lines of the job file.
func diagnose(job *configs.Job, path string, err error) configs.Diagnostics {
	var diags configs.Diagnostics
	for _, e := range problem.Errors(err) {
		diags = append(diags, job.Diagnose(place(path, e.Field), e.Code, e.Message, e.Hint))
	}
	return diags
}

// place returns the path of a field in the job: below the query's path, except for fields that all queries share.
func place(query, field string) string {
	switch {
	case strings.HasPrefix(field, "privacy."), strings.HasPrefix(field, "input."), strings.HasPrefix(field, "units."),
		strings.HasPrefix(field, "units["):
		return field
	case field == "":
		return query
	default:
		return query + "." + field
	}
}
