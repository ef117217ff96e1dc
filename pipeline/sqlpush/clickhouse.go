package sqlpush

import (
	"fmt"
	"strings"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/pipeline/sqlpush/internal/columns"
	"github.com/dprelease/dprelease/pipeline/sqlpush/internal/expr"
)

// clickhouse is ClickHouse from version 21.9 on, which has windows. Its sums of Int64 would wrap, so they are of Int128.
type clickhouse struct {
	ansi
	columns.ClickHouse
}

// Name is the driver's name in a job.
func (clickhouse) Name() string { return "clickhouse" }

// Text is bytes.
func (clickhouse) Text(text string, _ bool) (string, bool) {
	if expr.PlainText(text) {
		return expr.Quoted(text), true
	}
	return "unhex('" + expr.Hexadecimal([]byte(text)) + "')", true
}

// Float is read from its text.
func (clickhouse) Float(x float64) string { return "toFloat64('" + expr.Exponential(x) + "')" }

// Double converts.
func (clickhouse) Double(x string) string { return "toFloat64(" + x + ")" }

// Integer converts.
func (clickhouse) Integer(x string) string { return "toInt64(" + x + ")" }

// Divide is intDiv.
func (clickhouse) Divide(x string, by int64) string { return fmt.Sprintf("intDiv(%s, %d)", x, by) }

// Pairs is the table function values.
func (clickhouse) Pairs(alias string, pairs []Pair) string {
	return "(SELECT tupleElement(p, 1) AS v, tupleElement(p, 2) AS c FROM (SELECT arrayJoin([" + expr.PairList(pairs) + "]) AS p)) AS " + alias
}

// Bytes concatenates.
func (clickhouse) Bytes(parts []Part) string {
	return "concat(" + strings.Join(clickhousePieces.of(parts), ", ") + ")"
}

// Digest is a text of 32 bytes.
func (clickhouse) Digest(message string) string { return "SHA256(" + message + ")" }

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

// Total is of Int128.
func (clickhouse) Total(x string) string { return "toString(sum(toInt128(" + x + ")))" }

// Session lets joins give NULL for what has no partner.
func (clickhouse) Session() []string { return []string{"SET join_use_nulls = 1"} }

// Partial is of Int128.
func (clickhouse) Partial(x string) string { return "sum(toInt128(" + x + "))" }
