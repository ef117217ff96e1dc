package sqlpush

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/queries/domain"
)

// trino is the dialect of Trino. A sum of bigint fails on overflow there, so sums are of decimals with 38 digits. Casts
// of doubles to bigint and quotients of decimals round half away from zero.
type trino struct{ ansi }

func (trino) name() string { return "trino" }

func (trino) typical() map[table.Kind]string {
	return map[table.Kind]string{
		table.Int:       "BIGINT",
		table.Float:     "DOUBLE",
		table.String:    "VARCHAR",
		table.Bool:      "BOOLEAN",
		table.Date:      "DATE",
		table.Timestamp: "TIMESTAMP WITH TIME ZONE",
	}
}

// column reads times to the microsecond; types with more digits cannot be read.
func (trino) column(of columnType) (c column, ok bool) {
	x := of.Expr
	switch of.Type {
	case "TINYINT", "SMALLINT", "INTEGER":
		return column{Type: kind(table.Int), Expr: "CAST(" + x + " AS bigint)"}, true
	case "BIGINT":
		return column{Type: kind(table.Int), Expr: x}, true
	case "REAL", "DOUBLE":
		x = "CAST(" + x + " AS double)"
		return column{Type: kind(table.Float), Expr: "CASE WHEN NOT is_nan(" + x + ") THEN " + x + " END"}, true
	case "DECIMAL":
		switch {
		case of.HasDecimal && of.Scale == 0 && of.Precision <= 18:
			return column{Type: kind(table.Int), Expr: "CAST(" + x + " AS bigint)"}, true
		case of.Exact: // all values of the type have the same number of decimals
			return textColumn("CAST(" + x + " AS varchar)"), true
		case of.HasDecimal: // by way of the text, which gives the nearest double
			return column{Type: kind(table.Float), Expr: "CAST(CAST(" + x + " AS varchar) AS double)"}, true
		}
	case "BOOLEAN":
		return column{Type: kind(table.Bool), Expr: "CAST(" + x + " AS bigint)"}, true
	case "VARCHAR", "UUID":
		return textColumn("CAST(" + x + " AS varchar)"), true
	case "CHAR": // drop the padding at the end, which has no meaning
		return textColumn("trim(TRAILING ' ' FROM CAST(" + x + " AS varchar))"), true
	case "VARBINARY":
		return column{Type: kind(table.String), Expr: x, Binary: true}, true
	case "DATE":
		return column{Type: kind(table.Date), Expr: "date_diff('day', DATE '1970-01-01', " + x + ")"}, true
	case "TIMESTAMP":
		return column{Type: wallClock, Expr: trinoMicroseconds(x)}, of.Precision <= 6
	case "TIMESTAMP WITH TIME ZONE":
		return column{Type: instants, Expr: trinoMicroseconds("CAST(" + x + " AT TIME ZONE 'UTC' AS timestamp(6))")},
			of.Precision <= 6
	}
	return c, false
}

// trinoMicroseconds returns the seconds, rounded down, and the last six digits of the text of a time, because Trino has
// no difference in microseconds. A text of another form gives 0, so that no cast fails.
func trinoMicroseconds(x string) string {
	digits := "substr(CAST(CAST(" + x + " AS timestamp(6)) AS varchar), -6)"
	return "date_diff('second', TIMESTAMP '1970-01-01 00:00:00', date_trunc('second', " + x + ")) * 1000000 + " +
		"COALESCE(TRY_CAST(" + digits + " AS bigint), 0)"
}

// text refuses texts that a column of texts cannot hold.
func (trino) text(text string, binary bool) (string, bool) {
	switch {
	case binary:
		return "X'" + hexadecimal([]byte(text)) + "'", true
	case !utf8.ValidString(text):
		return "", false
	case plainText(text):
		return quoted(text), true
	}
	return "from_utf8(X'" + hexadecimal([]byte(text)) + "')", true
}

// failsBelow is false: in Trino products that underflow become 0.
func (trino) failsBelow() bool { return false }

func (trino) bytes(parts []part) string {
	return "concat(" + strings.Join(trinoPieces.exprs(parts), ", ") + ")"
}

func (trino) digest(message string) string { return "sha256(" + message + ")" }

