package sqlpush

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/sqlpush/internal/columns"
	"github.com/dprelease/dprelease/pipeline/sqlpush/internal/expr"
	"github.com/dprelease/dprelease/pipeline/sqlpush/internal/keys"
	"github.com/dprelease/dprelease/pipeline/sqlpush/internal/numerals"
	"github.com/dprelease/dprelease/pipeline/sqlpush/internal/sessions"
	"github.com/dprelease/dprelease/pipeline/sqlpush/internal/unittexts"
	"github.com/dprelease/dprelease/pipeline/sqlpush/internal/vectors"
	"github.com/dprelease/dprelease/queries/domain"
)

// postgres is PostgreSQL from version 14 on, with a database in UTF8. Sums of bigint are numeric there and do not overflow; a cast of a CASE's
// branch is not evaluated for the rows of other branches.
type postgres struct {
	ansi
	columns.Postgres
}

// Name is the driver's name in a job.
func (postgres) Name() string { return "postgres" }

// nameTypes asks the server for the types that users of the database have made: the driver knows their numbers. In small letters a name is none of those that Column
// knows, whoever made the type.
func (postgres) nameTypes(ctx context.Context, s *sessions.Session, all []ColumnType) error {
	var unknown []string
	for _, of := range all {
		if _, err := strconv.ParseUint(of.Type, 10, 32); err == nil {
			unknown = append(unknown, of.Type)
		}
	}
	if unknown == nil {
		return nil
	}
	rows, err := s.Query(ctx, "SELECT CAST(oid AS text), CASE typtype WHEN 'e' THEN '"+columns.PostgresEnum+"' ELSE lower(CAST(typname AS text)) END FROM pg_catalog.pg_type WHERE oid IN ("+strings.Join(unknown, ", ")+")")
	if err != nil {
		return sessions.Failed(ctx, "the types of the input's columns cannot be read", err)
	}
	defer rows.Close()
	names := map[string]string{}
	for rows.Next() {
		var number, name string
		if err := rows.Scan(&number, &name); err != nil {
			return sessions.Failed(ctx, "the types of the input's columns cannot be read", err)
		}
		names[number] = name
	}
	if err := rows.Err(); err != nil {
		return sessions.Failed(ctx, "the types of the input's columns cannot be read", err)
	}
	for i := range all {
		if name, ok := names[all[i].Type]; ok {
			all[i].Type = name
		}
	}
	return nil
}

// Text is UTF-8 without a zero in columns of texts.
func (postgres) Text(text string, binary bool) (string, bool) {
	switch {
	case binary:
		return `'\x` + expr.Hexadecimal([]byte(text)) + "'::bytea", true
	case !utf8.ValidString(text) || strings.Contains(text, "\x00"):
		return "", false
	case expr.PlainText(text):
		return expr.Quoted(text), true
	}
	return `convert_from('\x` + expr.Hexadecimal([]byte(text)) + "'::bytea, 'UTF8')", true
}

// Float is read from its text.
func (postgres) Float(x float64) string { return "'" + expr.Exponential(x) + "'::double precision" }

// Double casts.
func (postgres) Double(x string) string { return "CAST(" + x + " AS double precision)" }

// Bytes concatenates.
func (postgres) Bytes(parts []Part) string {
	return strings.Join(postgresPieces.of(parts), " || ")
}

// Digest is a bytea.
func (postgres) Digest(message string) string { return "sha256(" + message + ")" }

var postgresPieces = pieces{
	unit: unittexts.Canonical{
		Number:   func(x string) string { return "CAST(" + x + " AS text)" },
		Date:     func(x string) string { return "to_char(DATE '1970-01-01' + CAST(" + x + " AS int), 'YYYY-MM-DD')" },
		OtherDay: func(x string) string { return "'day ' || CAST(" + x + " AS text)" },
		Time: func(x string) string {
			return "to_char(TIMESTAMP '1970-01-01' + (" + x + " / 1000000) * INTERVAL '1 second' + (" + x + ` % 1000000) * INTERVAL '1 microsecond', 'YYYY-MM-DD"T"HH24:MI:SS.US')`
		},
		Quotient: "/",
		Bytes:    func(x string) string { return "convert_to(" + x + ", 'UTF8')" },
	}.Of,
	length: func(text string) string { return "int4send(octet_length(" + text + "))" },
	number: func(x string, width int) string {
		if width == 4 {
			return "int4send(CAST(" + x + " AS int))"
		}
		return "int8send(" + x + ")"
	},
	bytes: func(hexadecimal string) string { return `'\x` + hexadecimal + "'::bytea" },
}

// Total is of numeric.
func (postgres) Total(x string) string { return "CAST(SUM(" + x + ") AS text)" }

// Session turns off the compilation of expressions, which takes seconds for long ones. The other settings are those that a server, a database or a user may have
// otherwise: a backslash in a literal stands for itself; bytes and doubles that are sent as texts are read as what they are.
func (postgres) Session() []string {
	return []string{"SET LOCAL jit = off", "SET LOCAL standard_conforming_strings = on", "SET LOCAL extra_float_digits = 3", "SET LOCAL bytea_output = hex"}
}

// Transaction is a snapshot.
func (postgres) Transaction() *sql.TxOptions {
	return &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true}
}

// suits asks for the server's version and encoding.
func (postgres) suits(ctx context.Context, s *sessions.Session) error {
	return s.Asks(ctx, "SELECT current_setting('server_encoding') = 'UTF8' AND CAST(current_setting('server_version_num') AS int) >= 140000", &pipeline.Error{
		Cause: pipeline.CauseInput, Code: "sql-server", Message: "the server is older than PostgreSQL 14, or the database's encoding is not UTF8",
		Hint: "copy the table to a database in UTF8 on a newer server, or export it to a file and read that (input.files)",
	})
}

// fence keeps the planner from merging stages: a field of a time has so many, each used several times, that their sum would not fit the server's memory.
func (postgres) fence() string { return " OFFSET 0" }

// fold replaces characters by their codes. The functions fail for texts of 256 MiB, so texts above 64 MiB stay as they are: they are not listed.
func (p postgres) fold(x string, f *domain.FoldRule) (string, bool) {
	from, okFrom := p.Text(f.From, false)
	to, okTo := p.Text(f.To, false)
	folded := x
	if f.From != "" {
		folded = "translate(" + folded + ", " + from + ", " + to + ")"
	}
	if f.Space {
		folded = "btrim(regexp_replace(" + folded + ", ' +', ' ', 'g'), ' ')"
	}
	return fmt.Sprintf("CASE WHEN octet_length(%s) <= %d THEN %s ELSE %s END", x, 64<<20, folded, x), okFrom && okTo
}

// exactly: an operator of doubles is a function of its own.
func (postgres) exactly() *exactness { return &exactness{vectors.Numeric, numerals.Postgres} }

func (postgres) keys() keys.Dialect { return keys.Postgres }

// unitOfTimes is true.
func (postgres) unitOfTimes() bool { return true }

// Element is of a list that is the same for all rows.
func (postgres) Element(list []float64, at string) (string, bool) {
	items := make([]string, len(list))
	for i, v := range list {
		items[i] = expr.Exponential(v)
	}
	return "(CAST('{" + strings.Join(items, ", ") + "}' AS double precision[]))[" + at + " + 1]", true
}
