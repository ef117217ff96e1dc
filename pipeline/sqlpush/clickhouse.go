package sqlpush

import (
	"fmt"
	"strings"

	"github.com/dprelease/dprelease/io/table"
)

// clickhouse is ClickHouse from version 21.9 on, which has windows. Its sums of Int64 would wrap, so they are of
// Int128.
type clickhouse struct{ ansi }

// name is the driver's name in a job.
func (clickhouse) name() string { return "clickhouse" }

// typical are the types that hold each kind of values.
func (clickhouse) typical() map[table.Kind]string {
	return map[table.Kind]string{
		table.Int:       "INT64",
		table.Float:     "FLOAT64",
		table.String:    "STRING",
		table.Bool:      "BOOL",
		table.Date:      "DATE32",
		table.Timestamp: "DATETIME64(6)",
	}
}

// column takes Nullable and LowCardinality off the type.
func (clickhouse) column(of columnType) (c column, ok bool) {
	x, t := of.Expr, of.Type
	for _, around := range []string{"LOWCARDINALITY(", "NULLABLE("} {
		if inner, found := strings.CutPrefix(t, around); found {
			t = strings.TrimSuffix(inner, ")")
		}
	}
	switch {
	case t == "INT8", t == "INT16", t == "INT32", t == "INT64", t == "UINT8", t == "UINT16", t == "UINT32":
		return column{Type: kind(table.Int), Expr: "toInt64(" + x + ")"}, true
	case t == "FLOAT32", t == "FLOAT64":
		x = "toFloat64(" + x + ")"
		return column{Type: kind(table.Float), Expr: "if(isNaN(" + x + "), NULL, " + x + ")"}, true
	case t == "BOOL":
		return column{Type: kind(table.Bool), Expr: "toInt64(" + x + ")"}, true
	case t == "STRING":
		return column{Type: kind(table.String), Expr: x, Binary: true}, true
	case t == "DATE", t == "DATE32":
		return column{Type: kind(table.Date), Expr: "toInt64(toInt32(" + x + "))"}, true
	case t == "DATETIME", strings.HasPrefix(t, "DATETIME("):
		return column{Type: instants, Expr: "toInt64(toUnixTimestamp(" + x + ")) * 1000000"}, true
	case strings.HasPrefix(t, "DATETIME64(3"), strings.HasPrefix(t, "DATETIME64(6"):
		return column{Type: instants, Expr: "toUnixTimestamp64Micro(toDateTime64(" + x + ", 6))"}, true
	}
	return c, false
}

// text is bytes.
func (clickhouse) text(text string, _ bool) (string, bool) {
	if plainText(text) {
		return quoted(text), true
	}
	return "unhex('" + hexadecimal([]byte(text)) + "')", true
}

// float is read from its text.
func (clickhouse) float(x float64) string { return "toFloat64('" + exponential(x) + "')" }

// double converts.
func (clickhouse) double(x string) string { return "toFloat64(" + x + ")" }

// integer converts.
func (clickhouse) integer(x string) string { return "toInt64(" + x + ")" }

// divide is intDiv.
func (clickhouse) divide(x string, by int64) string { return fmt.Sprintf("intDiv(%s, %d)", x, by) }

// pairs is the table function values.
func (clickhouse) pairs(alias string, pairs []pair) string {
	return "(SELECT tupleElement(p, 1) AS v, tupleElement(p, 2) AS c FROM (SELECT arrayJoin([" + pairList(pairs) +
		"]) AS p)) AS " + alias
}

// bytes concatenates.
func (clickhouse) bytes(parts []part) string {
	return "concat(" + strings.Join(clickhousePieces.of(parts), ", ") + ")"
}

// digest is a text of 32 bytes.
func (clickhouse) digest(message string) string { return "SHA256(" + message + ")" }

var clickhousePieces = pieces{
	unit:   clickhouseUnit,
	length: func(text string) string { return "unhex(leftPad(hex(toUInt32(length(" + text + "))), 8, '0'))" },
	number: func(x string, width int) string {
		return fmt.Sprintf("unhex(leftPad(hex(toInt64(%s)), %d, '0'))", x, 2*width)
	},
	bytes: func(hexadecimal string) string { return "unhex('" + hexadecimal + "')" },
}

// clickhouseUnit is the canonical text of a unit's column, all of whose texts are bytes.
func clickhouseUnit(x string, of table.Type, _ bool) string {
	x = "assumeNotNull(" + x + ")"
	switch of.Kind {
	case table.String:
		return x
	case table.Bool:
		return "if(" + x + " = 1, 'true', 'false')"
	case table.Date:
		return "toString(toDate32(toInt32(" + x + ")))"
	}
	return "toString(" + x + ")"
}

// total is of Int128.
func (clickhouse) total(x string) string { return "toString(sum(toInt128(" + x + ")))" }

// session lets joins give NULL for what has no partner.
func (clickhouse) session() []string { return []string{"SET join_use_nulls = 1"} }

// partial is of Int128.
func (clickhouse) partial(x string) string { return "sum(toInt128(" + x + "))" }
