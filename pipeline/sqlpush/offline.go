package sqlpush

import (
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/pipeline"
)

// Statements can be written without a connection, for review. Then each column is assumed to have the type that the
// dialect typically uses for its kind of values.

// Assumed returns an input with assumed column types, for printing statements. It has no connection and runs none.
func Assumed(s Source, schema table.Schema) (*Database, error) {
	dialect, ok := dialectOf(s.Driver)
	if !ok {
		return nil, &pipeline.Error{Cause: pipeline.CauseJob, Code: "sql-driver", Message: "there is no dialect " + s.Driver,
			Hint: "docs/howto/databases.md lists the dialects"}
	}
	d := &Database{dialect: dialect, source: s, from: expression(dialect, &s), columns: map[string]column{},
		other: map[string]string{}}
	types := dialect.typical()
	for _, f := range schema.Fields {
		d.add(columnType{Name: f.Name, Expr: dialect.quote(f.Name), Type: types[f.Type.Kind]})
	}
	return d, nil
}

// Settings returns the statements that prepare a session for the statements of a plan.
func (d *Database) Settings() []string {
	all := d.dialect.session()
	if l, ok := d.dialect.(lakeReader); ok && d.source.Format != "" {
		all = append(all, l.load(d.source.Format))
	}
	return all
}
