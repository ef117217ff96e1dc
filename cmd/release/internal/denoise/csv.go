package denoise

import (
	"context"
	"encoding/csv"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/dprelease/dprelease/cmd/release/internal/console"
	"github.com/dprelease/dprelease/internal/regular"
)

// readCSV reads a public CSV file with a header. It records the line of each row.
func readCSV(ctx context.Context, path string) (*publicTable, error) {
	f, err := regular.Open(path)
	if err != nil {
		return nil, inputProblem(path, 0, "it can't be opened: "+regular.Reason(err))
	}
	defer func() { _ = f.Close() }() // nothing is lost: the file was only read
	r := csv.NewReader(skipMark(f))
	t := &publicTable{path: path}
	if t.columns, err = r.Read(); err != nil {
		return nil, csvProblem(path, "the header", err)
	}
	for i, c := range t.columns {
		if slices.Contains(t.columns[:i], c) {
			return nil, inputProblem(path, 1, "two columns have one name")
		}
	}
	for {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			return t, nil
		}
		if err != nil {
			return nil, csvProblem(path, "a row", err)
		}
		if len(t.rows)&0xffff == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		line, _ := r.FieldPos(0)
		t.rows, t.lines = append(t.rows, row), append(t.lines, line)
	}
}

// skipMark skips a byte order mark at the start of a file.
func skipMark(f *os.File) io.Reader {
	const mark = "\ufeff"
	start := make([]byte, len(mark))
	if n, _ := f.ReadAt(start, 0); n == len(mark) && string(start) == mark {
		_, _ = f.Seek(int64(n), io.SeekStart) // if this fails, reading fails too
	}
	return f
}

func csvProblem(path, what string, err error) error {
	var p *csv.ParseError
	switch {
	case errors.As(err, &p) && errors.Is(p.Err, csv.ErrFieldCount):
		return inputProblem(path, p.Line, "the row has another number of fields than the header")
	case errors.As(err, &p):
		return inputProblem(path, p.Line, what+" has quotes in the wrong places")
	case errors.Is(err, io.EOF):
		return inputProblem(path, 0, "the file is empty: it needs a header")
	}
	return inputProblem(path, 0, what+" can't be read: "+regular.Reason(err))
}

// writeEstimates writes the table with the estimates in the column estimate. If there is no such column, it adds one at
// the end.
func writeEstimates(path string, in *noisyTable, x []float64) error {
	columns := slices.Clone(in.columns)
	at := slices.Index(columns, "estimate")
	if at < 0 {
		at = len(columns)
		columns = append(columns, "estimate")
	}
	return writeCSV(path, func(write func([]string)) {
		write(columns)
		row := make([]string, len(columns))
		for i, r := range in.rows {
			copy(row, r)
			row[at] = strconv.FormatFloat(x[i], 'g', -1, 64)
			write(row)
		}
	})
}

// writeCSV writes a file, complete or not at all.
func writeCSV(path string, rows func(write func([]string))) error {
	err := regular.Replace(path, 0o644, func(f *os.File) error {
		w := csv.NewWriter(f)
		rows(func(row []string) { _ = w.Write(row) }) // no error is lost: w.Error returns the first one
		w.Flush()
		return w.Error()
	})
	if err != nil {
		return console.WriteError(path, err)
	}
	return nil
}

// sameFile reports whether two paths name one file.
func sameFile(a, b string) bool {
	infoA, err1 := os.Stat(a)
	infoB, err2 := os.Stat(b)
	if err1 == nil && err2 == nil {
		return os.SameFile(infoA, infoB)
	}
	return filepath.Clean(a) == filepath.Clean(b)
}
