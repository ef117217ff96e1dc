package sqlpush

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/queries/domain"
)

// duckdb is the dialect of DuckDB 1.5. Texts are compared as blobs, so by their bytes, whatever the collation. A sum of
// BIGINTs is a HUGEINT of 128 bits and does not overflow.
type duckdb struct{ ansi }

func (duckdb) name() string { return "duckdb" }

func (duckdb) typical() map[table.Kind]string {
	return map[table.Kind]string{
		table.Int:       "BIGINT",
		table.Float:     "DOUBLE",
		table.String:    "VARCHAR",
		table.Bool:      "BOOLEAN",
		table.Date:      "DATE",
		table.Timestamp: "TIMESTAMPTZ",
	}
}

// column reads infinite dates and times as NULL, because date_diff and epoch_us return NULL for them.
func (duckdb) column(of columnType) (c column, ok bool) {
	x := of.Expr
	if strings.HasSuffix(of.Type, "]") { // a list
		return c, false
	}
	name, size, _ := strings.Cut(of.Type, "(")
	if n, _ := fmt.Sscanf(size, "%d,%d)", &of.Precision, &of.Scale); n == 2 { // DECIMAL(15,2)
		of.HasDecimal = true
	}
	switch name {
	case "TINYINT", "SMALLINT", "INTEGER", "UTINYINT", "USMALLINT", "UINTEGER":
		return column{Type: kind(table.Int), Expr: "CAST(" + x + " AS BIGINT)", Scan: scanWhole(x, name)}, true
	case "BIGINT":
		return column{Type: kind(table.Int), Expr: x, Scan: scanWhole(x, name)}, true
	case "FLOAT":
		return duckdbFloat("CAST(" + x + " AS DOUBLE)"), true
	case "DOUBLE":
		return duckdbFloat(x), true
	case "DECIMAL":
		switch {
		case of.HasDecimal && of.Scale == 0 && of.Precision <= 18:
			return column{Type: kind(table.Int), Expr: "CAST(" + x + " AS BIGINT)"}, true
		case of.Exact && of.HasDecimal:
			digits := "CAST(" + x + " AS VARCHAR)"
			if of.Scale > 0 { // no zeros at the end, because 1.50 and 1.5 are the same unit
				digits = "rtrim(rtrim(" + digits + ", '0'), '.')"
			}
			return duckdbText(digits), true
		case of.HasDecimal && of.Precision <= 15: // a quotient of exact doubles: the nearest double
			double := "CAST(" + x + " AS DOUBLE)"
			return column{Type: kind(table.Float), Expr: double, Bare: double, Check: x + " IS NOT NULL"}, true
		}
	case "BOOLEAN":
		return column{Type: kind(table.Bool), Expr: "CAST(" + x + " AS BIGINT)", Scan: scanTruth(x)}, true
	case "UBIGINT", "HUGEINT", "UHUGEINT":
		if of.Exact {
			return duckdbText("CAST(" + x + " AS VARCHAR)"), true
		}
	case "VARCHAR", "ENUM", "UUID":
		return duckdbText("CAST(" + x + " AS VARCHAR)"), true
	case "BLOB":
		return column{Type: kind(table.String), Expr: x, Binary: true}, true
	case "DATE":
		return column{Type: kind(table.Date), Expr: "date_diff('day', DATE '1970-01-01', " + x + ")", Scan: scanDays(x)}, true
	case "TIMESTAMP":
		return column{Type: wallClock, Expr: "epoch_us(" + x + ")", Scan: scanTimes(x, "TIMESTAMP")}, true
	case "TIMESTAMPTZ", "TIMESTAMP WITH TIME ZONE":
		return column{Type: instants, Expr: "epoch_us(" + x + ")", Scan: scanTimes(x, "TIMESTAMPTZ")}, true
	}
	return c, false
}

// duckdbText returns a column of texts, read as bytes.
func duckdbText(x string) column {
	c := textColumn("encode(" + x + ")")
	c.Binary = true
	return c
}

// duckdbFloat returns a column of doubles. DuckDB sorts NaN above infinity, so a comparison excludes it; unlike isnan,
// table scans can use a comparison. Computing with Bare fails for no row, because statements multiply only numbers that
// passed a comparison.
func duckdbFloat(x string) column {
	return column{
		Type: kind(table.Float), Expr: "CASE WHEN NOT isnan(" + x + ") THEN " + x + " END",
		Bare: x, Check: x + " <= CAST('Infinity' AS DOUBLE)",
	}
}

