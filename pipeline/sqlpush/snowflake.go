package sqlpush

import (
	"fmt"
	"strings"

	"github.com/dprelease/dprelease/pipeline/sqlpush/internal/columns"
	"github.com/dprelease/dprelease/pipeline/sqlpush/internal/expr"
	"github.com/dprelease/dprelease/pipeline/sqlpush/internal/unittexts"
)

// snowflake is Snowflake. Its texts may have collations, so they are compared as bytes; its integers have 38 digits.
type snowflake struct {
	ansi
	columns.Snowflake
}

// Name is the driver's name in a job.
func (snowflake) Name() string { return "snowflake" }

// Text is bytes.
func (snowflake) Text(text string, _ bool) (string, bool) {
	return "TO_BINARY('" + expr.Hexadecimal([]byte(text)) + "', 'HEX')", true
}

// Integer casts.
func (snowflake) Integer(x string) string { return "CAST(" + x + " AS NUMBER(38, 0))" }

// Divide divides what has no remainder, since quotients are rounded.
func (snowflake) Divide(x string, by int64) string {
	return fmt.Sprintf("CAST(((%s) - MOD(%s, %d)) / %d AS NUMBER(38, 0))", x, x, by, by)
}

// Pairs is a list of values.
func (snowflake) Pairs(alias string, pairs []Pair) string {
	return "(SELECT column1 AS v, column2 AS c FROM VALUES " + expr.PairList(pairs) + ") AS " + alias
}

// Bytes concatenates.
func (snowflake) Bytes(parts []Part) string {
	return "CONCAT(" + strings.Join(snowflakePieces.of(parts), ", ") + ")"
}

// Digest is a BINARY.
func (snowflake) Digest(message string) string { return "SHA2_BINARY(" + message + ", 256)" }

var snowflakePieces = pieces{
	unit: unittexts.Canonical{
		Number: func(x string) string { return "TO_CHAR(" + x + ")" },
		Date: func(x string) string {
			return "TO_CHAR(DATEADD('day', " + x + ", TO_DATE('1970-01-01')), 'YYYY-MM-DD')"
		},
		Bytes: func(x string) string { return "TO_BINARY(" + x + ", 'UTF-8')" },
	}.Of,
	length: func(text string) string { return "TO_BINARY(" + snowflakeHex("OCTET_LENGTH("+text+")", 8) + ", 'HEX')" },
	number: func(x string, width int) string {
		if width == 4 {
			return "TO_BINARY(" + snowflakeHex(x, 8) + ", 'HEX')"
		}
		negative := snowflakeHex(fmt.Sprintf("%s + %d", x, complement), 11)
		return fmt.Sprintf("TO_BINARY(CASE WHEN %s < 0 THEN CONCAT('FFFFF', %s) ELSE %s END, 'HEX')", x, negative, snowflakeHex(x, 16))
	},
	bytes: func(hexadecimal string) string { return "TO_BINARY('" + hexadecimal + "', 'HEX')" },
}

// snowflakeHex writes a number that is not negative in hexadecimal digits.
func snowflakeHex(x string, digits int) string {
	return fmt.Sprintf("LPAD(TRIM(TO_CHAR(%s, '%s')), %d, '0')", x, strings.Repeat("X", digits), digits)
}

// Total is of NUMBER(38, 0).
func (snowflake) Total(x string) string { return "CAST(SUM(" + x + ") AS VARCHAR)" }
