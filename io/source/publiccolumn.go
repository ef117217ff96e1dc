package source

import (
	"context"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/dprelease/dprelease/io/source/fault"
	"github.com/dprelease/dprelease/io/source/textfile"
	"github.com/dprelease/dprelease/io/store"
	"github.com/dprelease/dprelease/io/table"
)

// ReadStrings returns the values of one column of a public table: a Parquet or Arrow file, or a CSV file with a header,
// by its path or URL. The values are in the table's order, without nulls but with duplicates. Values that are not text
// are written as text: numbers in decimal, true and false, dates as 2006-01-02, timestamps as 2006-01-02T15:04:05 with
// as many decimals as they need and, if they are instants, Z. It returns the errors of Open and Read.
func ReadStrings(ctx context.Context, path, column string) ([]string, error) {
	return ReadColumn(ctx, path, column, false)
}

// ReadColumn reads a column as [ReadStrings] does. If aligned is set, it returns an empty text for each null, so that
// item i of every column belongs to row i.
func ReadColumn(ctx context.Context, path, column string, aligned bool) ([]string, error) {
	o := Options{Dir: filepath.Dir(path), Files: []string{filepath.Base(path)}, CSV: textfile.CSV{Header: true, Public: true}}
	if store.IsAddress(path) {
		o.Dir, o.Files = "", []string{path}
	}
	d, err := Open(ctx, o)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	f, ok := d.Schema().Lookup(column)
	switch {
	case !ok:
		return nil, fault.New(fault.CodeColumn, "the table has no such column").Advise("%s", namesAdvice(d.Schema())).
			InFile(store.Base(path)).OfColumn(column)
	case f.Type.Kind == table.List:
		return nil, fault.New(fault.CodeType, "lists are not keys").InFile(store.Base(path)).OfColumn(column)
	}
	var out []string
	for split := range d.Splits() {
		_, err := d.Read(ctx, split, []string{column}, func(b *table.Batch) error {
			c := &b.Columns[0]
			for i := range b.Rows {
				switch {
				case !c.IsNull(i):
					out = append(out, Text(c, c.Index(i)))
				case aligned:
					out = append(out, "")
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// namesAdvice lists the columns of a public table that lacks the wanted one.
func namesAdvice(s table.Schema) string {
	if advice := table.LineEndAdvice(joinedNames(s)); advice != "" {
		return advice
	}
	var names []string
	for _, f := range s.Fields[:min(len(s.Fields), 20)] {
		names = append(names, strconv.Quote(f.Name))
	}
	return "it has " + strings.Join(names, ", ") + "; commas separate columns, and the first line holds their names"
}

// Text returns item i of a column's values as text. The column must not hold lists.
func Text(c *table.Column, i int) string {
	switch c.Type.Kind {
	case table.String:
		return string(c.Values.Bytes(i))
	case table.Float:
		return floatText(c.Values.Floats[i])
	}
	v := c.Values.Ints[i]
	switch c.Type.Kind {
	case table.Bool:
		return strconv.FormatBool(v != 0)
	case table.Uint:
		return strconv.FormatUint(uint64(v), 10)
	case table.Date:
		return time.Unix(0, 0).UTC().AddDate(0, 0, int(v)).Format(time.DateOnly)
	case table.Timestamp:
		return timeText(c.Type, v)
	}
	return strconv.FormatInt(v, 10)
}

// floatText returns the shortest text that reads back as f. It has an exponent only if f is very small or very large. A
// zero has no sign.
func floatText(f float64) string {
	if f == 0 {
		return "0"
	}
	if a := math.Abs(f); a >= 1e-6 && a < 1e21 {
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	return strconv.FormatFloat(f, 'g', -1, 64)
}

func timeText(t table.Type, v int64) string {
	perSecond := int64(time.Second) / t.Unit
	seconds, rest := v/perSecond, v%perSecond
	if rest < 0 {
		seconds, rest = seconds-1, rest+perSecond
	}
	s := time.Unix(seconds, rest*t.Unit).UTC().Format("2006-01-02T15:04:05.999999999")
	if t.Zone == table.UTC {
		s += "Z"
	}
	return s
}
