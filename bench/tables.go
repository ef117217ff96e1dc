package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"github.com/parquet-go/parquet-go"
)

// tables names the benchmark files that have the same number of rows.
type tables struct {
	dir  string
	rows int
}

var extensions = map[form]string{asParquet: "parquet", asDelta: "delta.parquet", asCSV: "csv", asArrow: "arrow"}

// path returns the file that a query reads.
func (t tables) path(q query) string {
	if q.file != "" {
		return filepath.Join(t.dir, fmt.Sprintf("%d-%s", t.rows, q.file))
	}
	return filepath.Join(t.dir, fmt.Sprintf("rows-%d.%s", t.rows, extensions[q.form]))
}

// public returns the path of a public file: the categories, the pages or the points.
func (t tables) public(name string) string { return filepath.Join(t.dir, name+".csv") }

// makeTables writes the files of the benchmark that do not exist yet. Every call writes the same bytes.
func makeTables(dir string, rows int) (tables, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return tables{}, err
	}
	t := tables{dir: dir, rows: rows}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return t, err
	}
	for path, write := range map[string]func(io.Writer) error{
		t.public("categories"):       func(w io.Writer) error { return writeKeys(w, "category", categories, categoryName) },
		t.public("pages"):            func(w io.Writer) error { return writeKeys(w, "url", pages, pageName) },
		t.public("points"):           writePoints,
		t.path(query{}):              func(w io.Writer) error { return writeParquet[row](w, newGenerator(rows)) },
		t.path(query{form: asDelta}): func(w io.Writer) error { return writeParquet[deltaRow](w, newGenerator(rows)) },
		t.path(query{form: asCSV}):   func(w io.Writer) error { return writeCSV(w, newGenerator(rows)) },
		t.path(query{form: asArrow}): func(w io.Writer) error { return writeArrow(w, newGenerator(rows)) },
	} {
		if err := makeFile(path, write); err != nil {
			return t, err
		}
	}
	return t, makeWithDuck(dir, rows)
}

// makeFile writes a file, first under another name, so that none is left incomplete.
func makeFile(path string, write func(io.Writer) error) error {
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := os.Create(path + ".part")
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<20)
	if err := errors.Join(write(w), w.Flush(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

func pageName(i int) string { return fmt.Sprintf("/page/%d", i) }

func writeKeys(w io.Writer, column string, n int, name func(int) string) error {
	if _, err := io.WriteString(w, column+"\n"); err != nil {
		return err
	}
	for i := range n {
		if _, err := io.WriteString(w, name(i)+"\n"); err != nil {
			return err
		}
	}
	return nil
}

// deltaRow has the fields of row, with the delta and byte-stream-split encodings of Parquet.
type deltaRow struct {
	Unit     int64   `parquet:"unit,delta"`
	Category string  `parquet:"category,delta,optional"`
	Value    float64 `parquet:"value,split"`
}

// writeParquet writes snappy pages of 1 MiB, as most writers do.
func writeParquet[T row | deltaRow](w io.Writer, g *generator) error {
	p := parquet.NewGenericWriter[T](w, parquet.Compression(&parquet.Snappy), parquet.DataPageVersion(1),
		parquet.PageBufferSize(1<<20), parquet.MaxRowsPerRowGroup(groupRows))
	rows := make([]T, 0, len(g.batch))
	for batch := g.next(); len(batch) > 0; batch = g.next() {
		rows = rows[:0]
		for _, r := range batch {
			rows = append(rows, T(r))
		}
		if _, err := p.Write(rows); err != nil {
			return err
		}
	}
	return p.Close()
}

func writeCSV(w io.Writer, g *generator) error {
	if _, err := io.WriteString(w, "unit,category,value\n"); err != nil {
		return err
	}
	var line []byte
	for batch := g.next(); len(batch) > 0; batch = g.next() {
		line = line[:0]
		for i := range batch {
			line = strconv.AppendInt(line, batch[i].Unit, 10)
			line = append(append(append(line, ','), batch[i].Category...), ',')
			line = append(strconv.AppendFloat(line, batch[i].Value, 'f', 2, 64), '\n')
		}
		if _, err := w.Write(line); err != nil {
			return err
		}
	}
	return nil
}
