// Package columns says how each engine reads columns of its types: as BIGINTs, doubles and texts.
package columns

import (
	"fmt"
	"strings"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/pipeline/sqlpush/internal/duckscan"
	"github.com/dprelease/dprelease/queries/domain"
)

// Column is how a column is read.
type Column struct {
	Type table.Type
	// Expr is a BIGINT for whole numbers, truth values (0 or 1), dates (days since 1970) and times (microseconds since 1970), a double, or a text. It is
	// NULL for NaN, and for dates and times that are no numbers, such as infinity.
	Expr string
	// Binary says that a text is of bytes, Characters that these are always characters in UTF-8.
	Binary, Characters bool
	// Bare and Check are another way to read the column, if they are not empty: Bare is equal to Expr in the rows that fulfil Check, and Expr is NULL in
	// all others. A filter costs less than a CASE. What statements do with Bare fails in no row.
	Bare, Check string
	// Late says that Expr is Bare and that rows that do not fulfil Check are left out later.
	Late bool
	// Scan is how a scan of DuckDB compares the column; nil on other engines. Within are the ranges outside of which scans leave rows out, and those of NULL. Grouped
	// says that Expr is that of Scan.
	Scan    *duckscan.Column
	Within  []domain.Span[int64]
	Grouped bool
	// Double and Whole are the numbers that a text is, if they are not empty: see internal/numerals.
	Double, Whole string
}

// ColumnType is what a database says of a column.
type ColumnType struct {
	Name string // as it is
	Expr string // its quoted name
	Type string // the name of its type, in upper case
	// Precision and Scale are those of a decimal, if HasDecimal is set.
	HasDecimal       bool
	Precision, Scale int64
}

func kind(k table.Kind) table.Type { return table.Type{Kind: k} }

// instants and wallClock are the types of times in microseconds, in UTC and without a zone.
var (
	instants  = table.Type{Kind: table.Timestamp, Unit: 1e3, Zone: table.UTC}
	wallClock = table.Type{Kind: table.Timestamp, Unit: 1e3, Zone: table.Local}
)

// DuckDB reads the columns of that engine.
type DuckDB struct{}

// Column reads texts as they are, and infinite dates and times as null, as date_diff and epoch_us do.
func (DuckDB) Column(of ColumnType) (c Column, ok bool) {
	x := of.Expr
	if strings.HasSuffix(of.Type, "]") { // a list
		return c, false
	}
	name, size, _ := strings.Cut(of.Type, "(")
	if n, _ := fmt.Sscanf(size, "%d,%d)", &of.Precision, &of.Scale); n == 2 { // the driver says it in the name alone
		of.HasDecimal = true
	}
	switch name {
	case "TINYINT", "SMALLINT", "INTEGER", "UTINYINT", "USMALLINT", "UINTEGER":
		return Column{Type: kind(table.Int), Expr: "CAST(" + x + " AS BIGINT)", Scan: duckscan.Whole(x, name)}, true
	case "BIGINT":
		return Column{Type: kind(table.Int), Expr: x, Scan: duckscan.Whole(x, name)}, true
	case "FLOAT":
		return duckdbFloat("CAST(" + x + " AS DOUBLE)"), true
	case "DOUBLE":
		return duckdbFloat(x), true
	case "DECIMAL":
		switch {
		case of.HasDecimal && of.Scale == 0 && of.Precision <= 18:
			return Column{Type: kind(table.Int), Expr: "CAST(" + x + " AS BIGINT)"}, true
		case of.HasDecimal && of.Precision <= 15: // the quotient of two exact doubles is the nearest one
			double := "CAST(" + x + " AS DOUBLE)"
			return Column{Type: kind(table.Float), Expr: double, Bare: double, Check: x + " IS NOT NULL"}, true
		}
	case "BOOLEAN":
		return Column{Type: kind(table.Bool), Expr: "CAST(" + x + " AS BIGINT)", Scan: duckscan.Truth(x)}, true
	case "VARCHAR", "ENUM", "UUID":
		return Column{Type: kind(table.String), Expr: "encode(CAST(" + x + " AS VARCHAR))", Binary: true, Characters: true}, true
	case "BLOB":
		return Column{Type: kind(table.String), Expr: x, Binary: true}, true
	case "DATE":
		return Column{Type: kind(table.Date), Expr: "date_diff('day', DATE '1970-01-01', " + x + ")", Scan: duckscan.Days(x)}, true
	case "TIMESTAMP":
		return Column{Type: wallClock, Expr: "epoch_us(" + x + ")", Scan: duckscan.Times(x, "TIMESTAMP")}, true
	case "TIMESTAMPTZ", "TIMESTAMP WITH TIME ZONE":
		return Column{Type: instants, Expr: "epoch_us(" + x + ")", Scan: duckscan.Times(x, "TIMESTAMPTZ")}, true
	}
	return c, false
}

