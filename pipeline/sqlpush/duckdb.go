package sqlpush

import (
	"fmt"
	"strings"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/pipeline/sqlpush/internal/keys"
	"github.com/dprelease/dprelease/pipeline/sqlpush/internal/numerals"
	"github.com/dprelease/dprelease/pipeline/sqlpush/internal/unittexts"
	"github.com/dprelease/dprelease/pipeline/sqlpush/internal/vectors"
	"github.com/dprelease/dprelease/queries/domain"
)

// duckdb is DuckDB 1.5. Its texts are compared as bytes once they are blobs, whatever the collation; sums of BIGINT are HUGEINT and do not overflow.
type duckdb struct{ ansi }

// Name is the driver's name in a job.
func (duckdb) Name() string { return "duckdb" }

// Column reads texts as they are, and infinite dates and times as null, as date_diff and epoch_us do.
func (duckdb) Column(of ColumnType) (c Column, ok bool) {
	x := of.Expr
	name, size, _ := strings.Cut(of.Type, "(")
	if n, _ := fmt.Sscanf(size, "%d,%d)", &of.Precision, &of.Scale); n == 2 { // the driver says it in the name alone
		of.HasDecimal = true
	}
	switch name {
	case "TINYINT", "SMALLINT", "INTEGER", "UTINYINT", "USMALLINT", "UINTEGER":
		return Column{Type: kind(table.Int), Expr: "CAST(" + x + " AS BIGINT)"}, true
	case "BIGINT":
		return Column{Type: kind(table.Int), Expr: x}, true
	case "FLOAT":
		return duckdbFloat("CAST(" + x + " AS DOUBLE)"), true
	case "DOUBLE":
		return duckdbFloat(x), true
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
		return Column{Type: kind(table.String), Expr: "encode(CAST(" + x + " AS VARCHAR))", Binary: true, Characters: true}, true
	case "BLOB":
		return Column{Type: kind(table.String), Expr: x, Binary: true}, true
	case "DATE":
		return Column{Type: kind(table.Date), Expr: "date_diff('day', DATE '1970-01-01', " + x + ")"}, true
	case "TIMESTAMP":
		return Column{Type: wallClock, Expr: "epoch_us(" + x + ")"}, true
	case "TIMESTAMPTZ", "TIMESTAMP WITH TIME ZONE":
		return Column{Type: instants, Expr: "epoch_us(" + x + ")"}, true
	}
	return c, false
}

// duckdbFloat is a column of doubles. NaN is above infinity: a comparison is a filter that scans take, and a call of isnan is not. Bare fails in no row,
// since NaN is not below a number, and products are of what is.
func duckdbFloat(x string) Column {
	return Column{
		Type: kind(table.Float), Expr: "CASE WHEN NOT isnan(" + x + ") THEN " + x + " END",
		Bare: x, Check: x + " <= CAST('Infinity' AS DOUBLE)",
	}
}

// failsBelow is false: what is too small becomes 0.
func (duckdb) failsBelow() bool { return false }

// Text is a blob.
func (duckdb) Text(text string, _ bool) (string, bool) {
	if plainText(text) {
		return "encode(" + quoted(text) + ")", true
	}
	return "unhex('" + hexadecimal([]byte(text)) + "')", true
}

// Divide is the division of integers.
func (duckdb) Divide(x string, by int64) string { return fmt.Sprintf("(%s) // %d", x, by) }

// Bytes concatenates.
func (duckdb) Bytes(parts []Part) string {
	return strings.Join(duckdbPieces.of(parts), " || ")
}

// Digest is a text of hexadecimal digits.
func (duckdb) Digest(message string) string { return "sha256(" + message + ")" }

var duckdbPieces = pieces{
	unit: unittexts.Canonical{
		Number:   func(x string) string { return "CAST(" + x + " AS VARCHAR)" },
		Date:     func(x string) string { return "strftime(DATE '1970-01-01' + CAST(" + x + " AS INTEGER), '%Y-%m-%d')" },
		OtherDay: func(x string) string { return "'day ' || CAST(" + x + " AS VARCHAR)" },
		Time:     func(x string) string { return "strftime(make_timestamp(" + x + "), '%Y-%m-%dT%H:%M:%S.%f')" },
		Quotient: "//",
		Bytes:    func(x string) string { return "encode(" + x + ")" },
	}.Of,
	length: func(text string) string { return "unhex(lpad(hex(octet_length(" + text + ")), 8, '0'))" },
	number: func(x string, width int) string {
		of := map[int]string{4: "INTEGER", 8: "BIGINT"}[width]
		return "CAST(CAST(CAST(" + x + " AS " + of + ") AS BIT) AS BLOB)" // the bytes of its two's complement, the highest first
	},
	bytes: func(hexadecimal string) string { return "unhex('" + hexadecimal + "')" },
}

// Pairs makes blobs of texts in one expression, since each one of its own takes longer to be read than a row.
func (d duckdb) Pairs(alias string, pairs []Pair) string {
	x, plain := "v", make([]Pair, len(pairs))
	for i, p := range pairs {
		text, begins := strings.CutPrefix(p.Value, "encode(")
		text, ends := strings.CutSuffix(text, ")")
		if !begins || !ends {
			return d.ansi.Pairs(alias, pairs)
		}
		x, plain[i] = "encode(v)", Pair{text, p.Code}
	}
	return "(SELECT " + x + " AS v, c FROM " + d.ansi.Pairs("p", plain) + ") AS " + alias
}

// Total is of HUGEINT.
func (duckdb) Total(x string) string { return "CAST(SUM(" + x + ") AS VARCHAR)" }

// Session turns off a rewriting of windows whose state does not spill to disk, and the loading of extensions from the network.
func (duckdb) Session() []string {
	return []string{"SET disabled_optimizers = 'top_n_window_elimination'", "SET autoinstall_known_extensions = false", "SET autoload_known_extensions = false"}
}

// fold reads the bytes of a text as the characters that they were made of.
func (duckdb) fold(x string, f *domain.FoldRule) (string, bool) {
	text := func(s string) string { return "decode(unhex('" + hexadecimal([]byte(s)) + "'))" }
	x = "decode(" + x + ")"
	if f.From != "" {
		x = "translate(" + x + ", " + text(f.From) + ", " + text(f.To) + ")"
	}
	if f.Space {
		x = "trim(regexp_replace(" + x + ", ' +', ' ', 'g'), ' ')"
	}
	return "encode(" + x + ")", true
}

// exactly: an operator of doubles is a function of its own.
func (duckdb) exactly() *exactness { return &exactness{vectors.Hugeint, numerals.DuckDB} }

func (duckdb) keys() keys.Dialect { return keys.DuckDB }

// unitOfTimes is true.
func (duckdb) unitOfTimes() bool { return true }

// Element is of a list that is the same for all rows.
func (duckdb) Element(list []float64, at string) (string, bool) {
	items := make([]string, len(list))
	for i, v := range list {
		items[i] = exponential(v)
	}
	return "CAST([" + strings.Join(items, ", ") + "] AS DOUBLE[])[" + at + " + 1]", true
}
