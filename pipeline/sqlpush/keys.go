package sqlpush

import (
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/queries"
)

// Keys that are discovered
//
// A statement groups by the values of which keys are made, which are columns k0, k1, … of its own, and returns those of keys that enough units have: HAVING, on the
// counts of units after they are bounded. What is added up by keys that another query selects is joined with that query's keys, inside of the database. So no value of a
// key leaves it that fewer than MinUnits units have, which is 2 at least.

// fitKeys reports what keys a dialect cannot tell exactly.
func (in *input) fitKeys(plan *pipeline.Plan, o *queries.Outline, refuse func(field, message string)) {
	const field = "histogram.by"
	if len(o.Keys) > 0 && in.keyDigest("x") == "" {
		refuse(field, "keys are not discovered in this database, which was not tried with them")
		return
	}
	for i := range o.Keys {
		switch k := &o.Keys[i]; {
		case k.Axis >= 0:
		case k.Fold:
			refuse(field, "differences between texts that do not count are not left out of keys that a database discovers: column "+k.Column)
		case k.Type.Kind == table.Uint || k.Type.Kind == table.String && !in.characters(plan, k.Column):
			refuse(field, fmt.Sprintf("column %s is of type %s of bytes, of which a database cannot tell whether they are characters", k.Column, k.Type))
		}
	}
}

// findKeys makes the columns of keys, of rows that have them.
func (c *contents) findKeys(codes []string) {
	var short []string
	for i := range c.Keys {
		k, name := &c.Keys[i], fmt.Sprint("k", i)
		c.keys = append(c.keys, name)
		if k.Axis >= 0 {
			c.push(codes[k.Axis] + " AS " + name)
			short = append(short, name+" IS NOT NULL")
			continue
		}
		c.push(c.columns[k.Column].Expr + " AS " + name)
		if k.Type.Kind == table.String {
			short = append(short, fmt.Sprintf("octet_length(%s) <= %d", name, queries.MaxKeyBytes))
		}
	}
	c.filter(short...)
	c.cells = slices.Clone(c.keys)
}

// keyMessage is a key, of which its digest is.
func (c *contents) keyMessage() (parts []Part) {
	for i := range c.Keys {
		name, k := c.keys[i], &c.Keys[i]
		if k.Axis >= 0 {
			parts = append(parts, Part{Number: name, Width: 4})
			continue
		}
		parts = append(parts, Part{Bytes: k.Prefix})
		if k.Type.Kind == table.String {
			parts = append(parts, Part{Column: c.keyText(name)}, Part{Bytes: k.Suffix})
			continue
		}
		parts = append(parts, Part{Number: c.keyNumber(name), Width: 8})
	}
	return parts
}

// cellOfKey is the end of the message of a unit and a cell: the number of the cell, and the digest of the key.
func (c *contents) cellOfKey() []Part {
	cell := Part{Bytes: []byte{0, 0, 0, 0}}
	if len(c.cells) > len(c.keys) {
		cell = Part{Number: "cell", Width: 4}
	}
	return []Part{cell, {Column: c.keyDigest(c.Bytes(c.keyMessage()))}}
}

// keyTotals adds the rows of a table expression up by keys and cells. Counts of units are told of keys that enough of them have.
func (c *contents) keyTotals(from, rows string, columns []string) string {
	cell, having := "0", ""
	if len(c.cells) > len(c.keys) {
		cell = "cell"
	}
	if c.Value == nil {
		having = fmt.Sprintf("\nHAVING %s >= %d", rows, c.MinUnits)
	}
	return fmt.Sprintf("SELECT 0 AS t, %s AS cell, %s, %s\nFROM %s AS x\nGROUP BY %s", cell, strings.Join(columns, ", "), strings.Join(c.keys, ", "), from, strings.Join(c.cells, ", ")) + having
}

// amongKeysOf leaves out the totals of keys that another query does not tell.
func (in *input) amongKeysOf(p *pipeline.Plan, schema table.Schema, leader queries.Query, totals string) (string, error) {
	o, err := queries.OutlineOf(leader, schema)
	if err != nil {
		return "", err
	}
	keys, err := in.statement(p, schema, leader, &o)
	return among(totals, keys, o.Keys), err
}

// among leaves the totals of a statement out whose keys another statement does not have.
func among(totals, keys string, of []queries.KeyPart) string {
	same := make([]string, len(of))
	for i := range of {
		same[i] = fmt.Sprintf("f.k%d = g.k%[1]d", i)
	}
	return fmt.Sprintf("SELECT f.*\nFROM (%s) AS f JOIN (%s) AS g ON %s", totals, keys, strings.Join(same, " AND "))
}

// keyColumns are what the values of keys are read into.
type keyColumns struct {
	of      []queries.KeyPart
	texts   [][]byte
	numbers []sql.NullInt64
}

func newKeyColumns(of []queries.KeyPart) *keyColumns {
	return &keyColumns{of, make([][]byte, len(of)), make([]sql.NullInt64, len(of))}
}

func (k *keyColumns) into(to []any) []any {
	for i := range k.of {
		if k.of[i].Axis < 0 && k.of[i].Type.Kind == table.String {
			to = append(to, &k.texts[i])
		} else {
			to = append(to, &k.numbers[i])
		}
	}
	return to
}

// key is the key of what was read; ok is false if it is none.
func (k *keyColumns) key() (key string, ok bool) {
	values := make([]queries.KeyValue, len(k.of))
	for i := range values {
		values[i] = queries.KeyValue{Text: k.texts[i], Number: k.numbers[i].Int64}
	}
	return queries.KeyOf(k.of, values)
}
