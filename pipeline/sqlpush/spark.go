package sqlpush

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/queries/domain"
)

// spark is the dialect of Spark SQL from version 4.0 on, in ANSI mode or not: no expression overflows, and casts that
// could fail are try_casts. Texts are compared as bytes, whatever their collation is.
type spark struct{ ansi }

func (spark) name() string { return "spark" }

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

// column reads texts that are not UTF-8 as NULL.
func (spark) column(of columnType) (c column, ok bool) {
	x := of.Expr
	name, digits, _ := strings.Cut(strings.ToLower(of.Type), "(")
	if n, _ := fmt.Sscanf(digits, "%d,%d)", &of.Precision, &of.Scale); n == 2 {
		of.HasDecimal = true
	}
	name, _, _ = strings.Cut(name, " collate ")
	switch name {
	case "tinyint", "smallint", "int":
		return column{Type: kind(table.Int), Expr: "CAST(" + x + " AS BIGINT)"}, true
	case "bigint":
		return column{Type: kind(table.Int), Expr: x}, true
	case "float":
		return sparkFloat("CAST(" + x + " AS DOUBLE)"), true
	case "double":
		return sparkFloat(x), true
	case "decimal":
		switch {
		case !of.HasDecimal:
		case of.Scale == 0 && of.Precision <= 18:
			return column{Type: kind(table.Int), Expr: "CAST(" + x + " AS BIGINT)"}, true
		case of.Exact: // equal values have equal texts, because the type fixes the number of digits after the point
			return sparkText("CAST(" + x + " AS STRING)"), true
		default: // the cast gives the nearest double
			return column{Type: kind(table.Float), Expr: "CAST(" + x + " AS DOUBLE)"}, true
		}
	case "boolean":
		return column{Type: kind(table.Bool), Expr: "CAST(" + x + " AS BIGINT)"}, true
	case "string", "varchar", "char":
		return sparkText(x), true
	case "binary":
		return column{Type: kind(table.String), Expr: x, Binary: true}, true
	case "date":
		return column{Type: kind(table.Date), Expr: "CAST(unix_date(" + x + ") AS BIGINT)"}, true
	case "timestamp":
		return column{Type: instants, Expr: "unix_micros(" + x + ")"}, true
	case "timestamp_ntz": // session sets the time zone in which these are read
		return column{Type: wallClock, Expr: "unix_micros(CAST(" + x + " AS TIMESTAMP))"}, true
	}
	return c, false
}

func sparkFloat(x string) column {
	return column{Type: kind(table.Float), Expr: "CASE WHEN NOT isnan(" + x + ") THEN " + x + " END", Bare: x,
		Check: "NOT isnan(" + x + ") AND " + x + " IS NOT NULL"}
}

// sparkString is the type of texts that are compared byte by byte, whatever the collation of a column or a session is.
// It is not BINARY, because Spark's fast hash map for grouping holds no BINARY.
const sparkString = "STRING COLLATE UTF8_BINARY"

// sparkText returns a column of texts. Invalid UTF-8 is read as NULL.
func sparkText(x string) column {
	return textColumn("CASE WHEN is_valid_utf8(" + x + ") THEN CAST(" + x + " AS " + sparkString + ") END")
}

// nameTypes asks the server whether times have a zone, because its protocol has one name for both types.
func (spark) nameTypes(ctx context.Context, s *session, from string, all []columnType) error {
	rows, err := s.query(ctx, "DESCRIBE QUERY SELECT * FROM "+from)
	if err != nil {
		return failed(ctx, "the types of the input's columns cannot be read", err)
	}
	defer rows.Close()
	n := 0
	for ; rows.Next(); n++ {
		var name, of string
		var comment any
		if err := rows.Scan(&name, &of, &comment); err != nil {
			return failed(ctx, "the types of the input's columns cannot be read", err)
		}
		if n < len(all) && all[n].Name == name {
			all[n].Type = strings.ToUpper(of)
		}
	}
	if err := rows.Err(); err != nil || n != len(all) {
		return failed(ctx, "the types of the input's columns cannot be read", err)
	}
	return nil
}