// duckdbFloat is a column of doubles. NaN is above infinity: a comparison is a filter that scans take, and a call of isnan is not. Bare fails in no row,
// since NaN is not below a number, and products are of what is.
func duckdbFloat(x string) Column {
	return Column{
		Type: kind(table.Float), Expr: "CASE WHEN NOT isnan(" + x + ") THEN " + x + " END",
		Bare: x, Check: x + " <= CAST('Infinity' AS DOUBLE)",
	}
}

// Postgres reads the columns of that engine.
type Postgres struct{}

// Column reads texts in the collation C, which compares bytes, and infinite dates and times as null.
func (Postgres) Column(of ColumnType) (c Column, ok bool) {
	x := of.Expr
	switch of.Type {
	case "INT2", "INT4", "INT8":
		return Column{Type: kind(table.Int), Expr: "CAST(" + x + " AS bigint)"}, true
	case "FLOAT4", "FLOAT8":
		x = "CAST(" + x + " AS double precision)"
		return Column{Type: kind(table.Float), Expr: "NULLIF(" + x + ", 'NaN'::double precision)"}, true
	case "NUMERIC":
		switch {
		case of.HasDecimal && of.Scale == 0 && of.Precision <= 18:
			return Column{Type: kind(table.Int), Expr: "CAST(NULLIF(" + x + ", 'NaN') AS bigint)"}, true
		case of.HasDecimal && of.Scale >= 0 && of.Precision <= 100 && of.Scale <= 100:
			return Column{Type: kind(table.Float), Expr: "CAST(NULLIF(" + x + ", 'NaN') AS double precision)"}, true
		}
	case "BOOL":
		return Column{Type: kind(table.Bool), Expr: "CAST(CAST(" + x + " AS int) AS bigint)"}, true
	case "TEXT", "VARCHAR", "NAME", "UUID", "BPCHAR", PostgresEnum: // the cast of a CHAR(n) leaves out the spaces at its end, which say nothing there
		return Column{Type: kind(table.String), Expr: "CAST(" + x + ` AS text) COLLATE "C"`, Characters: true}, true
	case "BYTEA":
		return Column{Type: kind(table.String), Expr: x, Binary: true}, true
	case "DATE":
		return Column{Type: kind(table.Date), Expr: "CASE WHEN isfinite(" + x + ") THEN CAST(" + x + " - DATE '1970-01-01' AS bigint) END"}, true
	case "TIMESTAMP":
		return Column{Type: wallClock, Expr: microseconds(x, "TIMESTAMP '"+mostMicroseconds+"'")}, true
	case "TIMESTAMPTZ":
		return Column{Type: instants, Expr: microseconds(x, "TIMESTAMPTZ '"+mostMicroseconds+"Z'")}, true
	}
	return c, false
}

// ClickHouse reads the columns of that engine.
type ClickHouse struct{}

