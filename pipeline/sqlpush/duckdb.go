package sqlpush

import (
	"fmt"
	"strings"

	"github.com/dprelease/dprelease/io/table"
)

// duckdb is DuckDB 1.5. Its texts are compared as bytes once they are blobs, whatever the collation; sums of BIGINT are HUGEINT and do not overflow.
type duckdb struct{ ansi }

// Name is the driver's name in a job.
func (duckdb) Name() string { return "duckdb" }

// Column reads texts as they are, and infinite dates and times as null.
func (duckdb) Column(of ColumnType) (c Column, ok bool) {
	x := of.Expr
	switch name, _, _ := strings.Cut(of.Type, "("); name {
	case "TINYINT", "SMALLINT", "INTEGER", "UTINYINT", "USMALLINT", "UINTEGER":
		return Column{Type: kind(table.Int), Expr: "CAST(" + x + " AS BIGINT)"}, true
	case "BIGINT":
		return Column{Type: kind(table.Int), Expr: x}, true
	case "FLOAT":
		x = "CAST(" + x + " AS DOUBLE)"
		return Column{Type: kind(table.Float), Expr: "CASE WHEN NOT isnan(" + x + ") THEN " + x + " END"}, true
	case "DOUBLE":
		return Column{Type: kind(table.Float), Expr: "CASE WHEN NOT isnan(" + x + ") THEN " + x + " END"}, true
	case "DECIMAL":
		switch {
		case of.HasDecimal && of.Scale == 0 && of.Precision <= 18:
			return Column{Type: kind(table.Int), Expr: "CAST(" + x + " AS BIGINT)"}, true
		case of.HasDecimal && of.Precision <= 15: // the quotient of two exact doubles is the nearest one
			return Column{Type: kind(table.Float), Expr: "CAST(" + x + " AS DOUBLE)"}, true
		}
	case "BOOLEAN":
		return Column{Type: kind(table.Bool), Expr: "CAST(" + x + " AS BIGINT)"}, true
	case "VARCHAR", "ENUM", "UUID":
		return Column{Type: kind(table.String), Expr: "encode(CAST(" + x + " AS VARCHAR))", Binary: true}, true
	case "BLOB":
		return Column{Type: kind(table.String), Expr: x, Binary: true}, true
	case "DATE":
		return Column{Type: kind(table.Date), Expr: "CASE WHEN isfinite(" + x + ") THEN date_diff('day', DATE '1970-01-01', " + x + ") END"}, true
	case "TIMESTAMP":
		return Column{Type: wallClock, Expr: "CASE WHEN isfinite(" + x + ") THEN epoch_us(" + x + ") END"}, true
	case "TIMESTAMPTZ", "TIMESTAMP WITH TIME ZONE":
		return Column{Type: instants, Expr: "CASE WHEN isfinite(" + x + ") THEN epoch_us(" + x + ") END"}, true
	}
	return c, false
}

// Text is a blob.
func (duckdb) Text(text string, _ bool) (string, bool) {
	if plainText(text) {
		return "encode(" + quoted(text) + ")", true
	}
	return "unhex('" + hexadecimal([]byte(text)) + "')", true
}

// Divide is the division of integers.
func (duckdb) Divide(x string, by int64) string { return fmt.Sprintf("(%s) // %d", x, by) }

// Digest is a text of hexadecimal digits.
func (d duckdb) Digest(parts []Part) string {
	var all []string
	for _, p := range parts {
		switch {
		case p.Unit != nil:
			text := d.unit(p.Unit)
			all = append(all, "unhex(lpad(hex(octet_length("+text+")), 8, '0'))", text)
		case p.Number != "":
			all = append(all, fmt.Sprintf("unhex(lpad(hex(CAST(%s AS BIGINT)), %d, '0'))", p.Number, 2*p.Width))
		default:
			all = append(all, "unhex('"+hexadecimal(p.Bytes)+"')")
		}
	}
	return "sha256(" + strings.Join(all, " || ") + ")"
}

// unit is the canonical text of a unit's column as a blob.
func (duckdb) unit(c *Column) string {
	x := c.Expr
	switch c.Type.Kind {
	case table.String:
		return x
	case table.Bool:
		x = "CASE WHEN " + x + " = 1 THEN 'true' ELSE 'false' END"
	case table.Date:
		x = fmt.Sprintf("CASE WHEN %s BETWEEN %d AND %d THEN strftime(DATE '1970-01-01' + CAST(%s AS INTEGER), '%%Y-%%m-%%d') ELSE 'day ' || CAST(%s AS VARCHAR) END", x, firstDay, lastDay, x, x)
	default:
		x = "CAST(" + x + " AS VARCHAR)"
	}
	return "encode(" + x + ")"
}

// Total is of HUGEINT.
func (duckdb) Total(x string) string { return "CAST(SUM(" + x + ") AS VARCHAR)" }

// Session turns off a rewriting of windows whose state does not spill to disk, and the loading of extensions from the network.
func (duckdb) Session() []string {
	return []string{"SET disabled_optimizers = 'top_n_window_elimination'", "SET autoinstall_known_extensions = false", "SET autoload_known_extensions = false"}
}

// Element is of a list that is the same for all rows.
func (duckdb) Element(list []float64, at string) (string, bool) {
	items := make([]string, len(list))
	for i, v := range list {
		items[i] = exponential(v)
	}
	return "CAST([" + strings.Join(items, ", ") + "] AS DOUBLE[])[" + at + " + 1]", true
}
