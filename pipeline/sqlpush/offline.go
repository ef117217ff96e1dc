package sqlpush

import (
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/pipeline"
)

// typical are the types of a dialect that hold a kind of values.
var typical = map[string]map[table.Kind]string{
	"duckdb":     {table.Int: "BIGINT", table.Float: "DOUBLE", table.String: "VARCHAR", table.Bool: "BOOLEAN", table.Date: "DATE", table.Timestamp: "TIMESTAMPTZ"},
	"postgres":   {table.Int: "INT8", table.Float: "FLOAT8", table.String: "TEXT", table.Bool: "BOOL", table.Date: "DATE", table.Timestamp: "TIMESTAMPTZ"},
	"clickhouse": {table.Int: "INT64", table.Float: "FLOAT64", table.String: "STRING", table.Bool: "BOOL", table.Date: "DATE32", table.Timestamp: "DATETIME64(6)"},
	"trino":      {table.Int: "BIGINT", table.Float: "DOUBLE", table.String: "VARCHAR", table.Bool: "BOOLEAN", table.Date: "DATE", table.Timestamp: "TIMESTAMP(3) WITH TIME ZONE"},
	"spark":      {table.Int: "BIGINT", table.Float: "DOUBLE", table.String: "STRING", table.Bool: "BOOLEAN", table.Date: "DATE", table.Timestamp: "TIMESTAMP"},
	"bigquery":   {table.Int: "INT64", table.Float: "FLOAT64", table.String: "STRING", table.Bool: "BOOL", table.Date: "DATE", table.Timestamp: "TIMESTAMP"},
	"snowflake":  {table.Int: "NUMBER", table.Float: "FLOAT", table.String: "TEXT", table.Bool: "BOOLEAN", table.Date: "DATE", table.Timestamp: "TIMESTAMP_TZ"},
}

// Assumed is an input whose columns' types are assumed, for whoever reads statements: there is no connection, and it cannot be asked.
func Assumed(s Source, schema table.Schema) (*Database, error) {
	dialect, ok := DialectOf(s.Driver)
	if !ok {
		return nil, &pipeline.Error{Cause: pipeline.CauseJob, Code: "sql-driver", Message: "there is no dialect " + s.Driver, Hint: "docs/SQL.md lists the dialects"}
	}
	d := &Database{dialect: dialect, from: expression(dialect, s), columns: map[string]Column{}, other: map[string]string{}}
	for _, f := range schema.Fields {
		d.add(ColumnType{Name: f.Name, Expr: dialect.Quote(f.Name), Type: typical[s.Driver][f.Type.Kind], HasDecimal: true, Precision: 18})
	}
	return d, nil
}

// Settings are the statements with which a session is set up.
func (d *Database) Settings() []string { return d.dialect.Session() }