// Column takes Nullable and LowCardinality off the type.
func (ClickHouse) Column(of ColumnType) (c Column, ok bool) {
	x, t := of.Expr, of.Type
	for _, around := range []string{"LOWCARDINALITY(", "NULLABLE("} {
		if inner, found := strings.CutPrefix(t, around); found {
			t = strings.TrimSuffix(inner, ")")
		}
	}
	switch {
	case t == "INT8", t == "INT16", t == "INT32", t == "INT64", t == "UINT8", t == "UINT16", t == "UINT32":
		return Column{Type: kind(table.Int), Expr: "toInt64(" + x + ")"}, true
	case t == "FLOAT32", t == "FLOAT64":
		x = "toFloat64(" + x + ")"
		return Column{Type: kind(table.Float), Expr: "if(isNaN(" + x + "), NULL, " + x + ")"}, true
	case t == "BOOL":
		return Column{Type: kind(table.Bool), Expr: "toInt64(" + x + ")"}, true
	case t == "STRING":
		return Column{Type: kind(table.String), Expr: x, Binary: true}, true
	case t == "DATE", t == "DATE32":
		return Column{Type: kind(table.Date), Expr: "toInt64(toInt32(" + x + "))"}, true
	case t == "DATETIME", strings.HasPrefix(t, "DATETIME("):
		return Column{Type: instants, Expr: "toInt64(toUnixTimestamp(" + x + ")) * 1000000"}, true
	case strings.HasPrefix(t, "DATETIME64(3"), strings.HasPrefix(t, "DATETIME64(6"):
		return Column{Type: instants, Expr: "toUnixTimestamp64Micro(toDateTime64(" + x + ", 6))"}, true
	}
	return c, false
}

// Trino reads the columns of that engine.
type Trino struct{}

// Column reads times of up to milliseconds.
func (Trino) Column(of ColumnType) (c Column, ok bool) {
	x := of.Expr
	switch t := strings.ToLower(of.Type); {
	case t == "tinyint", t == "smallint", t == "integer", t == "bigint":
		return Column{Type: kind(table.Int), Expr: "CAST(" + x + " AS bigint)"}, true
	case t == "real", t == "double":
		x = "CAST(" + x + " AS double)"
		return Column{Type: kind(table.Float), Expr: "CASE WHEN NOT is_nan(" + x + ") THEN " + x + " END"}, true
	case t == "boolean":
		return Column{Type: kind(table.Bool), Expr: "CASE WHEN " + x + " THEN 1 WHEN NOT " + x + " THEN 0 END"}, true
	case t == "varchar", strings.HasPrefix(t, "varchar("):
		return Column{Type: kind(table.String), Expr: x}, true
	case t == "varbinary":
		return Column{Type: kind(table.String), Expr: x, Binary: true}, true
	case t == "date":
		return Column{Type: kind(table.Date), Expr: "date_diff('day', DATE '1970-01-01', " + x + ")"}, true
	case t == "timestamp", t == "timestamp(3)", t == "timestamp(0)":
		return Column{Type: wallClock, Expr: "date_diff('millisecond', TIMESTAMP '1970-01-01 00:00:00', " + x + ") * 1000"}, true
	case t == "timestamp with time zone", t == "timestamp(3) with time zone", t == "timestamp(0) with time zone":
		return Column{Type: instants, Expr: "date_diff('millisecond', TIMESTAMP '1970-01-01 00:00:00 UTC', " + x + ") * 1000"}, true
	}
	return c, false
}

// Spark reads the columns of that engine.
type Spark struct{}

// Column reads texts as bytes.
func (Spark) Column(of ColumnType) (c Column, ok bool) {
	x := of.Expr
	switch strings.ToLower(of.Type) {
	case "tinyint", "smallint", "int", "bigint":
		return Column{Type: kind(table.Int), Expr: "CAST(" + x + " AS BIGINT)"}, true
	case "float", "double":
		x = "CAST(" + x + " AS DOUBLE)"
		return Column{Type: kind(table.Float), Expr: "CASE WHEN NOT isnan(" + x + ") THEN " + x + " END"}, true
	case "boolean":
		return Column{Type: kind(table.Bool), Expr: "CAST(CASE WHEN " + x + " THEN 1 WHEN NOT " + x + " THEN 0 END AS BIGINT)"}, true
	case "string":
		return Column{Type: kind(table.String), Expr: "CAST(" + x + " AS BINARY)", Binary: true}, true
	case "binary":
		return Column{Type: kind(table.String), Expr: x, Binary: true}, true
	case "date":
		return Column{Type: kind(table.Date), Expr: "CAST(unix_date(" + x + ") AS BIGINT)"}, true
	case "timestamp":
		return Column{Type: instants, Expr: "unix_micros(" + x + ")"}, true
	}
	return c, false
}

