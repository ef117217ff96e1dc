package local

import (
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/queries/problem"
)

// If the job sets input.rows, the number of rows is public, so a run's success may depend on it, but not on the content
// of a row. A row of a CSV file can look like a blank line or like a comment. So if there are fewer rows than the job
// declares, skipped lines count as rows. Let N be the number of declared rows, R the number of rows read and B the
// number of skipped lines. The input is accepted if R <= N <= R + B, and N - R rows of nulls are added. If a row is
// replaced by one that looks like a skipped line, R falls by one and B grows by one, so the input is still accepted.

// padToDeclaredRows returns an error if the number of rows does not fit the public number that the job declares, and
// adds the missing rows as nulls.
func padToDeclaredRows(p *pipeline.Plan, schema table.Schema, workers []*worker) error {
	if p.Rows() == 0 {
		return nil
	}
	var rows, blanks int64
	for _, w := range workers {
		rows += w.rows
		blanks += w.blanks
	}
	missing := p.Rows() - rows
	if missing < 0 || missing > blanks {
		return &pipeline.Error{
			Cause: pipeline.CauseInput, Code: problem.CodeRows,
			Message: "the input has another number of rows than the job declares",
			Hint:    "input.rows is the public number of rows of all files together, before any filter",
		}
	}
	for ; missing > 0; missing -= nullRows {
		if err := workers[0].addBatch(rowsWithoutValues(p, schema, int(min(missing, nullRows))), false); err != nil {
			return err
		}
	}
	return nil
}

// nullRows is the number of rows of nulls that are added at once.
const nullRows = 1 << 16

// rowsWithoutValues returns n rows of nulls.
func rowsWithoutValues(p *pipeline.Plan, schema table.Schema, n int) *table.Batch {
	b := &table.Batch{Rows: n, Columns: make([]table.Column, len(p.Columns()))}
	valid, ints, floats, offsets := make([]bool, n), make([]int64, n), make([]float64, n), make([]uint32, n+1)
	for i, name := range p.Columns() {
		f, _ := schema.Lookup(name)
		c := table.Column{Type: f.Type, Valid: valid}
		switch f.Type.Kind {
		case table.Float:
			c.Values.Floats = floats
		case table.String:
			c.Values.Offsets = offsets
		case table.List:
			c.Lists = offsets
		default:
			c.Values.Ints = ints
		}
		b.Columns[i] = c
	}
	return b
}
