package sqlpush

import (
	"strings"
	"unicode/utf8"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/pipeline/sqlpush/internal/expr"
	"github.com/dprelease/dprelease/pipeline/sqlpush/internal/unittexts"
)

// trino is Trino. Its sums of bigint fail on overflow, so they are of decimals.
type trino struct{ ansi }

// Name is the driver's name in a job.
func (trino) Name() string { return "trino" }

// Column reads times of up to milliseconds.
func (trino) Column(of ColumnType) (c Column, ok bool) {
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

// Text is UTF-8 in columns of texts.
func (trino) Text(text string, binary bool) (string, bool) {
	switch {
	case binary:
		return "from_hex('" + expr.Hexadecimal([]byte(text)) + "')", true
	case !utf8.ValidString(text):
		return "", false
	case expr.PlainText(text):
		return expr.Quoted(text), true
	}
	return "from_utf8(from_hex('" + expr.Hexadecimal([]byte(text)) + "'))", true
}

// Bytes concatenates.
func (trino) Bytes(parts []Part) string {
	return "concat(" + strings.Join(trinoPieces.of(parts), ", ") + ")"
}

// Digest is a varbinary.
func (trino) Digest(message string) string { return "sha256(" + message + ")" }

var trinoPieces = pieces{
	unit: unittexts.Canonical{
		Number:   func(x string) string { return "CAST(" + x + " AS varchar)" },
		Date:     func(x string) string { return "date_format(date_add('day', " + x + ", DATE '1970-01-01'), '%Y-%m-%d')" },
		OtherDay: func(x string) string { return "concat('day ', CAST(" + x + " AS varchar))" },
		Bytes:    func(x string) string { return "to_utf8(" + x + ")" },
	}.Of,
	length: func(text string) string { return "to_big_endian_32(CAST(length(" + text + ") AS integer))" },
	number: func(x string, width int) string {
		if width == 4 {
			return "to_big_endian_32(CAST(" + x + " AS integer))"
		}
		return "to_big_endian_64(" + x + ")"
	},
	bytes: func(hexadecimal string) string { return "from_hex('" + hexadecimal + "')" },
}

// Total is of decimals.
func (trino) Total(x string) string { return "CAST(SUM(CAST(" + x + " AS decimal(38, 0))) AS varchar)" }

// Partial is of the same type.
func (trino) Partial(x string) string { return "SUM(CAST(" + x + " AS decimal(38, 0)))" }
