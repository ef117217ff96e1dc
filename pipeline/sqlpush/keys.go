package sqlpush

import (
	"slices"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/sqlpush/internal/keys"
	"github.com/dprelease/dprelease/queries"
)

// amongKeysOf leaves out the totals of keys that another query does not tell.
func (in *input) amongKeysOf(p *pipeline.Plan, schema table.Schema, leader queries.Query, totals string) (string, error) {
	o, err := queries.OutlineOf(leader, schema)
	if err != nil {
		return "", err
	}
	text, err := in.statement(p, schema, leader, &o)
	return keys.Among(totals, text, o.Keys), err
}

// findKeys makes the columns of keys that are discovered, of rows that have them.
func (c *contents) findKeys(codes []string) {
	names, exprs, conditions := keys.Columns(c.Keys, codes, func(name string) string { return c.columns[name].Expr })
	for i, x := range exprs {
		c.push(x + " AS " + names[i])
	}
	c.filter(conditions...)
	c.cells, c.keys = slices.Clone(names), names
}

// cellOfKey is the end of the message of a unit and a cell: the number of the cell, and the digest of the key.
func (c *contents) cellOfKey() []Part {
	cell := Part{Bytes: []byte{0, 0, 0, 0}}
	if len(c.cells) > len(c.keys) {
		cell = Part{Number: "cell", Width: 4}
	}
	var key []Part
	for _, p := range c.Dialect.keys().Pieces(c.Keys) {
		key = append(key, Part{Bytes: p.Bytes, Column: p.SQL, Number: p.Number, Width: p.Width})
	}
	return []Part{cell, {Column: c.Dialect.keys().Digest(c.Bytes(key))}}
}
