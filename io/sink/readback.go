package sink

import (
	"context"
	"io"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/dprelease/dprelease/internal/regular"
	"github.com/dprelease/dprelease/pipeline/manifest"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/query"
)

// A table is read back to make another rendering of a release from its noisy values, without new noise. Every format
// holds the values exactly. The reader takes the first of Parquet, Arrow, JSON and CSV that the release has. Before it
// reads the file, it compares the file with the digest in the manifest.

// Columns reads back the table of a query of the release in dir. If the file differs from the manifest, the error is
// pipeline.ErrIncomplete.
func (f *Folder) Columns(ctx context.Context, dir string, q *manifest.Query) (out query.Columns, err error) {
	defer recoverError(&err)
	file, err := tableFile(dir, q, "")
	if err != nil {
		return out, err
	}
	path := filepath.Join(dir, file.Path)
	if q.Discovered() && filepath.Ext(path) == ".csv" {
		return out, refusal("read", path, CodeFormat, "keys that were discovered are not read back from CSV")
	}
	c := &collector{keyless: !q.Discovered()}
	if err = c.readFile(ctx, dir, file); err == nil {
		out, err = c.answer()
	}
	return out, failure("read", path, err)
}

// ReadBack is a table of a release in memory, row by row.
type ReadBack struct {
	Rows int
	// Keys are the key columns, with a label for each row.
	Keys []domain.KeyColumn
	// Names[i] is the name of column i after the keys, and Values[i] holds its numbers; NaN means a missing number.
	Names  []string
	Values [][]float64
}

// ReadTable reads a table of a query of the release in dir: the answer if holds is "", otherwise the computed table
// with that name ([manifest.File].Holds), such as quantiles. Only Parquet and Arrow distinguish integers and fractions
// in keys. If the file differs from the manifest, the error is pipeline.ErrIncomplete.
func ReadTable(ctx context.Context, dir string, q *manifest.Query, holds string) (t *ReadBack, err error) {
	defer recoverError(&err)
	file, err := tableFile(dir, q, holds)
	if err != nil {
		return nil, err
	}
	c := &collector{derived: true}
	if err = c.readFile(ctx, dir, file); err == nil {
		t = c.table()
	}
	return t, failure("read", filepath.Join(dir, file.Path), err)
}

// collector is a tableReceiver that keeps the whole table in memory.
type collector struct {
	derived bool // also accept a table without noisy values, which was computed from an answer, such as quantiles
	keyless bool // the caller does not need the keys
	names   []string
	rows    *fileRows
}

// columns counts the key columns: those before the column noisy or, in a table that was computed from an answer, before
// the column estimate.
func (c *collector) columns(names []string, _ []bool) (keys int, needed bool, err error) {
	for i := range names {
		noisy := names[i] == "noisy" && i+1 < len(names) && names[i+1] == "estimate"
		if noisy || c.derived && names[i] == "estimate" && i == len(names)-3 {
			c.names, c.rows = names, newFileRows(i, len(names)-i)
			return i, !c.keyless, nil
		}
	}
	return 0, false, mismatch("the table has no noisy values")
}

func (c *collector) add(r *fileRows) error {
	c.rows.n += r.n
	for i := range r.keys {
		from, to := &r.keys[i], &c.rows.keys[i]
		to.kind = from.kind
		to.texts = append(to.texts, from.texts...)
		to.ints = append(to.ints, from.ints...)
		to.floats = append(to.floats, from.floats...)
	}
	for i, values := range r.values {
		c.rows.values[i] = append(c.rows.values[i], values...)
	}
	return nil
}

// answer returns the table's keys as texts, its noisy values, and the columns after the interval.
func (c *collector) answer() (out query.Columns, err error) {
	if c.rows == nil || c.rows.n == 0 {
		return out, nil
	}
	keys := len(c.rows.keys)
	end := slices.Index(c.names[keys:], "ci95_high") + 1
	if end == 0 {
		return out, mismatch("the table has no interval")
	}
	out.Noisy, out.Extra = c.rows.values[0], c.rows.values[end:]
	if c.keyless {
		return out, nil
	}
	out.Keys = make([][]string, keys)
	for i := range c.rows.keys {
		k := &c.rows.keys[i]
		out.Keys[i] = k.texts
		for _, x := range k.ints {
			out.Keys[i] = append(out.Keys[i], strconv.FormatInt(x, 10))
		}
		for _, x := range k.floats {
			out.Keys[i] = append(out.Keys[i], domain.FloatText(x))
		}
	}
	return out, nil
}

// table returns the whole table with all columns.
func (c *collector) table() *ReadBack {
	if c.rows == nil {
		return &ReadBack{} // a JSON file without rows has no columns
	}
	keys := len(c.rows.keys)
	t := &ReadBack{Rows: c.rows.n, Values: c.rows.values, Names: c.names[keys:]}
	for i := range c.rows.keys {
		k := &c.rows.keys[i]
		t.Keys = append(t.Keys, domain.KeyColumn{Name: c.names[i], Stride: 1,
			Labels: domain.Labels{Strings: k.texts, Ints: k.ints, Floats: k.floats}})
	}
	return t
}

// readBack lists the formats from which a table is read back; the first one that the release has is used.
var readBack = []string{".parquet", ".arrow", ".json", ".csv"}

// tableFile returns the file of a query's table in the first format of readBack that the release has.
func tableFile(dir string, q *manifest.Query, holds string) (manifest.File, error) {
	for _, extension := range readBack {
		i := slices.IndexFunc(q.Files, func(f manifest.File) bool {
			return f.Holds == holds && filepath.Ext(f.Path) == extension
		})
		if i >= 0 {
			return q.Files[i], nil
		}
	}
	return manifest.File{}, refusal("read", dir, CodeFormat,
		"the query "+q.Name+" has no table in a format that is read back")
}

// readFile compares a file of a release with the manifest's digest and then reads it.
func (c *collector) readFile(ctx context.Context, dir string, file manifest.File) error {
	root, err := regular.OpenRoot(dir)
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
	if _, err := io.Copy(sum, cancellable{ctx, in}); err != nil {
		return err
	}
	if sum.hex() != file.SHA256 {
		return incomplete(dir, file.Path+" has been changed")
	}
	if err := formatOf(file).Read(ctx, in, size, c); err != nil {
		return err
	}
	if rows := c.rows; rows != nil && rows.n != file.Rows || rows == nil && file.Rows != 0 {
		return mismatch("the number of rows")
	}
	return nil
}

func formatOf(file manifest.File) format {
	for _, f := range builtin() {
		if f.Extension() == filepath.Ext(file.Path) && f.Extension() != ".csv" {
			return f
		}
	}
	return CSVFormat{Raw: file.Raw}
}
