package source

import (
	"cmp"
	"strings"

	"github.com/dprelease/dprelease/io/source/fault"
	"github.com/dprelease/dprelease/io/source/internal/scan"
	"github.com/dprelease/dprelease/io/table"
)

// agree returns all differences between the schema of the first file and the schemas of the others, as errors.
func (d *Dataset) agree() fault.Errors {
	var wrong fault.Errors
	for i, f := range d.files[1:] {
		for _, e := range differences(d.files[0], f, d.found[0].name) {
			wrong = append(wrong, e.InFile(d.found[i+1].name))
		}
	}
	return wrong
}

// differences returns an error for each column that f lacks, has in addition, or has with another type than the first
// file.
func differences(first, f scan.File, in string) []*fault.Error {
	var out []*fault.Error
	known := 0
	fields := f.Schema()
	for i, want := range first.Schema().Fields {
		got, ok := fields.Lookup(want.Name)
		var e *fault.Error
		switch {
		case !ok:
			e = fault.New(fault.CodeSchema, "column %d of %s is missing", i+1, in)
		case got.Type != want.Type:
			e = fault.New(fault.CodeSchema, "column %d of %s is %s there and %s here", i+1, in, want.Type, got.Type)
		}
		if ok {
			known++
		}
		if e == nil {
			continue
		}
		// A name may be private: if the job wrongly states that a CSV file has a header, its first line is a row of private
		// values.
		if first.Public(want.Name) || ok && f.Public(want.Name) {
			e.Column = want.Name
		}
		out = append(out, e)
	}
	if extra := len(fields.Fields) - known; extra > 0 {
		out = append(out, fault.New(fault.CodeSchema, "%d of its columns are not in %s", extra, in))
	}
	return out
}

// checkUnique refuses a schema in which two columns have the same name.
func checkUnique(s table.Schema) *fault.Error {
	seen := map[string]int{}
	for i, f := range s.Fields {
		if at, twice := seen[f.Name]; twice {
			return fault.New(fault.CodeHeader, "columns %d and %d have the same name", at+1, i+1).Advise("%s",
				cmp.Or(table.LineEndAdvice(joinedNames(s)), "give one of them another name; of a CSV input, list names for all columns in input.csv.columns"))
		}
		seen[f.Name] = i
	}
	return nil
}

func joinedNames(s table.Schema) string {
	var names strings.Builder
	for _, f := range s.Fields {
		names.WriteString(f.Name)
	}
	return names.String()
}