// readOnly opens the file read-only, unless the connection string sets access_mode. Then other processes can read the
// file too, a missing file is an error instead of a new file, and no query of a job can write. A database in memory
// cannot be read-only.
func (duckdb) readOnly(dsn string) string {
	path, settings, some := strings.Cut(dsn, "?")
	switch {
	case path == "" || strings.HasPrefix(path, ":memory:") || strings.Contains(strings.ToLower(settings), "access_mode"):
		return dsn
	case some && settings != "":
		return dsn + "&access_mode=read_only"
	}
	return path + "?access_mode=read_only"
}

// try writes TRY_CAST. suits checks that it rounds to nearest, ties to even.
func (duckdb) try(x string, bits int) (string, bool) {
	return "TRY_CAST(" + x + " AS " + map[int]string{8: "UTINYINT", 16: "USMALLINT", 64: "BIGINT"}[bits] + ")", true
}

// isNumber excludes NaN by a comparison, because DuckDB sorts NaN above infinity.
func (duckdb) isNumber(x string) string { return x + " <= CAST('Infinity' AS DOUBLE)" }

// find uses a function of one column, because DuckDB evaluates that once per entry of a dictionary-encoded column, and
// a CASE once per row.
func (duckdb) find(x string, list []string) (string, bool) {
	return "list_position([" + strings.Join(list, ", ") + "], " + x + ")", true
}

// failsBelow is false: in DuckDB products that underflow become 0.
func (duckdb) failsBelow() bool { return false }

func (duckdb) text(text string, _ bool) (string, bool) {
	if plainText(text) {
		return "encode(" + quoted(text) + ")", true
	}
	return "unhex('" + hexadecimal([]byte(text)) + "')", true
}

func (duckdb) divide(x string, by int64) string { return fmt.Sprintf("(%s) // %d", x, by) }

func (duckdb) bytes(parts []part) string {
	return strings.Join(duckdbPieces.exprs(parts), " || ")
}

func (duckdb) digest(message string) string { return "sha256(" + message + ")" }

func (duckdb) first8(digest string) string { return hexadecimalFirst8(digest) }

var duckdbPieces = pieces{
	unit: unitTextSyntax{
		Number:   func(x string) string { return "CAST(" + x + " AS VARCHAR)" },
		Date:     func(x string) string { return "strftime(DATE '1970-01-01' + CAST(" + x + " AS INTEGER), '%Y-%m-%d')" },
		OtherDay: func(x string) string { return "'day ' || CAST(" + x + " AS VARCHAR)" },
		Time: func(x string) string {
			return "rtrim(rtrim(strftime(make_timestamp(" + x + "), '%Y-%m-%dT%H:%M:%S.%f'), '0'), '.')"
		},
		Quotient: "//",
		Bytes:    func(x string) string { return "encode(" + x + ")" },
	}.write,
	length: func(text string) string { return "unhex(lpad(hex(octet_length(" + text + ")), 8, '0'))" },
	number: func(x string, width int) string {
		of := map[int]string{4: "INTEGER", 8: "BIGINT"}[width]
		// the bytes of x in two's complement, the highest byte first
		return "CAST(CAST(CAST(" + x + " AS " + of + ") AS BIT) AS BLOB)"
	},
	bytes: func(hexadecimal string) string { return "unhex('" + hexadecimal + "')" },
}

// pairs writes all values as one literal and splits it at a separator, because DuckDB parses that faster than thousands
// of literals. A value that contains the separator is not a plain text; then the list of pairs is used.
func (d duckdb) pairs(alias string, pairs []pair) string {
	texts, codes := make([]string, len(pairs)), make([]string, len(pairs))
	for i, p := range pairs {
		text, begins := strings.CutPrefix(p.Value, "encode('")
		text, ends := strings.CutSuffix(text, "')")
		if !begins || !ends {
			return d.ansi.pairs(alias, pairs)
		}
		texts[i], codes[i] = text, code(p.Code)
	}
	list := func(all []string) string { return "string_split(" + quoted(strings.Join(all, "|")) + ", '|')" }
	return "(SELECT encode(unnest(" + list(texts) + ")) AS v, unnest(CAST(" + list(codes) + " AS INTEGER[])) AS c) AS " +
		alias
}

func (duckdb) digits(sum string) string { return "CAST(" + sum + " AS VARCHAR)" }

