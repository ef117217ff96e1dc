package sqlpush

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/queries/domain"
)

// postgres is the dialect of PostgreSQL from version 14 on, for databases in UTF8. A sum of bigint is numeric and does
// not overflow. A cast in a branch of a CASE is not evaluated for the rows of other branches.
type postgres struct{ ansi }

func (postgres) name() string { return "postgres" }

func (postgres) typical() map[table.Kind]string {
	return map[table.Kind]string{
		table.Int:       "INT8",
		table.Float:     "FLOAT8",
		table.String:    "TEXT",
		table.Bool:      "BOOL",
		table.Date:      "DATE",
		table.Timestamp: "TIMESTAMPTZ",
	}
}

// column reads texts in the collation C, so that they are compared by their bytes, and infinite dates and times as
// NULL.
func (postgres) column(of columnType) (c column, ok bool) {
	x := of.Expr
	switch of.Type {
	case "INT2", "INT4", "INT8":
		return column{Type: kind(table.Int), Expr: "CAST(" + x + " AS bigint)"}, true
	case "FLOAT4", "FLOAT8":
		x = "CAST(" + x + " AS double precision)"
		return column{Type: kind(table.Float), Expr: "NULLIF(" + x + ", 'NaN'::double precision)"}, true
	case "NUMERIC":
		switch {
		case of.HasDecimal && of.Scale == 0 && of.Precision <= 18:
			return column{Type: kind(table.Int), Expr: "CAST(NULLIF(" + x + ", 'NaN') AS bigint)"}, true
		case of.Exact: // as exact texts, -Infinity, Infinity and NaN are null
			finite := "CASE WHEN " + x + " > '-Infinity' AND " + x + " < 'Infinity' THEN " + x + " END"
			return textColumn("CAST(trim_scale(" + finite + `) AS text) COLLATE "C"`), true
		case of.HasDecimal && of.Scale >= 0 && of.Precision <= 100 && of.Scale <= 100:
			return column{Type: kind(table.Float), Expr: "CAST(NULLIF(" + x + ", 'NaN') AS double precision)"}, true
		}
	case "BOOL":
		return column{Type: kind(table.Bool), Expr: "CAST(CAST(" + x + " AS int) AS bigint)"}, true
	case "TEXT", "VARCHAR", "NAME", "UUID", "BPCHAR": // the cast of a CHAR(n) to text drops its padding
		return textColumn("CAST(" + x + ` AS text) COLLATE "C"`), true
	case postgresEnum: // no cast, because the owner of an enum can define one that gives two values the same text
		return textColumn("(CASE WHEN " + x + " IS NOT NULL THEN pg_catalog.concat(" + x + `) END) COLLATE "C"`), true
	case "BYTEA":
		return column{Type: kind(table.String), Expr: x, Binary: true}, true
	case "DATE":
		return column{Type: kind(table.Date), Expr: "CASE WHEN isfinite(" + x + ") THEN CAST(" + x +
			" - DATE '1970-01-01' AS bigint) END"}, true
	case "TIMESTAMP":
		return column{Type: wallClock, Expr: postgresMicroseconds(x, "TIMESTAMP '"+postgresLatest+"'")}, true
	case "TIMESTAMPTZ":
		return column{Type: instants, Expr: postgresMicroseconds(x, "TIMESTAMPTZ '"+postgresLatest+"Z'")}, true
	}
	return c, false
}

// postgresLatest is a limit just below the last time whose microseconds since 1970 fit an int64. Later times are read
// as NULL.
const postgresLatest = "294240-01-01 00:00:00"

// postgresEnum is the type name that this package uses for every enum of PostgreSQL.
const postgresEnum = "ENUM"

// postgresMicroseconds returns a time in microseconds since 1970, or NULL if it is infinite or not before end. It is
// exact, because extract returns a numeric.
func postgresMicroseconds(x, end string) string {
	return "CASE WHEN isfinite(" + x + ") AND " + x + " < " + end + " THEN CAST(extract(epoch FROM " + x +
		") * 1000000 AS bigint) END"
}

