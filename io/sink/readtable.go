package sink

import (
	"context"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/dprelease/dprelease/io/sink/internal/tables"
	"github.com/dprelease/dprelease/pipeline/manifest"
	"github.com/dprelease/dprelease/queries/domain"
)

// ReadBack is a table of a release in memory, row by row.
type ReadBack struct {
	Rows int
	// Keys have a label for each row.
	Keys []domain.KeyColumn
	// Names are those of the columns after the keys, Values their numbers; NaN stands for a missing one.
	Names  []string
	Values [][]float64
}

// ReadTable reads a table of a query of the release in dir: the answer, or what holds says was read off it. Whole numbers and fractions
// among the keys are known as such from Parquet and Arrow alone. If the file is not as the manifest says, the error is
// pipeline.ErrIncomplete.
func ReadTable(ctx context.Context, dir string, q *manifest.Query, holds string) (t *ReadBack, err error) {
	defer tables.Recovered(&err)
	for _, format := range readBack {
		i := slices.IndexFunc(q.Files, func(f manifest.File) bool { return f.Holds == holds && filepath.Ext(f.Path) == format.extension })
		if i < 0 {
			continue
		}
		c := &columnReader{ctx: ctx, readings: true, raw: q.Files[i].Raw}
		if err := readBackFile(c, dir, q.Files[i], format.read); err != nil {
			return nil, tables.Failure("read", filepath.Join(dir, q.Files[i].Path), err)
		}
		t, err := c.table(q.Files[i].Rows)
		return t, tables.Failure("read", filepath.Join(dir, q.Files[i].Path), err)
	}
	return nil, tables.Refusal("read", dir, CodeFormat, "the query "+q.Name+" has no table in a format that is read back")
}

// table returns all columns.
func (c *columnReader) table(rows int) (*ReadBack, error) {
	t := &ReadBack{Rows: rows, Values: c.values}
	if c.names == nil && rows == 0 {
		return t, nil // an empty list of JSON names no columns
	}
	t.Names = c.names[c.keys:]
	for i := range c.values {
		if len(c.values[i]) != rows {
			return nil, tables.Mismatch("the number of rows")
		}
	}
	for i, texts := range c.texts {
		if len(texts) != rows {
			return nil, tables.Mismatch("the number of rows")
		}
		labels, err := labelsOf(texts, c.numeric[i])
		if err != nil {
			return nil, tables.Mismatch("column " + c.names[i])
		}
		t.Keys = append(t.Keys, domain.KeyColumn{Name: c.names[i], Stride: 1, Labels: labels})
	}
	return t, nil
}

func labelsOf(texts []string, kind int) (l domain.Labels, err error) {
	for _, text := range texts {
		switch kind {
		case wholeKey:
			x, failed := strconv.ParseInt(text, 10, 64)
			l.Ints, err = append(l.Ints, x), failed
		case realKey:
			x, failed := strconv.ParseFloat(text, 64)
			l.Floats, err = append(l.Floats, x), failed
		default:
			l.Strings = append(l.Strings, text)
		}
		if err != nil {
			return l, err
		}
	}
	return l, nil
}

// addNumericKey adds a label of a key that the file holds as a number.
func (c *columnReader) addNumericKey(i, kind int, text string) {
	c.numeric[i] = kind
	c.addKey(i, text)
}

// csvText is a text of a CSV table without the apostrophe that keeps a spreadsheet from running it.
func (c *columnReader) csvText(text string) string {
	if c.raw {
		return text
	}
	return strings.TrimPrefix(text, "'")
}