// suits checks the properties on which the statements depend: how casts round and when they fail, and how times before
// 1970 and infinite times are split into fields.
func (duckdb) suits(ctx context.Context, s *session) error {
	asked := []string{
		"hour(make_timestamp(-1)) = 23", "minute(make_timestamp(-1)) = 59", "CAST(make_timestamp(-1) AS DATE) = DATE " +
			"'1969-12-31'", "hour(CAST('infinity' AS TIMESTAMP)) IS NULL",
		"date_diff('day', DATE '1970-01-01', CAST(CAST('infinity' AS TIMESTAMP) AS DATE)) IS NULL", "date_diff('day', DATE " +
			"'1970-01-01', CAST(CAST('-infinity' AS TIMESTAMP) AS DATE)) IS NULL",
	}
	for _, c := range []struct{ x, of, is string }{
		{"0.5", "BIGINT", "= 0"}, {"1.5", "BIGINT", "= 2"}, {"2.5", "BIGINT", "= 2"}, {"-0.5", "BIGINT", "= 0"}, {"-1.5",
			"BIGINT", "= -2"}, {"NaN", "BIGINT", "IS NULL"},
		{"9223372036854775808", "BIGINT", "IS NULL"}, {"-Infinity", "BIGINT", "IS NULL"}, {"-0", "UTINYINT", "= 0"}, {"-1",
			"UTINYINT", "IS NULL"}, {"256", "UTINYINT", "IS NULL"},
	} {
		asked = append(asked, fmt.Sprintf("TRY_CAST(CAST('%s' AS DOUBLE) AS %s) %s", c.x, c.of, c.is))
	}
	return s.asks(ctx, "SELECT COALESCE("+strings.Join(asked, " AND ")+", false)", &pipeline.Error{
		Cause: pipeline.CauseInput, Code: "sql-server", Message: "this version of DuckDB rounds, or takes times apart, in " +
			"another way than DuckDB 1.5",
		Hint: "use a program that is built with DuckDB 1.5, or write engine: local",
	})
}

// overrides reads the list of all functions, which takes some hundredths of a second.
func (duckdb) overrides(ctx context.Context, s *session) error {
	return s.asks(ctx, "SELECT NOT EXISTS (SELECT 1 FROM system.main.duckdb_functions() GROUP BY "+
		"system.main.lower(function_name) HAVING system.main.min(internal) < system.main.max(internal))",
		&pipeline.Error{
			Cause: pipeline.CauseInput, Code: "sql-server",
			Message: "the database has a macro with the name of one of DuckDB's own functions, which statements would call instead",
			Hint:    "rename the macro: SELECT function_name FROM duckdb_functions() WHERE NOT internal lists macros",
		})
}

// session turns off an optimization of window functions whose state cannot spill to disk, and the loading of extensions
// from the network. It also sets the order of sorts, which a connection string can change.
func (duckdb) session() []string {
	return []string{
		"SET disabled_optimizers = 'top_n_window_elimination'", "SET autoinstall_known_extensions = false",
		"SET autoload_known_extensions = false", "SET default_order = 'ASC'",
	}
}

func (duckdb) spillTo(folder string) string { return "SET temp_directory = " + pathText(folder) }

// fold works on characters, so it decodes the bytes as which the dialect reads a text.
func (duckdb) fold(x string, f *domain.FoldTable) (string, bool) {
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

func (duckdb) integers() wideIntegers { return duckdbIntegers }

func (duckdb) keys() keySyntax { return duckdbKeys }

func (duckdb) element(list []float64, at string) string {
	items := make([]string, len(list))
	for i, v := range list {
		items[i] = exponential(v)
	}
	return "CAST([" + strings.Join(items, ", ") + "] AS DOUBLE[])[" + at + " + 1]"
}

// duckdbIntegers computes with HUGEINTs of 128 bits.
var duckdbIntegers = wideIntegers{
	Wide:     "HUGEINT",
	Quotient: func(a, b string) string { return "(" + a + ") // (" + b + ")" },
	Narrow:   func(x string) string { return "CAST(" + x + " AS BIGINT)" },
	Cut:      func(x string) string { return "trunc(" + x + ")" },
}

// duckdbKeys inserts bytes into texts by their hexadecimal digits. It flips the sign bit of a number by xor, because
// the optimizer would merge an addition with others into one that overflows.
var duckdbKeys = keySyntax{
	Digest: func(message string) string { return "unhex(sha256(" + message + "))" },
	Text: func(x string) string {
		return "unhex(replace(replace(regexp_replace(hex(" + x + "), '(..)', '\\1,', 'g'), '00,', '00FF'), ',', ''))"
	},
	Number: func(x string) string { return "xor(" + x + ", " + integer(math.MinInt64) + ")" },
}
