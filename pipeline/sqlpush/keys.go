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

// A statement groups by the values of which keys are made, which are columns k0, k1, … of its own, and returns those of
// keys that enough units have: HAVING, on the counts of units after they are bounded. What is added up by keys that
// another query selects is joined with that query's keys, inside of the database. So no value of a key leaves it that
// fewer units have than the query says, which is two at least. The order of the keys of a unit is that of their
// digests, as for cells.

// findKeys makes the columns of keys that are discovered, of rows that have them.
func (c *contents) findKeys(codes []string) {
	names, exprs, conditions := keyColumns(c.Keys, codes, func(name string) string { return c.columns[name].Expr },
		c.octets)
	for i, x := range exprs {
		c.push(x + " AS " + names[i])
	}
	c.filterFound(conditions...)
	c.cells, c.keys = slices.Clone(names), names
}

// cellOfKey returns the end of the message of a unit and a cell: the number of the cell, and the digest of the key.
func (c *contents) cellOfKey() []part {
	cell := part{Bytes: []byte{0, 0, 0, 0}}
	if len(c.cells) > len(c.keys) {
		cell = part{Number: "cell", Width: 4}
	}
	keys := c.dialect.keys()
	return []part{cell, {Column: keys.Digest(c.bytes(keys.parts(c.Keys)))}}
}

// keySyntax is how a database writes the parts of keys, as bytes.
type keySyntax struct {
	// Digest is the SHA-256 of a message.
	Digest func(message string) string
	// Text is a text of characters, with 255 after each 0.
	Text func(x string) string
	// Number is a BIGINT with the bit of its sign turned over, not as bytes.
	Number func(x string) string
}

// keyName returns the name of the column of a part of keys.
func keyName(i int) string { return fmt.Sprint("k", i) }

// keyColumns returns the columns of keys by their names, what each is made of, and the conditions on them of rows that
// have a key. Codes are those of the listed dimensions; column reads a column, and length is the
// number of bytes of a text.
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

// parts returns those of a key of the columns.
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

// keyTotals adds the rows of a table expression up by the first columns, which are those of keys, and perhaps a cell.
// Rows counts those of a group; it is at least least, unless that is 0.
func keyTotals(from string, by []string, sums string, rows string, least int64) string {
	cell, list, having := "0", strings.Join(by, ", "), ""
	if last := len(by) - 1; by[last] == "cell" {
		cell, by = "cell", by[:last]
	}
	if least > 0 {
		having = fmt.Sprintf("\nHAVING %s >= %d", rows, least)
	}
	return fmt.Sprintf("SELECT 0 AS t, %s AS cell, %s, %s\nFROM %s AS x\nGROUP BY %s", cell, sums, strings.Join(by, ", "),
		from, list) + having
}

// amongKeys leaves the totals of a statement out whose keys another statement does not have.
func amongKeys(totals, keys string, parts []aggregation.KeyPart) string {
	same := make([]string, len(parts))
	for i := range parts {
		same[i] = "f." + keyName(i) + " = g." + keyName(i)
	}
	return fmt.Sprintf("SELECT f.*\nFROM (%s) AS f JOIN (%s) AS g ON %s", totals, keys, strings.Join(same, " AND "))
}

// keyReader reads the values of keys.
type keyReader struct {
	of      []aggregation.KeyPart
	texts   [][]byte
	numbers []sql.NullInt64
}

// newKeyReader returns a reader of keys of some parts, of which there may be none.
func newKeyReader(parts []aggregation.KeyPart) *keyReader {
	return &keyReader{parts, make([][]byte, len(parts)), make([]sql.NullInt64, len(parts))}
}

// into appends what the columns are read into.
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

// key returns the key of what was read; ok is false if it is none.
func (r *keyReader) key() (key string, ok bool) {
	values := make([]queries.KeyValue, len(r.of))
	for i := range values {
		values[i] = queries.KeyValue{Text: r.texts[i], Number: r.numbers[i].Int64}
	}
	return queries.KeyOf(r.of, values)
}