func (spark) quote(name string) string { return "`" + strings.ReplaceAll(name, "`", "``") + "`" }

func (spark) text(text string, binary bool) (string, bool) {
	bytes := "X'" + hexadecimal([]byte(text)) + "'"
	if binary {
		return bytes, true
	}
	return "CAST(" + bytes + " AS " + sparkString + ")", true
}

func (spark) divide(x string, by int64) string { return fmt.Sprintf("(%s) div %d", x, by) }

// failsBelow is false: in Spark products that underflow become 0.
func (spark) failsBelow() bool { return false }

func (spark) bytes(parts []part) string {
	return "concat(" + strings.Join(sparkPieces.exprs(parts), ", ") + ")"
}

func (spark) digest(message string) string { return "sha2(" + message + ", 256)" }

func (spark) first8(digest string) string { return hexadecimalFirst8(digest) }

var sparkPieces = pieces{
	unit: unitTextSyntax{
		Number:   func(x string) string { return "CAST(" + x + " AS STRING)" },
		Date:     func(x string) string { return "CAST(date_from_unix_date(CAST(" + x + " AS INT)) AS STRING)" },
		OtherDay: func(x string) string { return "concat('day ', CAST(" + x + " AS STRING))" },
		Time:     func(x string) string { return "replace(CAST(timestamp_micros(" + x + ") AS STRING), ' ', 'T')" },
		Quotient: "div",
		Bytes:    func(x string) string { return "CAST(" + x + " AS BINARY)" },
	}.write,
	length: func(text string) string { return sparkBytes("octet_length("+text+")", 4) },
	number: func(x string, width int) string { return sparkBytes("CAST("+x+" AS BIGINT)", width) },
	bytes:  func(hexadecimal string) string { return "X'" + hexadecimal + "'" },
}

// sparkBytes returns an integer as width bytes. Padding the bytes takes Spark half as long as padding the hexadecimal
// digits, and a cast to BINARY fails in ANSI mode.
func sparkBytes(x string, width int) string {
	return fmt.Sprintf("lpad(unhex(hex(%s)), %d, X'00')", x, width)
}

// sum splits each number into digits to the base 2^15 and adds up each digit, because Spark adds BIGINTs much faster
// than decimals. All digits are below 2^15; the first one has the sign and is at least -2^15. So sums of up to 2^48
// rows fit a BIGINT, and the sum of the whole numbers fits a decimal of 38 digits, because limit · 2^48 is below 10^38.
func (spark) sum(x string, limit int64) string {
	const digit = 15
	if limit == 0 {
		return "SUM(CAST(" + x + " AS DECIMAL(38, 0)))"
	}
	var parts []string
	for shift := 0; ; shift += digit {
		part := x
		if shift > 0 {
			part = fmt.Sprintf("shiftright(%s, %d)", x, shift)
		}
		first := limit>>shift < 1<<digit
		if !first {
			part = fmt.Sprintf("(%s) & %d", part, 1<<digit-1)
		}
		part = "CAST(SUM(" + part + ") AS DECIMAL(38, 0))"
		if shift > 0 {
			part += fmt.Sprintf(" * %d", int64(1)<<shift)
		}
		parts = append(parts, part)
		if first {
			return strings.Join(parts, " + ")
		}
	}
}

func (spark) digits(sum string) string { return "CAST(" + sum + " AS STRING)" }

// session returns the settings of a session: times without a zone are in UTC, concat and lpad of binaries return a
// binary, and the server collects a result before it sends the first row (results are small).
func (spark) session() []string {
	return []string{
		"SET TIME ZONE 'UTC'", "SET spark.sql.function.concatBinaryAsString = false",
		"SET spark.sql.legacy.lpadRpadAlwaysReturnString = false", "SET spark.sql.thriftServer.incrementalCollect = false",
	}
}

