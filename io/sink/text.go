package sink

import (
	"bufio"
	"context"
	"math"
	"strconv"
)

// rowTexts is a table with the text of each label of each key.
type rowTexts struct {
	table *table
	keys  [][]string
}

// label returns the text of a cell's label of key k.
func (r rowTexts) label(k, cell int) string {
	return r.keys[k][labelAt(r.table.keys[k], len(r.keys[k]), cell)]
}

// stream writes all rows of the table and returns their number. appendRow appends row i of block b to line.
func (r rowTexts) stream(ctx context.Context, out *bufio.Writer,
	appendRow func(line []byte, b *block, i int) []byte) (rows int, err error) {
	line := []byte{}
	for b, err := range r.table.blocks(ctx) {
		if err != nil {
			return rows, err
		}
		for i := range b.cells {
			line = appendRow(line[:0], b, i)
			if _, err := out.Write(line); err != nil {
				return rows, err
			}
		}
		rows += len(b.cells)
	}
	return rows, nil
}

// appendFloat appends domain.FloatText(v) without allocating a string.
func appendFloat(dst []byte, v float64) []byte {
	form := byte('f')
	if a := math.Abs(v); a != 0 && (a < 1e-6 || a >= 1e21) {
		form = 'g'
	}
	return strconv.AppendFloat(dst, v, form, -1, 64)
}
