package sink

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/parquet-go/parquet-go"

	"github.com/dprelease/dprelease/io/sink/internal/tables"
	"github.com/dprelease/dprelease/pipeline"
	"github.com/dprelease/dprelease/pipeline/manifest"
	"github.com/dprelease/dprelease/queries"
	"github.com/dprelease/dprelease/queries/domain"
)

// A table is read back to make another presentation of a release from its noisy values, without new noise. Every format
// holds the values exactly. The reader uses the first format that the release has of Parquet, Arrow, JSON and CSV, and
// first compares the file with the digest in the manifest.

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
	return tables.Mismatch("the table has no noisy values")
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
		return tables.Mismatch("column " + c.names[i])
	}
	c.addNumber(i, v)
	return nil
}

func (c *columnReader) addKey(i int, text string) {
	if !c.keyless {
		c.texts[i] = append(c.texts[i], text)
	}
}

// columns returns the table's keys, its noisy values, and the columns after the interval.
func (c *columnReader) columns(rows int) (out queries.Columns, err error) {
	for i := range c.values {
		if len(c.values[i]) != rows {
			return out, tables.Mismatch("the number of rows")
		}
	}
	if rows == 0 {
		return out, nil
	}
	out.Noisy = c.values[0]
	end := slices.Index(c.names[c.keys:], "ci95_high") + 1
	if end == 0 {
		return out, tables.Mismatch("the table has no interval")
	}
	out.Extra = c.values[end:]
	if !c.keyless {
		out.Keys = c.texts
	}
	return out, nil
}

// The readers of the formats, in order of preference.
var readBack = []struct {
	extension string
	read      func(*columnReader, io.ReaderAt, int64) error
}{{".parquet", readParquet}, {".arrow", readArrow}, {".json", readJSON}, {".csv", readCSV}}

// Columns reads back the table of a query of the release in dir. If the file is not as the manifest says, the error is
// pipeline.ErrIncomplete.
func (f *Folder) Columns(ctx context.Context, dir string, q *manifest.Query) (out queries.Columns, err error) {
	defer tables.Recovered(&err)
	for _, format := range readBack {
		i := slices.IndexFunc(q.Files, func(f manifest.File) bool { return f.Holds == "" && filepath.Ext(f.Path) == format.extension })
		if i < 0 {
			continue
		}
		if format.extension == ".csv" && q.Discovered() {
			return out, tables.Refusal("read", filepath.Join(dir, q.Files[i].Path), CodeFormat, "keys that were discovered are not read back from CSV")
		}
		c := &columnReader{ctx: ctx, keyless: !q.Discovered()}
		if err := readBackFile(c, dir, q.Files[i], format.read); err != nil {
			return out, tables.Failure("read", filepath.Join(dir, q.Files[i].Path), err)
		}
		out, err = c.columns(q.Files[i].Rows)
		return out, tables.Failure("read", filepath.Join(dir, q.Files[i].Path), err)
	}
	return out, tables.Refusal("read", dir, CodeFormat, "the query "+q.Name+" has no table in a format that is read back")
}

func readBackFile(c *columnReader, dir string, file manifest.File, read func(*columnReader, io.ReaderAt, int64) error) error {
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
		return tables.Incomplete(dir, file.Path+" has been changed")
	}
	return read(c, in, size)
}

func readCSV(c *columnReader, r io.ReaderAt, size int64) error {
	in := csv.NewReader(cancellable{c.ctx, io.NewSectionReader(r, 0, size)})
	header, err := in.Read()
	if err != nil {
		return tables.Mismatch("the header")
	}
	if err := c.setNames(slices.Clone(header)); err != nil {
		return err
	}
	in.ReuseRecord = true
	for {
		record, err := in.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil { // the reader's own text quotes the file
			return errors.Join(c.ctx.Err(), tables.Mismatch("a row"))
		}
		for i := range c.keys {
			c.addKey(i, c.csvText(record[i]))
		}
		for i := c.keys; i < len(record); i++ {
			if err := c.addNumberText(i, record[i]); err != nil {
				return err
			}
		}
	}
}

func readJSON(c *columnReader, r io.ReaderAt, size int64) error {
	in := json.NewDecoder(cancellable{c.ctx, io.NewSectionReader(r, 0, size)})
	in.UseNumber()
	if _, err := in.Token(); err != nil {
		return tables.Mismatch("the first line")
	}
	for in.More() {
		names, texts, err := jsonObject(in)
		if err != nil {
			return errors.Join(c.ctx.Err(), tables.Mismatch("a row"))
		}
		if c.names == nil {
			if err := c.setNames(names); err != nil {
				return err
			}
		}
		if !slices.Equal(names, c.names) {
			return tables.Mismatch("the columns")
		}
		for i, text := range texts {
			if i < c.keys {
				c.addKey(i, text)
			} else if err := c.addNumberText(i, text); err != nil {
				return err
			}
		}
	}
	return nil
}

// jsonObject reads one object and returns its names, and its values as text.
func jsonObject(in *json.Decoder) (names, texts []string, err error) {
	if _, err := in.Token(); err != nil {
		return nil, nil, err
	}
	for in.More() {
		name, err := in.Token()
		if err != nil {
			return nil, nil, err
		}
		value, err := in.Token()
		if err != nil {
			return nil, nil, err
		}
		names = append(names, fmt.Sprint(name))
		switch v := value.(type) {
		case string:
			texts = append(texts, v)
		case json.Number:
			texts = append(texts, v.String())
		case nil:
			texts = append(texts, "null")
		default:
			return nil, nil, tables.Mismatch("a value")
		}
	}
	_, err = in.Token()
	return names, texts, err
}

