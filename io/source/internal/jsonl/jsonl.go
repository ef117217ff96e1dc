// Package jsonl reads JSON lines: files with one JSON object a line.
//
// Such a file states neither columns nor types. The job names the columns and their types, so that no value decides the
// type of a column. A column is a member of the object, or a member of a member by its path: address.city. If several
// members have one name, the last one counts. Lines that are not an object, lines nested deeper than 10,000 levels,
// members of another type, and lines of more than 16 MiB become rows without values; no line makes a read fail. A blank
// line is not a row.
//
// # Row isolation
//
// For every table T that a correct writer can write, and all further rows U, the rows that are read from write(T and U)
// are the rows read from write(T) and from write(U), in any order and any files. A correct writer writes each row as
// one JSON object (RFC 8259) in UTF-8, without line ends in it, and ends it with LF or CRLF; before the first object
// there may be a byte order mark. A line ends at the first LF, since no JSON string holds one: a piece of the file has
// the lines that start in it. A row begins with a brace, so it makes neither a mark nor a blank line.
//
// Two values of a column are two units. A text column accepts only strings, code point by code point: a number or a
// boolean is null in it, since 1 and "1" would become one text. An escape of a surrogate without its partner keeps its
// number, as three bytes that no other string has. A string that is not valid UTF-8 is not valid JSON, so its value is
// null. Columns of other types also accept their values as strings, since many writers quote numbers: 1 and "1" are one
// int, and true and "true" are one bool. An int is written without fraction and exponent: 1.0 is null in an int column,
// and equals 1 in a float column.
package jsonl

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/dprelease/dprelease/io/source/fault"
	"github.com/dprelease/dprelease/io/source/internal/scan"
	"github.com/dprelease/dprelease/io/source/textfile"
	"github.com/dprelease/dprelease/io/table"
)

// Dialect holds the options of a JSON-lines file after they were checked.
type Dialect struct {
	types  map[string]scan.TextType
	schema table.Schema
}

const (
	pieceBytes = 1 << 20
	maxLine    = 16 << 20
)

// NewDialect checks options and reports all problems at once. In the columns of exact, such as those of privacy units,
// two different texts never become the same value.
func NewDialect(o textfile.JSONL, exact []string) (*Dialect, error) {
	types, wrong := scan.TextTypes(o.Columns, scan.Digits{}, exact)
	d := &Dialect{types: types}
	for _, name := range slices.Sorted(maps.Keys(types)) {
		d.schema.Fields = append(d.schema.Fields, table.Field{Name: name, Type: types[name].Type})
	}
	return d, wrong.Err()
}

// file is an opened JSON-lines file.
type file struct {
	scan.Origin
	scan.Unfooted
	dialect *Dialect
}

// Open opens a file without reading from it.
func Open(ctx context.Context, at scan.Place, d *Dialect) (scan.File, *fault.Error) {
	if len(d.types) == 0 {
		return nil, fault.New(fault.CodeOption, "JSON lines need the names and types of the columns that are read").
			Advise("set input.jsonl.columns, such as {age: int, \"address.city\": text}; release columns FILE shows what is " +
				"seen")
	}
	f := &file{Origin: scan.Origin{Place: at}, dialect: d}
	handle, err := f.Open(ctx)
	if err != nil {
		return nil, fault.From(err)
	}
	_ = handle.Close()
	return f, nil
}

func (f *file) Schema() table.Schema { return f.dialect.schema }

// Public returns true: the names of all columns are public, since they come from the job.
func (f *file) Public(string) bool { return true }

func (f *file) Splits() int {
	if f.Packed != scan.Plain {
		return 1
	}
	return max(1, int((f.Size+pieceBytes-1)/pieceBytes))
}

// piece returns the start and the end of piece i, as offsets in the file.
func (f *file) piece(i int) (start, end int64) {
	if i == f.Splits()-1 {
		return int64(i) * pieceBytes, f.Size
	}
	return int64(i) * pieceBytes, int64(i+1) * pieceBytes
}

func (f *file) Digest(ctx context.Context, split int, _ []string) ([]byte, error) {
	start, end := f.piece(split)
	s, err := f.OpenStream(ctx, start, end)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	return s.Sum()
}

func (f *file) Read(ctx context.Context, split int, columns []string, _ int64,
	yield func(*table.Batch) error) (sum scan.Summary, err error) {
	start, end := f.piece(split)
	s, err := f.OpenStream(ctx, start, end)
	if err != nil {
		return sum, err
	}
	defer s.Close()
	text, own := s.Text, int64(-1)
	if f.Packed == scan.Plain { // the last line may continue after the piece
		text, own = io.MultiReader(s.Text, io.NewSectionReader(s.File, end, f.Size-end)), end-start
	}
	r := &reader{lines: bufio.NewReaderSize(text, scan.BlockSize), own: own}
	if split == 0 {
		r.passMark()
	} else if err = r.passLine(s.File, start); err != nil {
		return sum, scan.StreamError(err)
	}
	r.addColumns(f.dialect, columns)
	if err := r.read(ctx, yield); err != nil {
		return sum, err
	}
	sum.Blank = r.blanks
	sum.Digest, err = s.Sum()
	return sum, err
}

