package source

import (
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dprelease/dprelease/io/source/fault"
	"github.com/dprelease/dprelease/io/source/internal/scan"
	"github.com/dprelease/dprelease/io/table"
)

// Columns from the names of folders
//
// Other programs (Hive's partitions) put the files of a table into folders called NAME=VALUE, one for each value of a
// column, and leave the column out of the files. The job lists these columns and their types. File names are public. So
// a filter on such a column can skip whole files by their names, in any format.

// hiveNull is the VALUE that stands for null in the names of folders, in Hive and its successors.
const hiveNull = "__HIVE_DEFAULT_PARTITION__"

// inFolder is a file with additional columns, whose values come from the names of the folders above the file.
type inFolder struct {
	scan.File
	names  []string
	values []constant
}

// constant is a column with the same value in all rows.
type constant struct {
	typ   table.Type
	value table.Values // the value; unused if null is set
	null  bool
	dict  uint64 // identifies the dictionary of this one value
}

// inFolders adds the columns in the names of folders to files.
type inFolders struct {
	names []string
	types map[string]scan.TextType
	keeps func(table.Schema, *table.Batch) bool // Options.Keeps
}

// newInFolders checks the columns' types. In the columns of o.Exact, different values must stay different.
func newInFolders(o Options) (inFolders, error) {
	types, wrong := scan.TextTypes(o.Folders, scan.Digits{}, o.Exact)
	return inFolders{slices.Sorted(maps.Keys(types)), types, o.Keeps}, wrong.Err()
}

// wrap adds the columns in folders' names to an opened file. It takes their values from path.
func (f inFolders) wrap(file scan.File, path string) (scan.File, *fault.Error) {
	if len(f.names) == 0 {
		return file, nil
	}
	values, e := f.valuesOf(path)
	if e != nil {
		return nil, e
	}
	for _, name := range f.names {
		if _, twice := file.Schema().Lookup(name); twice {
			return nil, fault.New(fault.CodeOption,
				"the column is in the file, too").Advise("remove it from input.folders").OfColumn(name)
		}
	}
	return &inFolder{File: file, names: f.names, values: values}, nil
}

// valuesOf returns the values of the additional columns for a file's path, in the order of the names.
func (f inFolders) valuesOf(path string) (values []constant, e *fault.Error) {
	stated := map[string]string{}
	for part := range strings.SplitSeq(filepath.ToSlash(filepath.Dir(path)), "/") {
		if name, value, ok := strings.Cut(part, "="); ok {
			stated[unescape(name)] = value
		}
	}
	for _, name := range f.names {
		value, ok := stated[name]
		if !ok {
			return nil, fault.New(fault.CodeOption, "no folder of the file's path is called %s=VALUE",
				name).Advise("input.folders names columns that are in the names of folders: " +
				"day=2024-01-01/part.parquet").OfColumn(name)
		}
		c, ok := newConstant(f.types[name], value)
		if !ok {
			return nil, fault.New(fault.CodeOption, "the name of the folder %q is not a value of the column's type",
				name+"="+value).OfColumn(name)
		}
		values = append(values, c)
	}
	return values, nil
}

// keepsSome returns an error if the filters keep none of the files by the names of their folders. A folder whose name
// is not as it should be counts as kept: wrap reports it.
func (f inFolders) keepsSome(files []found) *fault.Error {
	if f.keeps == nil || len(files) == 0 || slices.ContainsFunc(files,
		func(file found) bool { return f.keepsPath(file.at.Path) }) {
		return nil
	}
	return fault.New(fault.CodeNotFound, "input.where keeps none of the folders %s=VALUE",
		strings.Join(f.names, "=VALUE/")).Advise("has the data arrived? If the table's writer makes no folder for a day " +
		"without rows, write input.missing: empty")
}

func (f inFolders) keepsPath(path string) bool {
	values, e := f.valuesOf(path)
	if e != nil {
		return true
	}
	row, schema := table.Batch{Rows: 1}, table.Schema{}
	for i, c := range values {
		schema.Fields = append(schema.Fields, table.Field{Name: f.names[i], Type: c.typ})
		row.Columns = append(row.Columns, c.column(1))
	}
	return f.keeps(schema, &row)
}

// unescape decodes Hive's escapes of characters that a folder's name cannot hold.
func unescape(s string) string {
	if plain, err := url.PathUnescape(s); err == nil {
		return plain
	}
	return s
}

