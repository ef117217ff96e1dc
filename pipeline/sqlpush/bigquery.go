package sqlpush

import (
	"fmt"
	"strings"

	"github.com/dprelease/dprelease/pipeline/sqlpush/internal/columns"
	"github.com/dprelease/dprelease/pipeline/sqlpush/internal/expr"
	"github.com/dprelease/dprelease/pipeline/sqlpush/internal/unittexts"
)

// bigquery is GoogleSQL. Its texts may have collations, so they are compared as bytes; sums are of BIGNUMERIC.
type bigquery struct {
	ansi
	columns.BigQuery
}

// Name is the driver's name in a job.
func (bigquery) Name() string { return "bigquery" }

// Quote has backquotes. Names have none in them.
func (bigquery) Quote(name string) string { return "`" + strings.ReplaceAll(name, "`", "") + "`" }

// Text is bytes.
func (bigquery) Text(text string, _ bool) (string, bool) {
	return "FROM_HEX('" + expr.Hexadecimal([]byte(text)) + "')", true
}

// Float is read from its text.
func (bigquery) Float(x float64) string { return "CAST('" + expr.Exponential(x) + "' AS FLOAT64)" }

// Double casts.
func (bigquery) Double(x string) string { return "CAST(" + x + " AS FLOAT64)" }

// Integer casts.
func (bigquery) Integer(x string) string { return "CAST(" + x + " AS INT64)" }

// Divide is DIV.
func (bigquery) Divide(x string, by int64) string { return fmt.Sprintf("DIV(%s, %d)", x, by) }

// Pairs is a list of structs.
func (bigquery) Pairs(alias string, pairs []Pair) string {
	rows := make([]string, len(pairs))
	for i, p := range pairs {
		rows[i] = fmt.Sprintf("STRUCT(%s AS v, %d AS c)", p.Value, p.Code)
	}
	return "UNNEST([" + strings.Join(rows, ", ") + "]) AS " + alias
}

// complement is 2^44: quantized values are larger than minus that, so that eight bytes of a negative one are 20 bits of 1 and the rest of its
// complement.
const complement = 1 << 44

// Bytes concatenates.
func (bigquery) Bytes(parts []Part) string {
	return "CONCAT(" + strings.Join(bigqueryPieces.of(parts), ", ") + ")"
}

// Digest is BYTES.
func (bigquery) Digest(message string) string { return "SHA256(" + message + ")" }

var bigqueryPieces = pieces{
	unit: unittexts.Canonical{
		Number: func(x string) string { return "CAST(" + x + " AS STRING)" },
		Date:   func(x string) string { return "FORMAT_DATE('%Y-%m-%d', DATE_FROM_UNIX_DATE(" + x + "))" },
		Bytes:  func(x string) string { return "CAST(" + x + " AS BYTES)" },
	}.Of,
	length: func(text string) string { return "FROM_HEX(FORMAT('%08x', BYTE_LENGTH(" + text + ")))" },
	number: func(x string, width int) string {
		if width == 4 {
			return "FROM_HEX(FORMAT('%08x', " + x + "))"
		}
		return fmt.Sprintf("FROM_HEX(IF(%s < 0, CONCAT('fffff', FORMAT('%%011x', %s + %d)), FORMAT('%%016x', %s)))", x, x, complement, x)
	},
	bytes: func(hexadecimal string) string { return "FROM_HEX('" + hexadecimal + "')" },
}

// Total is of BIGNUMERIC, which has 38 digits before the point; NUMERIC has 29.
func (bigquery) Total(x string) string { return "CAST(SUM(CAST(" + x + " AS BIGNUMERIC)) AS STRING)" }

// Partial is of the same type.
func (bigquery) Partial(x string) string { return "SUM(CAST(" + x + " AS BIGNUMERIC))" }
