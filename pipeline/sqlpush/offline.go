package sqlpush

import (
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/pipeline"
)

// Statements can be written without a connection, for review: then each column is assumed to have the type that its
// dialect typically holds such values in.

// Assumed is an input whose columns' types are assumed, for whoever reads statements: there is no connection, and it
// cannot be asked.
func Assumed(s Source, schema table.Schema) (*Database, error) {
	dialect, ok := dialectOf(s.Driver)
	if !ok {
		return nil, &pipeline.Error{Cause: pipeline.CauseJob, Code: "sql-driver", Message: "there is no dialect " + s.Driver,
			Hint: "docs/howto/databases.md lists the dialects"}
	}
	d := &Database{dialect: dialect, from: expression(dialect, s), columns: map[string]column{},
		other: map[string]string{}}
	types := dialect.typical()
	for _, f := range schema.Fields {
		d.add(columnType{Name: f.Name, Expr: dialect.quote(f.Name), Type: types[f.Type.Kind]})
	}
	return d, nil
}

// Settings are the statements with which a session is set up.
func (d *Database) Settings() []string { return d.dialect.session() }
