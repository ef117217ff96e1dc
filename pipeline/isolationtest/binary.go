package isolationtest

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/dprelease/dprelease/io/source"
	"github.com/dprelease/dprelease/io/source/sourcetest"
)

// Binary is a random table format: typed columns in a binary file format such as Parquet, and a library that writes it.
// A cell is an int64, a uint64, a *big.Int, a float64, a bool, or a string of bytes.
type Binary struct {
	writer  sourcetest.Library
	columns []binaryColumn
	unit    []int
	layout  uint64 // seed of the file layout; all tables of a case have the same one
}

var libraries = []sourcetest.Library{sourcetest.ParquetGo, sourcetest.ArrowParquet, sourcetest.XitongsysParquet,
	sourcetest.ArrowFile, sourcetest.ArrowStream}

// DrawBinary draws column types and a library that writes them.
func DrawBinary(r *rand.Rand) *Binary { return drawBinary(r, libraries) }

func drawBinary(r *rand.Rand, libraries []sourcetest.Library) *Binary {
	b := &Binary{writer: pick(r, libraries...), layout: r.Uint64()}
	for range 1 + r.IntN(3) {
		typ := pick(r, binaryTypes...)
		for !b.writer.Has(typ.Type) {
			typ = pick(r, binaryTypes...)
		}
		b.columns = append(b.columns, binaryColumn{typ, chance(r, 0.4)})
	}
	b.unit = []int{r.IntN(len(b.columns))}
	if other := r.IntN(len(b.columns)); other != b.unit[0] && chance(r, 0.2) {
		b.unit = append(b.unit, other)
	}
	return b
}

// String implements Format.
func (b *Binary) String() string {
	s := "writer " + b.writer.Name + ", layout " + strconv.FormatUint(b.layout, 10) + ", columns"
	for i, c := range b.columns {
		s += " " + columnName(i) + ": " + c.typ.Name
		if c.optional {
			s += "?"
		}
	}
	return s + fmt.Sprintf(", unit %v\n", b.unit)
}

// Options implements Format.
func (b *Binary) Options(dir string, files int) (o source.Options, columns, unit []string) {
	for i := range b.columns {
		columns = append(columns, columnName(i))
	}
	for _, i := range b.unit {
		unit = append(unit, columnName(i))
	}
	return source.Options{Dir: dir, Files: b.paths(files), Exact: unit}, columns, unit
}

func (b *Binary) paths(files int) (paths []string) {
	for i := range files {
		paths = append(paths, fmt.Sprintf("t%d%s", i, b.writer.Ending))
	}
	return paths
}

// cell draws a value of column i. Some values repeat the value of an earlier row.
func (b *Binary) cell(r *rand.Rand, i int, before []Row) any {
	c := b.columns[i]
	switch {
	case c.optional && chance(r, 0.1):
		return nil
	case len(before) > 0 && chance(r, 0.2):
		if cell := before[r.IntN(len(before))][i]; cell != nil {
			return cell
		}
	}
	cell := c.typ.draw(r)
	if x, ok := cell.(float64); ok && x == 0 && b.writer.Name == "xitongsys" {
		return 0.0 // 0 instead of -0, because the library's dictionaries store both zeros as one entry
	}
	return cell
}

// Unit implements Format.
func (b *Binary) Unit(r *rand.Rand, before []Row) Row {
	row := make(Row, len(b.columns))
	for _, i := range b.unit {
		row[i] = b.cell(r, i, before)
	}
	return row
}

// Draw implements Format.
func (b *Binary) Draw(r *rand.Rand, unit Row, before []Row) Row {
	row := slices.Clone(unit)
	for i := range row {
		if !slices.Contains(b.unit, i) {
			row[i] = b.cell(r, i, before)
		}
	}
	return row
}

// Key implements Format.
func (b *Binary) Key(row Row) (key string, ok bool) {
	for _, i := range b.unit {
		switch cell := row[i].(type) {
		case nil:
			return "", true
		case float64:
			if cell != cell || cell == 0 { // NaN, 0 or -0: the job decides which units these are
				return "", false
			}
			key += strconv.FormatFloat(cell, 'x', -1, 64) + ";"
		case string:
			key += strconv.Quote(cell)
		default:
			key += fmt.Sprint(cell) + ";"
		}
	}
	return key, true
}

// Want implements Format. Integers and strings must be read unchanged.
func (b *Binary) Want(row Row) (cells string, ok bool) {
	for i, cell := range row {
		switch cell := cell.(type) {
		case nil:
			cells += shownNull
		case int64:
			if b.columns[i].typ.units {
				return "", false // the reader may convert the value to another unit
			}
			cells += shownInt(cell)
		case string:
			if b.columns[i].typ.units {
				return "", false
			}
			cells += shownText(cell)
		default:
			return "", false
		}
	}
	return cells, true
}

// Put implements Format.
func (b *Binary) Put(dir string, t Table) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%s stopped with %v", b.writer.Name, p)
		}
	}()
	var columns []sourcetest.Column
	for i, c := range b.columns {
		columns = append(columns, sourcetest.Column{Name: columnName(i), Type: c.typ.Type, Optional: c.optional})
	}
	for i, path := range b.paths(len(t)) {
		file, err := b.writer.Encode(columns, t[i], rand.New(rand.NewPCG(b.layout, uint64(i))))
		if err != nil {
			return fmt.Errorf("%s: %w", b.writer.Name, err)
		}
		if err := put(filepath.Join(dir, path), file); err != nil {
			return err
		}
	}
	return nil
}

// Smaller implements Format.
func (b *Binary) Smaller(cell any) []any {
	if s, ok := cell.(string); ok && len(s) > 40 {
		return []any{s[:len(s)/2]}
	}
	return nil
}
