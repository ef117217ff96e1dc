package pipeline

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dprelease/dprelease/configs"
	"github.com/dprelease/dprelease/io/table"
)

// checkNumbers reports sums, means and variances of text. A column of a CSV file that the job gives no type is text by
// default, and its numbers are read all the same; any other text column was meant to be one, and would be published as
// noise about nothing.
func (p *Plan) checkNumbers(schema table.Schema) (diags configs.Diagnostics) {
	for i := range p.job.Queries {
		if p.queries[i].overUnits {
			continue // columns of units have the types that the job gives them
		}
		path := p.queries[i].path
		text := func(column string) bool {
			f, ok := schema.Lookup(column)
			return ok && f.Type.Kind == table.String && p.meantAsText(column)
		}
		if w, kind := p.job.Queries[i].RowWeight(); w != nil && text(w.Column) {
			diags = append(diags, p.textValue(path+"."+kind+".weight.column", "weight", w.Column))
		}
		for kind, a := range p.job.Queries[i].Aggregates() {
			if text(a.Column) {
				diags = append(diags, p.textValue(path+"."+kind+".column", kind, a.Column))
			}
			for k, column := range a.Columns {
				if text(column) {
					diags = append(diags, p.textValue(fmt.Sprintf("%s.%s.columns[%d]", path, kind, k), kind, column))
				}
			}
		}
	}
	return diags
}

func (p *Plan) textValue(path, kind, column string) configs.Diagnostic {
	if slices.Contains(p.job.ExactColumns(), column) {
		return p.job.Diagnose(path, "column-type", fmt.Sprintf("column %q is read as text, and a %s is of numbers", column,
			kind),
			"decimals are texts in columns of the privacy unit and of discovered keys, so that no two become one: store the "+
				"number in a column of its own")
	}
	return p.job.Diagnose(path, "column-type", fmt.Sprintf("column %q holds text, and a %s is of numbers", column, kind),
		"name a column of numbers; if the texts are numbers, write them as such, or in CSV give the column a type: "+
			"input.csv.types: {"+column+": float}")
}

// meantAsText reports whether a text column of the input is one by its file's own schema, or by the type that the job
// gives it. Logical names of events stand for the columns of the first event.
func (p *Plan) meantAsText(column string) bool {
	if len(p.job.Input.Events) > 0 {
		column = source(p.job.Input.Events[0], column)
	}
	if p.job.Input.CSV.Types[column] == "text" {
		return true
	}
	for _, f := range p.job.Input.Files {
		name := strings.ToLower(filepath.Base(f))
		if strings.Contains(name, ".parquet") || strings.Contains(name, ".arrow") || strings.Contains(name, ".feather") {
			return true
		}
	}
	return false
}
