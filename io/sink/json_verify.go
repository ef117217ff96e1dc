package sink

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strconv"
)

// Verify implements Format.
func (jsonFormat) Verify(ctx context.Context, r io.ReaderAt, size int64, t *table) error {
	texts, err := newJSONRows(t)
	if err != nil {
		return err
	}
	in := &jsonLines{in: bufio.NewReaderSize(io.NewSectionReader(r, 0, size), max(texts.longest(), 1<<16))}
	if err := in.expect("["); err != nil {
		return err
	}
	rows, err := eachRow(ctx, t, func(b *block, i int) error { return texts.verifyRow(in, b, i) })
	if err != nil {
		return err
	}
	if rows > 0 && !in.last {
		return mismatch("the number of rows")
	}
	if err := in.expect("]"); err != nil {
		return err
	}
	return in.end()
}

// longest returns an upper bound on the length of a line.
func (r jsonRows) longest() int {
	const number, punctuation = 32, 16
	n := punctuation + number*len(r.table.values)
	for _, name := range r.names {
		n += len(name)
	}
	for _, labels := range r.keys {
		most := 0
		for _, text := range labels {
			most = max(most, len(text))
		}
		n += most
	}
	return n
}

// jsonLines reads an array of objects, with one object per line.
type jsonLines struct {
	in   *bufio.Reader
	last bool // no comma followed the object
}

// line returns the next line without its end. It is valid until the next call. Errors of the reader are passed on,
// except the end of the file and a line that is too long.
func (l *jsonLines) line() ([]byte, error) {
	line, err := l.in.ReadSlice('\n')
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, bufio.ErrBufferFull):
		return nil, mismatch("the end of a line")
	case err != nil:
		return nil, err
	}
	return line[:len(line)-1], nil
}

func (l *jsonLines) expect(text string) error {
	line, err := l.line()
	if err == nil && string(line) != text {
		err = mismatch("the number of rows")
	}
	return err
}

func (l *jsonLines) end() error {
	_, err := l.in.ReadByte()
	switch {
	case err == nil:
		return mismatch("the end of the file")
	case errors.Is(err, io.EOF):
		return nil
	default:
		return err
	}
}

// object returns the next object.
func (l *jsonLines) object() ([]byte, error) {
	if l.last {
		return nil, mismatch("the number of rows")
	}
	line, err := l.line()
	if err != nil {
		return nil, err
	}
	object, more := bytes.CutSuffix(line, []byte(","))
	l.last = !more
	return object, nil
}

// verifyRow reads the next object and compares it with row i of the block: the names in order, the labels as they are
// written, the numbers by their values. Whether the JSON text of a name or a label is valid and reads back as that name
// or label is checked once, when the text is made.
func (r jsonRows) verifyRow(in *jsonLines, b *block, i int) error {
	rest, err := in.object()
	if err != nil {
		return err
	}
	for c := range r.names {
		var same bool
		if rest, same = r.cutColumn(rest, c, b, i); !same {
			return mismatch("column " + r.table.columns()[c])
		}
	}
	if string(rest) != "}" {
		return mismatch("the columns")
	}
	return nil
}

// cutColumn reads column c of row i, with its name, and returns what follows.
func (r jsonRows) cutColumn(text []byte, c int, b *block, i int) (rest []byte, same bool) {
	if text, same = bytes.CutPrefix(text, []byte(r.names[c])); !same {
		return text, false
	}
	if v := c - len(r.keys); v >= 0 {
		return cutNumber(text, b.values[v][i])
	}
	return bytes.CutPrefix(text, []byte(r.label(c, b.cells[i])))
}

// cutNumber reads a number or null and returns what follows it.
func cutNumber(text []byte, want float64) (rest []byte, same bool) {
	n := bytes.IndexAny(text, ",}")
	if n < 0 {
		return text, false
	}
	if !finite(want) {
		return text[n:], string(text[:n]) == "null"
	}
	got, err := strconv.ParseFloat(string(text[:n]), 64)
	return text[n:], err == nil && sameBits(got, want) && json.Valid(text[:n])
}
