package sqlpush

import (
	"strings"
	"unicode/utf8"

	"github.com/dprelease/dprelease/io/table"
)

// trino is Trino. Its sums of bigint fail on overflow, so they are of decimals.
type trino struct{ ansi }

// name is the driver's name in a job.
func (trino) name() string { return "trino" }

// typical are the types that hold each kind of values.
func (trino) typical() map[table.Kind]string {
	return map[table.Kind]string{
		table.Int:       "BIGINT",
		table.Float:     "DOUBLE",
		table.String:    "VARCHAR",
		table.Bool:      "BOOLEAN",
		table.Date:      "DATE",
		table.Timestamp: "TIMESTAMP(3) WITH TIME ZONE",
	}
}

// column reads times of up to milliseconds.
func (trino) column(of columnType) (c column, ok bool) {
	x := of.Expr
	switch t := strings.ToLower(of.Type); {
	case t == "tinyint", t == "smallint", t == "integer", t == "bigint":
		return column{Type: kind(table.Int), Expr: "CAST(" + x + " AS bigint)"}, true
	case t == "real", t == "double":
		x = "CAST(" + x + " AS double)"
		return column{Type: kind(table.Float), Expr: "CASE WHEN NOT is_nan(" + x + ") THEN " + x + " END"}, true
	case t == "boolean":
		return column{Type: kind(table.Bool), Expr: "CASE WHEN " + x + " THEN 1 WHEN NOT " + x + " THEN 0 END"}, true
	case t == "varchar", strings.HasPrefix(t, "varchar("):
		return column{Type: kind(table.String), Expr: x}, true
	case t == "varbinary":
		return column{Type: kind(table.String), Expr: x, Binary: true}, true
	case t == "date":
		return column{Type: kind(table.Date), Expr: "date_diff('day', DATE '1970-01-01', " + x + ")"}, true
	case t == "timestamp", t == "timestamp(3)", t == "timestamp(0)":
		return column{Type: wallClock, Expr: "date_diff('millisecond', TIMESTAMP '1970-01-01 00:00:00', " + x +
			") * 1000"}, true
	case t == "timestamp with time zone", t == "timestamp(3) with time zone", t == "timestamp(0) with time zone":
		return column{Type: instants, Expr: "date_diff('millisecond', TIMESTAMP '1970-01-01 00:00:00 UTC', " + x +
			") * 1000"}, true
	}
	return c, false
}

// text is UTF-8 in columns of texts.
func (trino) text(text string, binary bool) (string, bool) {
	switch {
	case binary:
		return "from_hex('" + hexadecimal([]byte(text)) + "')", true
	case !utf8.ValidString(text):
		return "", false
	case plainText(text):
		return quoted(text), true
	}
	return "from_utf8(from_hex('" + hexadecimal([]byte(text)) + "'))", true
}

// bytes concatenates.
func (trino) bytes(parts []part) string {
	return "concat(" + strings.Join(trinoPieces.of(parts), ", ") + ")"
}

// digest is a varbinary.
func (trino) digest(message string) string { return "sha256(" + message + ")" }

var trinoPieces = pieces{
	unit: unitTextSyntax{
		Number:   func(x string) string { return "CAST(" + x + " AS varchar)" },
		Date:     func(x string) string { return "date_format(date_add('day', " + x + ", DATE '1970-01-01'), '%Y-%m-%d')" },
		OtherDay: func(x string) string { return "concat('day ', CAST(" + x + " AS varchar))" },
		Bytes:    func(x string) string { return "to_utf8(" + x + ")" },
	}.write,
	length: func(text string) string { return "to_big_endian_32(CAST(length(" + text + ") AS integer))" },
	number: func(x string, width int) string {
		if width == 4 {
			return "to_big_endian_32(CAST(" + x + " AS integer))"
		}
		return "to_big_endian_64(" + x + ")"
	},
	bytes: func(hexadecimal string) string { return "from_hex('" + hexadecimal + "')" },
}

// total is of decimals.
func (trino) total(x string) string { return "CAST(SUM(CAST(" + x + " AS decimal(38, 0))) AS varchar)" }

// partial is of the same type.
func (trino) partial(x string) string { return "SUM(CAST(" + x + " AS decimal(38, 0)))" }