func readParquet(c *columnReader, r io.ReaderAt, size int64) error {
	f, err := parquet.OpenFile(r, size)
	if err != nil {
		return err
	}
	if !tables.Compressed(f.Metadata()) {
		return tables.Mismatch("the schema")
	}
	var names []string
	for _, field := range f.Schema().Fields() {
		names = append(names, field.Name())
	}
	if err := c.setNames(names); err != nil {
		return err
	}
	for _, g := range f.RowGroups() {
		chunks := g.ColumnChunks()
		if len(chunks) != len(names) {
			return tables.Mismatch("the number of columns")
		}
		for i, chunk := range chunks {
			if i < c.keys && c.keyless {
				continue
			}
			if err := c.parquetColumn(i, chunk); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *columnReader) parquetColumn(i int, chunk parquet.ColumnChunk) (err error) {
	pages := chunk.Pages()
	defer func() { err = errors.Join(err, pages.Close()) }()
	var batch [tables.ValueBatch]parquet.Value
	for {
		if err := c.ctx.Err(); err != nil {
			return err
		}
		p, err := pages.ReadPage()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		values := p.Values()
		for {
			n, err := values.ReadValues(batch[:])
			for _, v := range batch[:n] {
				c.parquetValue(i, v)
			}
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				return err
			}
		}
		parquet.Release(p)
	}
}

func (c *columnReader) parquetValue(i int, v parquet.Value) {
	switch {
	case i >= c.keys && v.IsNull():
		c.addNumber(i, math.NaN())
	case i >= c.keys:
		c.addNumber(i, v.Double())
	case v.Kind() == parquet.Int64:
		c.addNumericKey(i, wholeKey, strconv.FormatInt(v.Int64(), 10))
	case v.Kind() == parquet.Double:
		c.addNumericKey(i, realKey, domain.FloatText(v.Double()))
	default:
		c.addKey(i, string(v.ByteArray()))
	}
}

func readArrow(c *columnReader, r io.ReaderAt, size int64) error {
	f, err := ipc.NewFileReader(io.NewSectionReader(r, 0, size), ipc.WithAllocator(tables.NewWithin(size)))
	if err != nil {
		return err
	}
	var names []string
	for _, field := range f.Schema().Fields() {
		names = append(names, field.Name)
	}
	if err := c.setNames(names); err != nil {
		return err
	}
	for n := range f.NumRecords() {
		if err := c.ctx.Err(); err != nil {
			return err
		}
		record, err := f.RecordAt(n)
		if err != nil {
			return err
		}
		for i := range names {
			if err := c.arrowColumn(i, record.Column(i)); err != nil {
				return err
			}
		}
		record.Release()
	}
	return nil
}

func (c *columnReader) arrowColumn(i int, column arrow.Array) error {
	if i >= c.keys {
		values, ok := column.(*array.Float64)
		if !ok {
			return tables.Mismatch("column " + c.names[i])
		}
		for row := range values.Len() {
			if values.IsNull(row) {
				c.addNumber(i, math.NaN())
				continue
			}
			c.addNumber(i, values.Value(row))
		}
		return nil
	}
	if c.keyless {
		return nil
	}
	for row := range column.Len() {
		switch k := column.(type) {
		case *array.Dictionary:
			labels, ok := k.Dictionary().(*array.String)
			code := k.GetValueIndex(row)
			if !ok || code < 0 || code >= labels.Len() {
				return tables.Mismatch("column " + c.names[i])
			}
			c.addKey(i, labels.Value(code))
		case *array.Int64:
			c.addNumericKey(i, wholeKey, strconv.FormatInt(k.Value(row), 10))
		case *array.Float64:
			c.addNumericKey(i, realKey, domain.FloatText(k.Value(row)))
		default:
			return tables.Mismatch("column " + c.names[i])
		}
	}
	return nil
}

// Find returns the folder that holds the release with this manifest digest: dir, or a folder beside it to which Retire
// moved it. The error is pipeline.ErrNoRelease if it is in neither place, and pipeline.ErrIncomplete if dir holds a
// release that was changed.
func (f *Folder) Find(ctx context.Context, dir, digest string) (string, error) {
	found, err := f.Inspect(ctx, dir)
	switch {
	case err == nil && found == digest:
		return dir, nil
	case err != nil && ctx.Err() != nil:
		return "", err
	}
	base := filepath.Clean(dir) + "." + digest[:min(shortDigest, len(digest))]
	aside := base
	for n := 2; ; n++ {
		if _, err := os.Lstat(aside); err != nil {
			break
		}
		if found, err := f.Inspect(ctx, aside); err == nil && found == digest {
			return aside, nil
		}
		aside = fmt.Sprintf("%s-%d", base, n)
	}
	if errors.Is(err, pipeline.ErrIncomplete) {
		return "", err
	}
	return "", tables.NoRelease(dir)
}

// Manifest returns release.json of a release folder and its SHA-256. It does not check the other files. Errors are
// those of Inspect.
func (f *Folder) Manifest(dir string) (manifest.Manifest, string, error) { return ReadManifest(dir) }
