// Package keys writes SQL that groups by keys that are discovered, and reads the keys of what it returns.
//
// A statement groups by the values of which keys are made, which are columns k0, k1, … of its own, and returns those of keys that enough units have: HAVING, on the counts of units
// after they are bounded. What is added up by keys that another query selects is joined with that query's keys, inside of the database. So no value of a key leaves it that
// fewer units have than the query says, which is two at least.
package keys

import (
	"database/sql"
	"fmt"
	"strings"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries"
)

// Dialect is how a database writes the parts of keys, as bytes. Digest is nil if it was not tried with them.
type Dialect struct {
	// Digest is the SHA-256 of a message.
	Digest func(message string) string
	// Text is a text of characters, with 255 after each 0.
	Text func(x string) string
	// Number is a BIGINT with the bit of its sign turned over, not as bytes.
	Number func(x string) string
}

// Postgres has keys of texts without a 0. A bit is turned over, since adding would overflow.
var Postgres = Dialect{
	Digest: func(message string) string { return "sha256(" + message + ")" },
	Text:   func(x string) string { return "convert_to(" + x + ", 'UTF8')" },
	Number: func(x string) string { return "(" + x + " # " + leastInteger + ")" },
}

// DuckDB has keys of texts that are looked at by two hexadecimal digits each. A bit is turned over: additions would be put together by the optimizer, and overflow.
var DuckDB = Dialect{
	Digest: func(message string) string { return "unhex(sha256(" + message + "))" },
	Text: func(x string) string {
		return "unhex(replace(replace(regexp_replace(hex(" + x + "), '(..)', '\\1,', 'g'), '00,', '00FF'), ',', ''))"
	},
	Number: func(x string) string { return "xor(" + x + ", " + leastInteger + ")" },
}

// leastInteger is the least BIGINT, which has no literal of its own.
const leastInteger = "(-9223372036854775807 - 1)"

// Piece is a piece of a key: bytes that are always the same, an expression for bytes, or a whole number in 4 or 8 bytes.
type Piece struct {
	Bytes  []byte
	SQL    string
	Number string
	Width  int
}

func name(i int) string { return fmt.Sprint("k", i) }

// Columns returns the columns of keys by their names, what each is made of, and the conditions on them of rows that have a key. Codes are those of the listed dimensions, and
// column reads a column.
func Columns(parts []queries.KeyPart, codes []string, column func(name string) string) (names, exprs, conditions []string) {
	for i := range parts {
		p := &parts[i]
		names = append(names, name(i))
		switch {
		case p.Axis >= 0:
			exprs, conditions = append(exprs, codes[p.Axis]), append(conditions, name(i)+" IS NOT NULL")
		default:
			exprs = append(exprs, column(p.Column))
			if p.Type.Kind == table.String {
				conditions = append(conditions, fmt.Sprintf("octet_length(%s) <= %d", name(i), queries.MaxKeyBytes))
			}
		}
	}
	return names, exprs, conditions
}

// Pieces are those of a key of the columns.
func (d Dialect) Pieces(parts []queries.KeyPart) (key []Piece) {
	for i := range parts {
		p := &parts[i]
		switch {
		case p.Axis >= 0:
			key = append(key, Piece{Number: name(i), Width: 4})
		case p.Type.Kind == table.String:
			key = append(key, Piece{Bytes: p.Prefix}, Piece{SQL: d.Text(name(i))}, Piece{Bytes: p.Suffix})
		default:
			key = append(key, Piece{Bytes: p.Prefix}, Piece{Number: d.Number(name(i)), Width: 8})
		}
	}
	return key
}

// Totals adds the rows of a table expression up by the first columns, which are those of keys, and perhaps a cell. Rows counts those of a group; it is at least least, unless that is 0.
func Totals(from string, by []string, sums string, rows string, least int64) string {
	cell, list, having := "0", strings.Join(by, ", "), ""
	if last := len(by) - 1; by[last] == "cell" {
		cell, by = "cell", by[:last]
	}
	if least > 0 {
		having = fmt.Sprintf("\nHAVING %s >= %d", rows, least)
	}
	return fmt.Sprintf("SELECT 0 AS t, %s AS cell, %s, %s\nFROM %s AS x\nGROUP BY %s", cell, sums, strings.Join(by, ", "), from, list) + having
}

// Among leaves the totals of a statement out whose keys another statement does not have.
func Among(totals, keys string, parts []queries.KeyPart) string {
	same := make([]string, len(parts))
	for i := range parts {
		same[i] = "f." + name(i) + " = g." + name(i)
	}
	return fmt.Sprintf("SELECT f.*\nFROM (%s) AS f JOIN (%s) AS g ON %s", totals, keys, strings.Join(same, " AND "))
}

// Reader reads the values of keys.
type Reader struct {
	of      []queries.KeyPart
	texts   [][]byte
	numbers []sql.NullInt64
}

// NewReader returns a reader of keys of some parts, of which there may be none.
func NewReader(parts []queries.KeyPart) *Reader {
	return &Reader{parts, make([][]byte, len(parts)), make([]sql.NullInt64, len(parts))}
}

// Into appends what the columns are read into.
func (r *Reader) Into(to []any) []any {
	for i := range r.of {
		if r.of[i].Axis < 0 && r.of[i].Type.Kind == table.String {
			to = append(to, &r.texts[i])
		} else {
			to = append(to, &r.numbers[i])
		}
	}
	return to
}

// Key is the key of what was read; ok is false if it is none.
func (r *Reader) Key() (key string, ok bool) {
	values := make([]queries.KeyValue, len(r.of))
	for i := range values {
		values[i] = queries.KeyValue{Text: r.texts[i], Number: r.numbers[i].Int64}
	}
	return queries.KeyOf(r.of, values)
}
