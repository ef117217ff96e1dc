package sqlpush

import (
	"strings"
	"unicode/utf8"

	"github.com/dprelease/dprelease/pipeline/sqlpush/internal/columns"
	"github.com/dprelease/dprelease/pipeline/sqlpush/internal/expr"
	"github.com/dprelease/dprelease/pipeline/sqlpush/internal/unittexts"
)

// trino is Trino. Its sums of bigint fail on overflow, so they are of decimals.
type trino struct {
	ansi
	columns.Trino
}

// Name is the driver's name in a job.
func (trino) Name() string { return "trino" }

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
