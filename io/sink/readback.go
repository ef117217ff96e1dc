package sink

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/dprelease/dprelease/pipeline/manifest"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/query"
)

// A table is read back to make another presentation of a release from its noisy values, without new noise. Every format
// holds the values exactly. The reader uses the first format that the release has of Parquet, Arrow, JSON and CSV, and
// first compares the file with the digest in the manifest.

// Columns reads back the table of a query of the release in dir. If the file is not as the manifest says, the error is
// pipeline.ErrIncomplete.
func (f *Folder) Columns(ctx context.Context, dir string, q *manifest.Query) (out query.Columns, err error) {
	defer recovered(&err)
	file, read, err := tableFile(dir, q, "")
	if err != nil {
		return out, err
	}
	path := filepath.Join(dir, file.Path)
	if q.Discovered() && filepath.Ext(path) == ".csv" {
		return out, refusal("read", path, CodeFormat, "keys that were discovered are not read back from CSV")
	}
	c := &columnReader{ctx: ctx, keyless: !q.Discovered()}
	if err = readBackFile(c, dir, file, read); err == nil {
		out, err = c.columns(file.Rows)
	}
	return out, failure("read", path, err)
}

// ReadBack is a table of a release in memory, row by row.
type ReadBack struct {
	Rows int
	// Keys have a label for each row.
	Keys []domain.KeyColumn
	// Names are those of the columns after the keys, Values their numbers; NaN stands for a missing one.
	Names  []string
	Values [][]float64
}

// ReadTable reads a table of a query of the release in dir: the answer, or what holds says was read off it. Whole
// numbers and fractions among the keys are known as such from Parquet and Arrow alone. If the file is not as the
// manifest says, the error is pipeline.ErrIncomplete.
func ReadTable(ctx context.Context, dir string, q *manifest.Query, holds string) (t *ReadBack, err error) {
	defer recovered(&err)
	file, read, err := tableFile(dir, q, holds)
	if err != nil {
		return nil, err
	}
	c := &columnReader{ctx: ctx, readings: true, raw: file.Raw}
	if err = readBackFile(c, dir, file, read); err == nil {
		t, err = c.table(file.Rows)
	}
	return t, failure("read", filepath.Join(dir, file.Path), err)
}

// table returns all columns.
func (c *columnReader) table(rows int) (*ReadBack, error) {
	t := &ReadBack{Rows: rows, Values: c.values}
	if c.names == nil {
		return t, nil // there are no rows
	}
	t.Names = c.names[c.keys:]
	for i := range c.values {
		if len(c.values[i]) != rows {
			return nil, mismatch("the number of rows")
		}
	}
	for i, texts := range c.texts {
		if len(texts) != rows {
			return nil, mismatch("the number of rows")
		}
		labels, err := labelsOf(texts, c.numeric[i])
		if err != nil {
			return nil, mismatch("column " + c.names[i])
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

// tableFile returns the file that holds a table of a query, in the first format that is read back, and what reads it.
func tableFile(dir string, q *manifest.Query, holds string) (manifest.File, readFunc, error) {
	for _, format := range readBack {
		i := slices.IndexFunc(q.Files, func(f manifest.File) bool {
			return f.Holds == holds &&
				filepath.Ext(f.Path) == format.extension
		})
		if i >= 0 {
			return q.Files[i], format.read, nil
		}
	}
	return manifest.File{}, nil, refusal("read", dir, CodeFormat,
		"the query "+q.Name+" has no table in a format that is read back")
}

func readBackFile(c *columnReader, dir string, file manifest.File, read readFunc) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	in, size, err := openRegular(root, file.Path)
	if err != nil {
		return missingError(dir, file.Path, err)
	}
	defer in.Close()
	sum := newDigestWriter(io.Discard)
	if _, err := io.Copy(sum, cancellable{c.ctx, in}); err != nil {
		return err
	}
	if sum.hex() != file.SHA256 {
		return incomplete(dir, file.Path+" has been changed")
	}
	if err := read(c, in, size); err != nil {
		return err
	}
	if c.names == nil && file.Rows != 0 { // an empty list of JSON names no columns
		return mismatch("the number of rows")
	}
	return nil
}