// nameTypes asks the server for the names of user-defined types, of which the driver only knows numbers. It writes them
// in lower case, so that they cannot be mistaken for the built-in types that column knows.
func (postgres) nameTypes(ctx context.Context, s *session, _ string, all []columnType) error {
	var unknown []string
	for _, of := range all {
		if _, err := strconv.ParseUint(of.Type, 10, 32); err == nil {
			unknown = append(unknown, of.Type)
		}
	}
	if unknown == nil {
		return nil
	}
	rows, err := s.query(ctx,
		"SELECT CAST(oid AS text), CASE typtype WHEN 'e' THEN '"+postgresEnum+"' ELSE lower(CAST(typname AS text)) END "+
			"FROM pg_catalog.pg_type WHERE oid IN ("+strings.Join(unknown, ", ")+")")
	if err != nil {
		return failed(ctx, "the types of the input's columns cannot be read", err)
	}
	defer rows.Close()
	names := map[string]string{}
	for rows.Next() {
		var number, name string
		if err := rows.Scan(&number, &name); err != nil {
			return failed(ctx, "the types of the input's columns cannot be read", err)
		}
		names[number] = name
	}
	if err := rows.Err(); err != nil {
		return failed(ctx, "the types of the input's columns cannot be read", err)
	}
	for i := range all {
		if name, ok := names[all[i].Type]; ok {
			all[i].Type = name
		}
	}
	return nil
}

// text refuses texts that columns of texts cannot hold: invalid UTF-8 and texts with a zero byte.
func (postgres) text(text string, binary bool) (string, bool) {
	switch {
	case binary:
		return `'\x` + hexadecimal([]byte(text)) + "'::bytea", true
	case !utf8.ValidString(text) || strings.Contains(text, "\x00"):
		return "", false
	case plainText(text):
		return quoted(text), true
	}
	return `convert_from('\x` + hexadecimal([]byte(text)) + "'::bytea, 'UTF8')", true
}

func (postgres) float(x float64) string { return "'" + exponential(x) + "'::double precision" }

func (postgres) double(x string) string { return "CAST(" + x + " AS double precision)" }

func (postgres) bytes(parts []part) string {
	return strings.Join(postgresPieces.exprs(parts), " || ")
}

func (postgres) digest(message string) string { return "sha256(" + message + ")" }

var postgresPieces = pieces{
	unit: unitTextSyntax{
		Number:   func(x string) string { return "CAST(" + x + " AS text)" },
		Date:     func(x string) string { return "to_char(DATE '1970-01-01' + CAST(" + x + " AS int), 'YYYY-MM-DD')" },
		OtherDay: func(x string) string { return "'day ' || CAST(" + x + " AS text)" },
		Time: func(x string) string {
			iso := "to_char(TIMESTAMP '1970-01-01' + (" + x + " / 1000000) * INTERVAL '1 second' + (" + x +
				` % 1000000) * INTERVAL '1 microsecond', 'YYYY-MM-DD"T"HH24:MI:SS.US')`
			return "rtrim(rtrim(" + iso + ", '0'), '.')"
		},
		Quotient: "/",
		Bytes:    func(x string) string { return "convert_to(" + x + ", 'UTF8')" },
	}.write,
	length: func(text string) string { return "int4send(octet_length(" + text + "))" },
	number: func(x string, width int) string {
		if width == 4 {
			return "int4send(CAST(" + x + " AS int))"
		}
		return "int8send(" + x + ")"
	},
	bytes: func(hexadecimal string) string { return `'\x` + hexadecimal + "'::bytea" },
}

func (postgres) digits(sum string) string { return "CAST(" + sum + " AS text)" }