func newConstant(t scan.TextType, value string) (constant, bool) {
	column := scan.TextColumn{TextType: t}
	column.Reset()
	if value == hiveNull {
		column.AddNull()
	} else {
		column.AddText([]byte(unescape(value)))
	}
	c := column.Column()
	valid := c.Unparsed == nil && (value == hiveNull || c.Valid == nil)
	return constant{t.Type, c.Values, value == hiveNull, table.NextDictionary()}, valid
}

// column returns a column of the given number of rows, at most scan.BatchRows: codes into a dictionary of the one
// value.
func (c constant) column(rows int) table.Column {
	out := table.Column{Type: c.typ, Values: c.value, Codes: firstCodes[:rows:rows], Dict: c.dict}
	if c.null {
		out.Valid = noneValid[:rows:rows]
	}
	return out
}

// firstCodes and noneValid are the codes and the validity of constants. All columns share them.
var (
	firstCodes [scan.BatchRows]int32
	noneValid  [scan.BatchRows]bool
)

func (f *inFolder) Schema() table.Schema {
	s := table.Schema{Fields: slices.Clone(f.File.Schema().Fields)}
	for i, name := range f.names {
		s.Fields = append(s.Fields, table.Field{Name: name, Type: f.values[i].typ})
	}
	return s
}

func (f *inFolder) Public(column string) bool {
	return slices.Contains(f.names, column) || f.File.Public(column)
}

func (f *inFolder) Read(ctx context.Context, split int, columns []string, memory int64,
	yield func(*table.Batch) error) (Summary, error) {
	sum, err := f.File.Read(ctx, split, f.inner(columns), memory, func(b *table.Batch) error {
		out := table.Batch{Rows: b.Rows, Keep: b.Keep, Columns: make([]table.Column, 0, len(columns))}
		next := 0
		for _, name := range columns {
			if i := slices.Index(f.names, name); i >= 0 {
				out.Columns = append(out.Columns, f.values[i].column(b.Rows))
				continue
			}
			out.Columns = append(out.Columns, b.Columns[next])
			next++
		}
		return yield(&out)
	})
	sum.Digest = f.sign(sum.Digest)
	return sum, err
}

func (f *inFolder) Digest(ctx context.Context, split int, columns []string) ([]byte, error) {
	sum, err := f.File.Digest(ctx, split, f.inner(columns))
	return f.sign(sum), err
}

func (f *inFolder) Fetch(split int, columns []string) bool {
	return f.File.Fetch(split, f.inner(columns))
}

// inner returns the columns without those that come from folders' names.
func (f *inFolder) inner(columns []string) (inner []string) {
	for _, name := range columns {
		if !slices.Contains(f.names, name) {
			inner = append(inner, name)
		}
	}
	return inner
}

// sign returns a digest of a file's digest and the values in its folders' names, since the same bytes in another folder
// are another input.
func (f *inFolder) sign(digest []byte) []byte {
	if digest == nil {
		return nil
	}
	h := sha256.New()
	for i, name := range f.names {
		fmt.Fprintf(h, "%q=%v/%v/%q/%t\n", name, f.values[i].value.Ints, f.values[i].value.Floats, f.values[i].value.Data,
			f.values[i].null)
	}
	h.Write(digest)
	return h.Sum(nil)
}

// Bounds returns the value of a folder's column as min and max, since all rows have it. For other columns it returns
// what the file states.
func (f *inFolder) Bounds(split int, column string) (table.Bounds, bool) {
	i := slices.Index(f.names, column)
	if i < 0 {
		return f.File.Bounds(split, column)
	}
	switch c := f.values[i]; c.typ.Kind {
	case table.Int, table.Date, table.Timestamp:
		if !c.null {
			return table.Bounds{Min: c.value.Ints[0], Max: c.value.Ints[0]}, true
		}
	}
	return table.Bounds{}, false
}

// DigestFooter returns a digest of a fixed text if the file has no footer: if a file is skipped because of its folder's
// name, its contents do not matter.
func (f *inFolder) DigestFooter(split int) ([]byte, error) {
	sum, err := f.File.DigestFooter(split)
	if sum == nil && err == nil {
		sum = []byte("left out by its folder")
	}
	return f.sign(sum), err
}
