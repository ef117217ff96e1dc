package sqlpush

import (
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries"
	"github.com/dprelease/dprelease/queries/aggregation"
)

// Discovered keys never leave the database if only one unit has them. The statement groups by the values of the key, in
// the columns k0, k1, …, and a HAVING clause on the bounded counts of units drops keys with fewer units than the
// query's min_units, which is at least two. If a query takes its keys from another query, a join in the database keeps
// only the totals of the other query's keys. If a unit has too many keys, the keys with the smallest digests count, as
// for cells.

// findKeys adds the columns of discovered keys, and drops rows without a key or with too long a text.
func (c *contents) findKeys(codes []string) {
	names, exprs, conditions := keyColumns(c.Keys, codes, func(name string) string { return c.columns[name].Expr },
		c.octets)
	for i, x := range exprs {
		c.push(x + " AS " + names[i])
	}
	c.filterFound(conditions...)
	c.cells, c.keys = slices.Clone(names), names
}

// cellOfKey returns the last parts of the digest message about a unit and a key: the number of the cell and the key's
// digest.
func (c *contents) cellOfKey() []part {
	cell := part{Bytes: []byte{0, 0, 0, 0}}
	if len(c.cells) > len(c.keys) {
		cell = part{Number: "cell", Width: 4}
	}
	keys := c.dialect.keys()
	return []part{cell, {Column: keys.Digest(c.bytes(keys.parts(c.Keys)))}}
}

// keySyntax holds the functions by which a dialect writes the parts of keys, as bytes.
type keySyntax struct {
	// Digest returns the SHA-256 of a message.
	Digest func(message string) string
	// Text returns the UTF-8 bytes of a text, with a byte 255 inserted after each zero byte.
	Text func(x string) string
	// Number returns a BIGINT with its sign bit flipped, so that its bytes sort as the numbers do.
	Number func(x string) string
}

// keyName returns the name of the column with the i-th value of a key.
func keyName(i int) string { return fmt.Sprint("k", i) }

// keyColumns returns the names of the columns of a key's values, an expression for each, and the conditions under which
// a row has a key. codes holds the codes of the listed dimensions. column returns the expression that reads a column,
// and length the expression for a text's number of bytes.
func keyColumns(parts []aggregation.KeyPart, codes []string, column,
	length func(string) string) (names, exprs,
	conditions []string) {
	for i := range parts {
		p := &parts[i]
		names = append(names, keyName(i))
		switch {
		case p.Axis >= 0:
			exprs, conditions = append(exprs, codes[p.Axis]), append(conditions, keyName(i)+" IS NOT NULL")
		default:
			exprs = append(exprs, column(p.Column))
			if p.Type.Kind == table.String {
				conditions = append(conditions, fmt.Sprintf("%s <= %d", length(keyName(i)), queries.MaxKeyBytes))
			}
		}
	}
	return names, exprs, conditions
}

// parts returns the parts of the message whose digest identifies a key. The parts read the columns k0, k1, …
func (d keySyntax) parts(of []aggregation.KeyPart) (key []part) {
	for i := range of {
		p := &of[i]
		switch {
		case p.Axis >= 0:
			key = append(key, part{Number: keyName(i), Width: 4})
		case p.Type.Kind == table.String:
			key = append(key, part{Bytes: p.Prefix}, part{Column: d.Text(keyName(i))}, part{Bytes: p.Suffix})
		default:
			key = append(key, part{Bytes: p.Prefix}, part{Number: d.Number(keyName(i)), Width: 8})
		}
	}
	return key
}

// keyTotals returns the statement that adds up the rows of the table expression from. by names the key columns and,
// last, the cell if there is one. The expression rows counts the rows of a group; groups with fewer than minRows are
// dropped.
func keyTotals(from string, by []string, sums string, rows string, minRows int64) string {
	cell, list, having := "0", strings.Join(by, ", "), ""
	if last := len(by) - 1; by[last] == "cell" {
		cell, by = "cell", by[:last]
	}
	if minRows > 0 {
		having = fmt.Sprintf("\nHAVING %s >= %d", rows, minRows)
	}
	return fmt.Sprintf("SELECT 0 AS t, %s AS cell, %s, %s\nFROM %s AS x\nGROUP BY %s", cell, sums, strings.Join(by, ", "),
		from, list) + having
}

// amongKeys returns the rows of the statement totals whose keys the statement keys returns too.
func amongKeys(totals, keys string, parts []aggregation.KeyPart) string {
	same := make([]string, len(parts))
	for i := range parts {
		same[i] = "f." + keyName(i) + " = g." + keyName(i)
	}
	return fmt.Sprintf("SELECT f.*\nFROM (%s) AS f JOIN (%s) AS g ON %s", totals, keys, strings.Join(same, " AND "))
}

// keyReader scans the columns with the values of a key.
type keyReader struct {
	of      []aggregation.KeyPart
	texts   [][]byte
	numbers []sql.NullInt64
}

func newKeyReader(parts []aggregation.KeyPart) *keyReader {
	return &keyReader{parts, make([][]byte, len(parts)), make([]sql.NullInt64, len(parts))}
}

// into appends the addresses of the variables that Rows.Scan fills.
func (r *keyReader) into(to []any) []any {
	for i := range r.of {
		if r.of[i].Axis < 0 && r.of[i].Type.Kind == table.String {
			to = append(to, &r.texts[i])
		} else {
			to = append(to, &r.numbers[i])
		}
	}
	return to
}

// key returns the key that was scanned last; ok is false if its values are not a valid key.
func (r *keyReader) key() (key string, ok bool) {
	values := make([]aggregation.KeyValue, len(r.of))
	for i := range values {
		values[i] = aggregation.KeyValue{Text: r.texts[i], Number: r.numbers[i].Int64}
	}
	return queries.KeyOf(r.of, values)
}