// suits checks the properties on which statements depend. Versions before 4.0 lack is_valid_utf8 and fail.
func (spark) suits(ctx context.Context, s *session) error {
	refused := &pipeline.Error{
		Cause: pipeline.CauseInput, Code: "sql-server", Message: "this server is not Spark 4.0 or later, or it does not " +
			"compute as that does",
		Hint: "use a server of Spark 4.0 or later, or write engine: local and read the files",
	}
	ok := false
	err := s.value(ctx, "SELECT is_valid_utf8('a') AND unix_micros(CAST(TIMESTAMP_NTZ'1969-12-31 23:59:59.999999' AS "+
		"TIMESTAMP)) = -1 AND octet_length(concat(X'00', X'FF')) = 2 AND typeof(lpad(X'FF', 2, X'00')) = 'binary' AND "+
		"CAST(2.5D AS BIGINT) = 2 AND floor(-0.5D) = -1 AND CAST('NaN' AS DOUBLE) > CAST('Infinity' AS DOUBLE)", &ok)
	switch {
	case ctx.Err() == nil && err != nil && sqlState(err) == "" || err == nil && !ok:
		return refused
	case err != nil:
		return failed(ctx, "the server does not say its version", err)
	}
	return nil
}

// fold leaves texts above 64 MiB unchanged: no listed text is as long, and the result could exceed Spark's limit for a
// text.
func (d spark) fold(x string, f *domain.FoldTable) (string, bool) {
	folded := x
	if f.From != "" {
		from, _ := d.text(f.From, false)
		to, _ := d.text(f.To, false)
		folded = "translate(" + folded + ", " + from + ", " + to + ")"
	}
	if f.Space {
		folded = "trim(regexp_replace(" + folded + ", ' +', ' '))"
	}
	return fmt.Sprintf("CASE WHEN octet_length(%s) <= %d THEN %s ELSE %s END", x, 64<<20, folded, x), true
}

func (spark) integers() wideIntegers { return sparkIntegers }

func (spark) keys() keySyntax { return sparkKeys }

// wall is the number of the partition that computes a row; Spark's optimizer moves no condition past such an
// expression. Without it, the conditions of statements with many stages grow until the server runs out of memory.
func (spark) wall() string { return "spark_partition_id()" }

func (spark) together() bool { return true }

// element writes the list as an array literal, which is the same constant in every row.
func (spark) element(list []float64, at string) string {
	items := make([]string, len(list))
	for i, v := range list {
		items[i] = strconv.FormatFloat(v, 'e', -1, 64) + "D"
	}
	return "get(array(" + strings.Join(items, ", ") + "), CAST(" + at + " AS INT))"
}

// sparkIntegers computes with decimals. Their div returns a BIGINT, which holds all quotients that statements compute.
var sparkIntegers = wideIntegers{
	Wide:     "DECIMAL(38, 0)",
	Quotient: func(a, b string) string { return "CAST((" + a + ") div (" + b + ") AS DECIMAL(38, 0))" },
	Narrow:   func(x string) string { return "CAST(" + x + " AS BIGINT)" },
	Cut:      func(x string) string { return "(" + x + ")" }, // unchanged, because the cast to BIGINT truncates
}

// sparkKeys inserts bytes into texts by their hexadecimal digits. It flips the sign bit of a number by xor, because an
// addition could overflow.
var sparkKeys = keySyntax{
	Digest: func(message string) string { return "unhex(sha2(" + message + ", 256))" },
	Text: func(x string) string {
		return "unhex(replace(replace(regexp_replace(hex(" + x + "), '(..)', '$1,'), '00,', '00FF'), ',', ''))"
	},
	Number: func(x string) string { return "(" + x + " ^ " + integer(math.MinInt64) + ")" },
}