var trinoPieces = pieces{
	unit: unitTextSyntax{
		Number:   trinoNumber,
		Date:     func(x string) string { return "date_format(date_add('day', " + x + ", DATE '1970-01-01'), '%Y-%m-%d')" },
		OtherDay: func(x string) string { return "concat('day ', " + trinoNumber(x) + ")" },
		Time: func(x string) string { // days and seconds separately, because date_add takes only 32-bit numbers
			below := func(of int) string { return fmt.Sprintf("((%s %% %d + %d) %% %d)", x, of, of, of) }
			day := fmt.Sprintf("date_add('day', (%s - %s) / %d, TIMESTAMP '1970-01-01 00:00:00')", x, below(dayMicros),
				dayMicros)
			second := fmt.Sprintf("date_add('second', %s / %d, %s)", below(dayMicros), secondMicros, day)
			return "concat(date_format(" + second + ", '%Y-%m-%dT%H:%i:%s'), trim(TRAILING '.' FROM trim(TRAILING '0' FROM " +
				"concat('.', lpad(" + trinoNumber(below(secondMicros)) + ", 6, '0')))))"
		},
		Quotient: "/",
		Bytes:    func(x string) string { return "to_utf8(" + x + ")" },
	}.write,
	length: func(text string) string { return "to_big_endian_32(CAST(length(" + text + ") AS integer))" },
	number: func(x string, width int) string {
		if width == 4 {
			return "to_big_endian_32(CAST(" + x + " AS integer))"
		}
		return "to_big_endian_64(" + x + ")"
	},
	bytes: func(hexadecimal string) string { return "X'" + hexadecimal + "'" },
}

func trinoNumber(x string) string { return "CAST(" + x + " AS varchar)" }

func (trino) sum(x string, _ int64) string { return "SUM(CAST(" + x + " AS decimal(38, 0)))" }

func (trino) digits(sum string) string { return "CAST(" + sum + " AS varchar)" }

// suits checks the properties on which statements depend.
func (trino) suits(ctx context.Context, s *session) error {
	return s.asks(ctx, "SELECT to_big_endian_32(1) = X'00000001' AND -7 / 2 = -3 AND -7 % 2 = -1 AND CAST(2.0E0 AS "+
		"bigint) = 2 AND floor(-0.5E0) = -1E0 AND truncate(-1.5E0) = -1E0 AND regexp_like('1', '\\A([0-9])\\z') AND NOT "+
		"regexp_like(concat('1', from_utf8(X'0A')), '\\A([0-9])\\z') AND date_diff('second', TIMESTAMP '1970-01-01 "+
		"00:00:00', date_trunc('second', TIMESTAMP '1969-12-31 23:59:59.999999')) = -1 AND date_format(TIMESTAMP "+
		"'0999-01-01 00:00:00', '%Y') = '0999'", &pipeline.Error{
		Cause: pipeline.CauseInput, Code: "sql-server", Message: "this server is not Trino, or it does not compute as " +
			"version 476 does",
		Hint: "use a newer server, or write engine: local and read the files",
	})
}

// fold leaves texts above 64 MiB unchanged: no listed text is as long.
func (d trino) fold(x string, f *domain.FoldTable) (string, bool) {
	from, okFrom := d.text(f.From, false)
	to, okTo := d.text(f.To, false)
	folded := x
	if f.From != "" {
		folded = "translate(" + folded + ", " + from + ", " + to + ")"
	}
	if f.Space {
		folded = "trim(BOTH ' ' FROM regexp_replace(" + folded + ", ' +', ' '))"
	}
	return fmt.Sprintf("CASE WHEN %s <= %d THEN %s ELSE %s END", d.octets(x), 64<<20, folded, x), okFrom && okTo
}

func (trino) integers() wideIntegers { return trinoIntegers }

func (trino) keys() keySyntax { return trinoKeys }

// least removes NULL first, because LEAST returns NULL if one number is NULL.
func (trino) least(x []string) string {
	return "array_min(filter(ARRAY[" + strings.Join(x, ", ") + "], v -> v IS NOT NULL))"
}

// octets counts the bytes of a text in UTF-8.
func (trino) octets(text string) string { return "length(to_utf8(" + text + "))" }

// element fails for an index that is not in the list; statements compute none.
func (trino) element(list []float64, at string) string {
	return "element_at(" + trinoList(list) + ", " + at + " + 1)"
}

