package sqlpush

import (
	"fmt"
	"strings"

	"github.com/dprelease/dprelease/io/table"
)

// spark is Spark SQL from version 3.4 on. Its texts may have collations, so they are compared as bytes.
type spark struct{ ansi }

// name is the driver's name in a job.
func (spark) name() string { return "spark" }

// typical are the types that hold each kind of values.
func (spark) typical() map[table.Kind]string {
	return map[table.Kind]string{
		table.Int:       "BIGINT",
		table.Float:     "DOUBLE",
		table.String:    "STRING",
		table.Bool:      "BOOLEAN",
		table.Date:      "DATE",
		table.Timestamp: "TIMESTAMP",
	}
}

// column reads texts as bytes.
func (spark) column(of columnType) (c column, ok bool) {
	x := of.Expr
	switch strings.ToLower(of.Type) {
	case "tinyint", "smallint", "int", "bigint":
		return column{Type: kind(table.Int), Expr: "CAST(" + x + " AS BIGINT)"}, true
	case "float", "double":
		x = "CAST(" + x + " AS DOUBLE)"
		return column{Type: kind(table.Float), Expr: "CASE WHEN NOT isnan(" + x + ") THEN " + x + " END"}, true
	case "boolean":
		return column{Type: kind(table.Bool), Expr: "CAST(CASE WHEN " + x + " THEN 1 WHEN NOT " + x +
			" THEN 0 END AS BIGINT)"}, true
	case "string":
		return column{Type: kind(table.String), Expr: "CAST(" + x + " AS BINARY)", Binary: true}, true
	case "binary":
		return column{Type: kind(table.String), Expr: x, Binary: true}, true
	case "date":
		return column{Type: kind(table.Date), Expr: "CAST(unix_date(" + x + ") AS BIGINT)"}, true
	case "timestamp":
		return column{Type: instants, Expr: "unix_micros(" + x + ")"}, true
	}
	return c, false
}

// quote has backquotes.
func (spark) quote(name string) string { return "`" + strings.ReplaceAll(name, "`", "``") + "`" }

// text is bytes.
func (spark) text(text string, _ bool) (string, bool) {
	return "X'" + hexadecimal([]byte(text)) + "'", true
}

// divide is div.
func (spark) divide(x string, by int64) string { return fmt.Sprintf("(%s) div %d", x, by) }

// bytes concatenates.
func (spark) bytes(parts []part) string {
	return "concat(" + strings.Join(sparkPieces.of(parts), ", ") + ")"
}

// digest is a text of hexadecimal digits.
func (spark) digest(message string) string { return "sha2(" + message + ", 256)" }

var sparkPieces = pieces{
	unit: unitTextSyntax{
		Number:   func(x string) string { return "CAST(" + x + " AS STRING)" },
		Date:     func(x string) string { return "CAST(date_from_unix_date(CAST(" + x + " AS INT)) AS STRING)" },
		OtherDay: func(x string) string { return "concat('day ', CAST(" + x + " AS STRING))" },
		Bytes:    func(x string) string { return "CAST(" + x + " AS BINARY)" },
	}.write,
	length: func(text string) string { return "unhex(lpad(hex(octet_length(" + text + ")), 8, '0'))" },
	number: func(x string, width int) string {
		return fmt.Sprintf("unhex(lpad(hex(CAST(%s AS BIGINT)), %d, '0'))", x, 2*width)
	},
	bytes: func(hexadecimal string) string { return "X'" + hexadecimal + "'" },
}

// total is of decimals of 38 digits, which partial sums fit in: without ANSI mode, a cast or a sum that overflows is
// NULL.
func (spark) total(x string) string { return "CAST(SUM(CAST(" + x + " AS DECIMAL(38, 0))) AS STRING)" }

// session sets the zone of times without one.
func (spark) session() []string { return []string{"SET TIME ZONE 'UTC'"} }

// partial is of the same type.
func (spark) partial(x string) string { return "SUM(CAST(" + x + " AS DECIMAL(38, 0)))" }