// session turns off JIT compilation, which takes seconds for long expressions. It also sets what a server, a database
// or a user may have configured differently: a backslash in a literal stands for itself, and bytes and doubles have the
// default output formats.
func (postgres) session() []string {
	return []string{"SET LOCAL jit = off", "SET LOCAL standard_conforming_strings = on",
		"SET LOCAL extra_float_digits = 3", "SET LOCAL bytea_output = hex"}
}

// transaction returns the options of a read-only transaction that sees one snapshot of the database.
func (postgres) transaction() *sql.TxOptions {
	return &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true}
}

// suits returns an error unless the server's version and encoding are those that the statements need.
func (postgres) suits(ctx context.Context, s *session) error {
	return s.asks(ctx, "SELECT current_setting('server_encoding') = 'UTF8' AND "+
		"CAST(current_setting('server_version_num') AS int) >= 140000", &pipeline.Error{
		Cause: pipeline.CauseInput, Code: "sql-server", Message: "the server is older than PostgreSQL 14, or the " +
			"database's encoding is not UTF8",
		Hint: "copy the table to a database in UTF8 on a newer server, or export it to a file and read that (input.files)",
	})
}

// fence keeps the planner from merging stages. A time field takes many stages, each used several times; merged, their
// expressions would exceed the server's memory. It also keeps conditions out of queries and views (fenced).
func (postgres) fence() string { return " OFFSET 0" }

// isView is also true of a foreign table, and of a table with one among its partitions or children: a foreign table can
// stand for a view of another server, to which conditions are sent.
func (p postgres) isView(ctx context.Context, s *session, quoted string) (is bool, err error) {
	name, _ := p.text(quoted, false)
	err = s.value(ctx, "WITH RECURSIVE input (oid) AS (SELECT CAST(to_regclass("+name+") AS oid) UNION "+
		"SELECT inhrelid FROM pg_catalog.pg_inherits JOIN input ON inhparent = oid) "+
		"SELECT EXISTS (SELECT FROM pg_catalog.pg_class JOIN input USING (oid) WHERE relkind IN ('v', 'f'))", &is)
	return is, err
}

// fold replaces characters by translate. PostgreSQL's functions fail for texts of 256 MiB, so texts above 64 MiB stay
// unchanged: no listed text is as long.
func (p postgres) fold(x string, f *domain.FoldTable) (string, bool) {
	from, okFrom := p.text(f.From, false)
	to, okTo := p.text(f.To, false)
	folded := x
	if f.From != "" {
		folded = "translate(" + folded + ", " + from + ", " + to + ")"
	}
	if f.Space {
		folded = "btrim(regexp_replace(" + folded + ", ' +', ' ', 'g'), ' ')"
	}
	return fmt.Sprintf("CASE WHEN octet_length(%s) <= %d THEN %s ELSE %s END", x, 64<<20, folded, x), okFrom && okTo
}

func (postgres) integers() wideIntegers { return postgresIntegers }

func (postgres) keys() keySyntax { return postgresKeys }

// element writes the list as an array literal, which is the same constant in every row.
func (postgres) element(list []float64, at string) string {
	items := make([]string, len(list))
	for i, v := range list {
		items[i] = exponential(v)
	}
	return "(CAST('{" + strings.Join(items, ", ") + "}' AS double precision[]))[" + at + " + 1]"
}

// postgresIntegers computes with numeric; its function div gives exact integer quotients.
var postgresIntegers = wideIntegers{
	Wide:     "numeric",
	Quotient: func(a, b string) string { return "div(" + a + ", " + b + ")" },
	Narrow:   func(x string) string { return "CAST(" + x + " AS bigint)" },
	Cut:      func(x string) string { return "trunc(" + x + ")" },
}

// postgresKeys leaves texts as they are, because in PostgreSQL they contain no zero byte. It flips the sign bit of a
// number by xor, because an addition could overflow.
var postgresKeys = keySyntax{
	Digest: postgres{}.digest,
	Text:   func(x string) string { return "convert_to(" + x + ", 'UTF8')" },
	Number: func(x string) string { return "(" + x + " # " + integer(math.MinInt64) + ")" },
}