// reached uses width_bucket, a binary search in a list, because Trino does not compile long expressions.
func (trino) reached(x string, at []float64) (string, bool) {
	return "width_bucket(" + x + ", " + trinoList(at) + ")", true
}

// trinoList returns an array literal, which is the same constant in every row.
func trinoList(list []float64) string {
	items := make([]string, len(list))
	for i, v := range list {
		items[i] = strconv.FormatFloat(v, 'E', -1, 64)
	}
	return "ARRAY[" + strings.Join(items, ", ") + "]"
}

// trinoIntegers computes with decimals. Their quotients are rounded, so dividends are reduced to multiples first.
var trinoIntegers = wideIntegers{
	Wide: "decimal(38, 0)",
	Quotient: func(a, b string) string {
		return "CAST(((" + a + ") - (" + a + ") % (" + b + ")) / (" + b + ") AS decimal(38, 0))"
	},
	Narrow: func(x string) string { return "CAST(" + x + " AS bigint)" },
	Cut:    func(x string) string { return "truncate(" + x + ")" },
}

// trinoKeys inserts bytes into texts by their hexadecimal digits. It flips the sign bit of a number by xor, because an
// addition could overflow.
var trinoKeys = keySyntax{
	Digest: trino{}.digest,
	Text: func(x string) string {
		return "from_hex(replace(replace(regexp_replace(to_hex(to_utf8(" + x + ")), '(..)', '$1,'), '00,', '00FF'), ',', ''))"
	},
	Number: func(x string) string { return "bitwise_xor(" + x + ", " + integer(math.MinInt64) + ")" },
}

// version returns the snapshot ID of an Iceberg table's main branch, which is what a statement reads. It returns "" for
// tables of other connectors and for views, which keep no versions.
func (d trino) version(ctx context.Context, s *session, of *Source) (version string, err error) {
	names := strings.Split(strings.ToLower(of.Table), ".")
	at, schema, name := "current_catalog", "current_schema", pathText(names[len(names)-1])
	tables := "information_schema.tables"
	if len(names) > 1 {
		schema = pathText(names[len(names)-2])
	}
	if len(names) > 2 {
		at, tables = pathText(names[0]), d.quote(names[0])+"."+tables
	}
	connector, kept := "", int64(0)
	err = s.value(ctx, "SELECT connector_name AS v FROM system.metadata.catalogs WHERE catalog_name = "+at, &connector)
	if err == nil && connector == iceberg {
		err = s.value(ctx, fmt.Sprintf("SELECT COUNT(*) AS v FROM %[1]s WHERE table_schema = %[2]s AND table_name = %[3]s "+
			"AND table_type = 'BASE TABLE' AND NOT EXISTS (SELECT 1 FROM system.metadata.materialized_views WHERE "+
			"catalog_name = %[4]s AND schema_name = %[2]s AND name = %[3]s)", tables, schema, name, at), &kept)
	}
	if err != nil {
		return "", failed(ctx, "the server does not describe the input's table", err)
	}
	if kept == 0 {
		return "", nil
	}
	version = "empty"
	err = s.value(ctx, "SELECT CAST(snapshot_id AS varchar) AS v FROM "+d.metadata(of, "refs")+" WHERE name = 'main'",
		&version)
	if err != nil {
		return "", failed(ctx, "the newest version of the input's table cannot be read", err)
	}
	return iceberg + " " + version, nil
}

func (d trino) has(ctx context.Context, s *session, of *Source, version string) (bool, error) {
	if version == icebergEmpty {
		return true, nil
	}
	_, recorded := parts(version)
	found := ""
	err := s.value(ctx, "SELECT CAST(snapshot_id AS varchar) AS v FROM "+d.metadata(of, "snapshots")+
		" WHERE CAST(snapshot_id AS varchar) = "+quoted(recorded), &found)
	return found == recorded, err
}

func (d trino) at(of *Source, version string) (from string, ok bool) {
	if version == icebergEmpty {
		return "(SELECT * FROM " + quotedTable(d, of.Table) + " WHERE 1 = 0) AS input", true
	}
	format, n := parts(version)
	return fmt.Sprintf("%s FOR VERSION AS OF %s AS input", quotedTable(d, of.Table), n), number.MatchString(n) &&
		format == iceberg
}

// metadata returns the name of a metadata table of an Iceberg table, such as its snapshots.
func (d trino) metadata(of *Source, about string) string { return quotedTable(d, of.Table+"$"+about) }
