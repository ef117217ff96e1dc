package sqlpush

import (
	"fmt"
	"strings"

	"github.com/dprelease/dprelease/pipeline/sqlpush/internal/columns"
	"github.com/dprelease/dprelease/pipeline/sqlpush/internal/expr"
	"github.com/dprelease/dprelease/pipeline/sqlpush/internal/unittexts"
)

// spark is Spark SQL from version 3.4 on. Its texts may have collations, so they are compared as bytes.
type spark struct {
	ansi
	columns.Spark
}

// Name is the driver's name in a job.
func (spark) Name() string { return "spark" }

// Quote has backquotes.
func (spark) Quote(name string) string { return "`" + strings.ReplaceAll(name, "`", "``") + "`" }

// Text is bytes.
func (spark) Text(text string, _ bool) (string, bool) {
	return "X'" + expr.Hexadecimal([]byte(text)) + "'", true
}

// Divide is div.
func (spark) Divide(x string, by int64) string { return fmt.Sprintf("(%s) div %d", x, by) }

// Bytes concatenates.
func (spark) Bytes(parts []Part) string {
	return "concat(" + strings.Join(sparkPieces.of(parts), ", ") + ")"
}

// Digest is a text of hexadecimal digits.
func (spark) Digest(message string) string { return "sha2(" + message + ", 256)" }

var sparkPieces = pieces{
	unit: unittexts.Canonical{
		Number:   func(x string) string { return "CAST(" + x + " AS STRING)" },
		Date:     func(x string) string { return "CAST(date_from_unix_date(CAST(" + x + " AS INT)) AS STRING)" },
		OtherDay: func(x string) string { return "concat('day ', CAST(" + x + " AS STRING))" },
		Bytes:    func(x string) string { return "CAST(" + x + " AS BINARY)" },
	}.Of,
	length: func(text string) string { return "unhex(lpad(hex(octet_length(" + text + ")), 8, '0'))" },
	number: func(x string, width int) string {
		return fmt.Sprintf("unhex(lpad(hex(CAST(%s AS BIGINT)), %d, '0'))", x, 2*width)
	},
	bytes: func(hexadecimal string) string { return "X'" + hexadecimal + "'" },
}

// Total is of decimals of 38 digits, which partial sums fit in: without ANSI mode, a cast or a sum that overflows is NULL.
func (spark) Total(x string) string { return "CAST(SUM(CAST(" + x + " AS DECIMAL(38, 0))) AS STRING)" }

// Session sets the zone of times without one.
func (spark) Session() []string { return []string{"SET TIME ZONE 'UTC'"} }

// Partial is of the same type.
func (spark) Partial(x string) string { return "SUM(CAST(" + x + " AS DECIMAL(38, 0)))" }