// reader parses lines and collects their values in batches.
type reader struct {
	lines   *bufio.Reader
	own     int64 // bytes of the piece that are left; negative if the text is not in pieces
	line    []byte
	members []member // the members of the current line that some column needs
	names   []byte   // memory for the names of members
	wanted  map[string]bool
	columns []column
	rows    int
	blanks  int64
}

// column collects the values of one column.
type column struct {
	scan.TextColumn
	path []string
	name string
	text []byte // memory for a string without its escapes
}

func (r *reader) addColumns(d *Dialect, names []string) {
	r.wanted = map[string]bool{}
	for _, name := range names {
		c := column{TextColumn: scan.TextColumn{TextType: d.types[name]}, path: strings.Split(name, "."), name: name}
		r.columns = append(r.columns, c)
		r.wanted[c.name], r.wanted[c.path[0]] = true, true
	}
}

// countRead counts n bytes of the piece as read.
func (r *reader) countRead(n int) {
	if r.own > 0 {
		r.own = max(0, r.own-int64(n))
	}
}

// passMark skips a byte order mark.
func (r *reader) passMark() {
	if b, _ := r.lines.Peek(3); bytes.Equal(b, []byte("\xef\xbb\xbf")) {
		n, _ := r.lines.Discard(3)
		r.countRead(n)
	}
}

// passLine skips the rest of a line that began before the piece. The piece begins at offset start of f.
func (r *reader) passLine(f io.ReaderAt, start int64) error {
	var before [1]byte
	if err := scan.ReadAt(f, before[:], start-1); err != nil || before[0] == '\n' {
		return err
	}
	for {
		b, err := r.lines.ReadSlice('\n')
		r.countRead(len(b))
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF):
			return nil
		}
		return err
	}
}

// next reads the next line into r.line. If the line is longer than maxLine, long is true and r.line has no meaning.
func (r *reader) next() (long bool, err error) {
	r.line = r.line[:0]
	for {
		b, err := r.lines.ReadSlice('\n')
		r.countRead(len(b))
		if long = long || len(r.line)+len(b) > maxLine; !long {
			r.line = append(r.line, b...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF) && (long || len(r.line) > 0):
			return long, nil
		}
		return long, err
	}
}

// read gathers the lines that start in the piece and yields their rows in batches.
func (r *reader) read(ctx context.Context, yield func(*table.Batch) error) error {
	for more := true; more; {
		if err := ctx.Err(); err != nil {
			return err
		}
		err := fault.Guard(func() (err error) { more, err = r.gather(); return err })
		if err != nil {
			return scan.StreamError(err)
		}
		if r.rows == 0 {
			return nil
		}
		b := &table.Batch{Rows: r.rows, Columns: make([]table.Column, len(r.columns))}
		for i := range r.columns {
			b.Columns[i] = r.columns[i].Column()
		}
		if err := yield(b); err != nil {
			return err
		}
	}
	return nil
}

// gather gathers the lines of a batch; more is false if they are the last ones.
func (r *reader) gather() (more bool, err error) {
	r.rows = 0
	for i := range r.columns {
		r.columns[i].Reset()
	}
	for r.rows < scan.RowsOf(len(r.columns)) {
		if r.own == 0 {
			return false, nil
		}
		long, err := r.next()
		if errors.Is(err, io.EOF) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		if !long && len(bytes.TrimSpace(r.line)) == 0 {
			r.blanks++
			continue
		}
		r.rows++
		if r.addRow(long) {
			return true, nil
		}
	}
	return true, nil
}

// addRow adds a row for the current line. full is true if a column has so much text that the batch should end.
func (r *reader) addRow(long bool) (full bool) {
	r.names = r.names[:0]
	ok := !long && json.Valid(r.line)
	if ok {
		r.members, ok = object(r.line, r.members[:0], &r.names, func(name []byte) bool { return r.wanted[string(name)] })
	}
	for i := range r.columns {
		c := &r.columns[i]
		if ok {
			c.addMember(r.members)
		} else {
			c.AddUnparsed()
		}
		full = full || len(c.Values.Data) >= scan.BatchBytes
	}
	return full
}

// addMember adds the member that the column's path leads to. A member whose name is the whole path takes precedence.
func (c *column) addMember(members []member) {
	at := index(members, c.name)
	for i := 0; at < 0 && i < len(c.path)-1; i++ {
		outer := index(members, c.path[i])
		if outer < 0 {
			break
		}
		next, rest := c.path[i+1], strings.Join(c.path[i+1:], ".")
		var names []byte
		members, _ = object(members[outer].raw, nil, &names, func(name []byte) bool {
			return string(name) == next || string(name) == rest
		})
		at = index(members, rest)
	}
	if at < 0 {
		c.AddNull()
		return
	}
	c.addJSON(members[at].raw)
}

// addJSON adds a JSON value: a string's text or, unless the column is of text, a number or boolean as written. Every
// other value is null.
func (c *column) addJSON(raw []byte) {
	switch {
	case string(raw) == "null":
		c.AddNull()
	case raw[0] == '"':
		var ok bool
		if c.text, ok = appendString(c.text[:0], raw); ok {
			c.AddText(c.text)
		} else {
			c.AddUnparsed()
		}
	case raw[0] == '{' || raw[0] == '[' || c.Type.Kind == table.String:
		c.AddUnparsed()
	default:
		c.AddText(raw)
	}
}
