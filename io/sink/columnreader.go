package sink

import (
	"context"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/dprelease/dprelease/queries/query"
)

// columnReader collects the columns of a table, row by row or several rows at a time. Keys are text, in the form that
// CSV and JSON have; missing values are NaN.
type columnReader struct {
	ctx     context.Context
	names   []string
	keys    int // this many columns, from the first, are keys
	texts   [][]string
	values  [][]float64
	keyless bool // the caller does not need the keys

	readings bool  // a table of estimates alone will do
	raw      bool  // texts of CSV are as they are
	numeric  []int // for each key, whether its file holds whole numbers or fractions, if that is known
}

// Of what type the file says that a key is.
const (
	textKey = iota
	wholeKey
	realKey
)

// setNames sets the names of all columns.
func (c *columnReader) setNames(names []string) error {
	c.names = names
	for i := range names {
		noisy := names[i] == "noisy" && i+1 < len(names) && names[i+1] == "estimate"
		if noisy || c.readings && names[i] == "estimate" && i == len(names)-3 {
			c.keys = i
			c.texts, c.values = make([][]string, i), make([][]float64, len(names)-i)
			c.numeric = make([]int, i)
			return nil
		}
	}
	return mismatch("the table has no noisy values")
}

// addNumber adds a value of column i, which is not a key.
func (c *columnReader) addNumber(i int, v float64) {
	c.values[i-c.keys] = append(c.values[i-c.keys], v)
}

// addNumberText adds a value of column i given as text. It is missing if the text is empty or null.
func (c *columnReader) addNumberText(i int, text string) error {
	if text == "" || text == "null" {
		c.addNumber(i, math.NaN())
		return nil
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return mismatch("column " + c.names[i])
	}
	c.addNumber(i, v)
	return nil
}

func (c *columnReader) addKey(i int, text string) {
	if !c.keyless {
		c.texts[i] = append(c.texts[i], text)
	}
}

// addNumericKey adds a label of a key that the file holds as a number.
func (c *columnReader) addNumericKey(i, kind int, text string) {
	c.numeric[i] = kind
	c.addKey(i, text)
}

// columns returns the table's keys, its noisy values, and the columns after the interval.
func (c *columnReader) columns(rows int) (out query.Columns, err error) {
	for i := range c.values {
		if len(c.values[i]) != rows {
			return out, mismatch("the number of rows")
		}
	}
	if rows == 0 {
		return out, nil
	}
	out.Noisy = c.values[0]
	end := slices.Index(c.names[c.keys:], "ci95_high") + 1
	if end == 0 {
		return out, mismatch("the table has no interval")
	}
	out.Extra = c.values[end:]
	if !c.keyless {
		out.Keys = c.texts
	}
	return out, nil
}

// csvText is a text of a CSV table without the apostrophe that keeps a spreadsheet from running it.
func (c *columnReader) csvText(text string) string {
	if c.raw {
		return text
	}
	return strings.TrimPrefix(text, "'")
}