// BigQuery reads the columns of that engine.
type BigQuery struct{}

// Column reads texts as bytes.
func (BigQuery) Column(of ColumnType) (c Column, ok bool) {
	x := of.Expr
	switch of.Type {
	case "INT64", "INTEGER":
		return Column{Type: kind(table.Int), Expr: x}, true
	case "FLOAT64", "FLOAT":
		return Column{Type: kind(table.Float), Expr: "IF(IS_NAN(" + x + "), NULL, " + x + ")"}, true
	case "BOOL", "BOOLEAN":
		return Column{Type: kind(table.Bool), Expr: "CAST(" + x + " AS INT64)"}, true
	case "STRING":
		return Column{Type: kind(table.String), Expr: "CAST(" + x + " AS BYTES)", Binary: true}, true
	case "BYTES":
		return Column{Type: kind(table.String), Expr: x, Binary: true}, true
	case "DATE":
		return Column{Type: kind(table.Date), Expr: "UNIX_DATE(" + x + ")"}, true
	case "DATETIME":
		return Column{Type: wallClock, Expr: "DATETIME_DIFF(" + x + ", DATETIME '1970-01-01', MICROSECOND)"}, true
	case "TIMESTAMP":
		return Column{Type: instants, Expr: "UNIX_MICROS(" + x + ")"}, true
	}
	return c, false
}

// Snowflake reads the columns of that engine.
type Snowflake struct{}

// Column reads texts as bytes.
func (Snowflake) Column(of ColumnType) (c Column, ok bool) {
	x := of.Expr
	switch of.Type {
	case "FIXED", "NUMBER":
		if of.HasDecimal && of.Scale == 0 && of.Precision <= 18 {
			return Column{Type: kind(table.Int), Expr: x}, true
		}
	case "REAL", "FLOAT", "DOUBLE":
		return Column{Type: kind(table.Float), Expr: "NULLIF(" + x + ", CAST('NaN' AS DOUBLE))"}, true
	case "BOOLEAN":
		return Column{Type: kind(table.Bool), Expr: "CASE WHEN " + x + " THEN 1 WHEN NOT " + x + " THEN 0 END"}, true
	case "TEXT", "VARCHAR", "STRING":
		return Column{Type: kind(table.String), Expr: "TO_BINARY(" + x + ", 'UTF-8')", Binary: true}, true
	case "BINARY":
		return Column{Type: kind(table.String), Expr: x, Binary: true}, true
	case "DATE":
		return Column{Type: kind(table.Date), Expr: "DATEDIFF('day', TO_DATE('1970-01-01'), " + x + ")"}, true
	case "TIMESTAMP_NTZ":
		return Column{Type: wallClock, Expr: "DATE_PART('epoch_microsecond', " + x + ")"}, true
	case "TIMESTAMP_TZ", "TIMESTAMP_LTZ":
		return Column{Type: instants, Expr: "DATE_PART('epoch_microsecond', " + x + ")"}, true
	}
	return c, false
}

// mostMicroseconds is before the last time of PostgreSQL whose microseconds since 1970 are an int64; later ones are read as null.
const mostMicroseconds = "294240-01-01 00:00:00"

// PostgresEnum is the name of each type of PostgreSQL that lists its values.
const PostgresEnum = "ENUM"

// microseconds are exact: extract is numeric.
func microseconds(x, most string) string {
	return "CASE WHEN isfinite(" + x + ") AND " + x + " < " + most + " THEN CAST(extract(epoch FROM " + x + ") * 1000000 AS bigint) END"
}
