package sqlpush

import (
	"context"
	"fmt"
	"strings"

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

// duckdb is DuckDB 1.5. Its texts are compared as bytes once they are blobs, whatever the collation; sums of BIGINT are HUGEINT and do not overflow.
type duckdb struct {
	ansi
	columns.DuckDB
}

// Name is the driver's name in a job.
func (duckdb) Name() string { return "duckdb" }

// readOnly opens a file to be read, if the string does not say how: then other processes can read it meanwhile, a name without a file is an error instead of a new
// file, and nothing in a query can write. There is no such access to a database in memory.
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

// try is TRY_CAST. It rounds as nearbyint of C does; suits asks for that.
func (duckdb) try(x string, bits int) (string, bool) {
	return "TRY_CAST(" + x + " AS " + map[int]string{8: "UTINYINT", 16: "USMALLINT", 64: "BIGINT"}[bits] + ")", true
}

// isNumber compares: NaN is above infinity.
func (duckdb) isNumber(x string) string { return x + " <= CAST('Infinity' AS DOUBLE)" }

// find is a function of one column: it is called once for each entry of a dictionary, which no CASE is.
func (duckdb) find(x string, list []string) (string, bool) {
	return "list_position([" + strings.Join(list, ", ") + "], " + x + ")", true
}

// failsBelow is false: what is too small becomes 0.
func (duckdb) failsBelow() bool { return false }

// Text is a blob.
func (duckdb) Text(text string, _ bool) (string, bool) {
	if expr.PlainText(text) {
		return "encode(" + expr.Quoted(text) + ")", true
	}
	return "unhex('" + expr.Hexadecimal([]byte(text)) + "')", true
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

// Pairs splits one literal, which the parser reads faster than thousands of them. Plain texts are without the separator.
func (d duckdb) Pairs(alias string, pairs []Pair) string {
	texts, codes := make([]string, len(pairs)), make([]string, len(pairs))
	for i, p := range pairs {
		text, begins := strings.CutPrefix(p.Value, "encode('")
		text, ends := strings.CutSuffix(text, "')")
		if !begins || !ends {
			return d.ansi.Pairs(alias, pairs)
		}
		texts[i], codes[i] = text, expr.Code(p.Code)
	}
	list := func(all []string) string { return "string_split(" + expr.Quoted(strings.Join(all, "|")) + ", '|')" }
	return "(SELECT encode(unnest(" + list(texts) + ")) AS v, unnest(CAST(" + list(codes) + " AS INTEGER[])) AS c) AS " + alias
}

// Total is of HUGEINT.
func (duckdb) Total(x string) string { return "CAST(SUM(" + x + ") AS VARCHAR)" }

// suits asks how casts round, what fails in them, and how times before 1970 and infinite ones are taken apart: statements depend on that.
func (duckdb) suits(ctx context.Context, s *sessions.Session) error {
	asked := []string{
		"hour(make_timestamp(-1)) = 23", "minute(make_timestamp(-1)) = 59", "CAST(make_timestamp(-1) AS DATE) = DATE '1969-12-31'", "hour(CAST('infinity' AS TIMESTAMP)) IS NULL",
		"date_diff('day', DATE '1970-01-01', CAST(CAST('infinity' AS TIMESTAMP) AS DATE)) IS NULL", "date_diff('day', DATE '1970-01-01', CAST(CAST('-infinity' AS TIMESTAMP) AS DATE)) IS NULL",
	}
	for _, c := range []struct{ x, of, is string }{
		{"0.5", "BIGINT", "= 0"}, {"1.5", "BIGINT", "= 2"}, {"2.5", "BIGINT", "= 2"}, {"-0.5", "BIGINT", "= 0"}, {"-1.5", "BIGINT", "= -2"}, {"NaN", "BIGINT", "IS NULL"},
		{"9223372036854775808", "BIGINT", "IS NULL"}, {"-Infinity", "BIGINT", "IS NULL"}, {"-0", "UTINYINT", "= 0"}, {"-1", "UTINYINT", "IS NULL"}, {"256", "UTINYINT", "IS NULL"},
	} {
		asked = append(asked, fmt.Sprintf("TRY_CAST(CAST('%s' AS DOUBLE) AS %s) %s", c.x, c.of, c.is))
	}
	return s.Asks(ctx, "SELECT COALESCE("+strings.Join(asked, " AND ")+", false)", &pipeline.Error{
		Cause: pipeline.CauseInput, Code: "sql-server", Message: "this version of DuckDB rounds, or takes times apart, in another way than DuckDB 1.5",
		Hint: "use a program that is built with DuckDB 1.5, or write engine: local",
	})
}

// Session turns off a rewriting of windows whose state does not spill to disk, and the loading of extensions from the network. Rows are ordered as statements mean it,
// whatever the connection string says.
func (duckdb) Session() []string {
	return []string{
		"SET disabled_optimizers = 'top_n_window_elimination'", "SET autoinstall_known_extensions = false", "SET autoload_known_extensions = false", "SET default_order = 'ASC'",
	}
}

// spillTo sets the folder. The path is the user's own, and only a quote means something in a literal.
func (duckdb) spillTo(folder string) string {
	return "SET temp_directory = '" + strings.ReplaceAll(folder, "'", "''") + "'"
}

// fold reads the bytes of a text as the characters that they were made of.
func (duckdb) fold(x string, f *domain.FoldRule) (string, bool) {
	text := func(s string) string { return "decode(unhex('" + expr.Hexadecimal([]byte(s)) + "'))" }
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
		items[i] = expr.Exponential(v)
	}
	return "CAST([" + strings.Join(items, ", ") + "] AS DOUBLE[])[" + at + " + 1]", true
}
