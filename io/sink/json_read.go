package sink

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"strconv"
	"unicode/utf8"
)

// JSON has no infinite numbers.
func (jsonFormat) loses() losses { return losses{infinities: true} }

// Read accepts only what Write writes: one object in each line, all with the columns of the first object.
func (jsonFormat) Read(ctx context.Context, r io.ReaderAt, size int64, to tableReceiver) error {
	in := jsonLines{in: bufio.NewReaderSize(cancellable{ctx, io.NewSectionReader(r, 0, size)}, 1<<16)}
	if err := in.expect("["); err != nil {
		return err
	}
	var rows *jsonObjects
	for more := true; more; {
		line, err := in.line()
		if err != nil {
			return err
		}
		if rows == nil && string(line) == "]" {
			return in.end()
		}
		line, more = bytes.CutSuffix(line, []byte(","))
		if rows == nil {
			if rows, err = newJSONObjects(line, to); err != nil {
				return err
			}
		}
		if err := rows.add(line); err != nil {
			return err
		}
		if rows.n == valueBatch || !more {
			if err := to.add(rows.fileRows); err != nil {
				return err
			}
			rows.reset()
		}
	}
	if err := in.expect("]"); err != nil {
		return err
	}
	return in.end()
}

// jsonLines reads a file line by line.
type jsonLines struct {
	in   *bufio.Reader
	long []byte // a line that is longer than the reader's buffer
}

// line returns the next line without its end. It is valid until the next call. At the end of the file, it returns an
// error of this package; other errors of the reader are returned as they are.
func (l *jsonLines) line() ([]byte, error) {
	line, err := l.in.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		for l.long = l.long[:0]; errors.Is(err, bufio.ErrBufferFull); line, err = l.in.ReadSlice('\n') {
			l.long = append(l.long, line...)
		}
		l.long = append(l.long, line...)
		line = l.long
	}
	switch {
	case errors.Is(err, io.EOF):
		return nil, mismatch("the end of a line")
	case err != nil:
		return nil, err
	}
	return line[:len(line)-1], nil
}

// expect reads a line that must be text.
func (l *jsonLines) expect(text string) error {
	line, err := l.line()
	if err == nil && string(line) != text {
		err = mismatch("the number of rows")
	}
	return err
}

// end checks that the file ends here.
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

// jsonObjects parses objects into rows.
type jsonObjects struct {
	*fileRows
	names  []string
	before [][]byte // the bytes that must be before each column's value: `{"sex":`, `,"age_from":`
	needed bool     // the receiver needs the keys
	last   []lastLabel
}

// lastLabel is the label of a key in the previous row, as JSON and decoded. The next row often has the same label,
// which then need not be decoded again.
type lastLabel struct{ raw, text string }

// newJSONObjects takes the columns' names from the first object.
func newJSONObjects(object []byte, to tableReceiver) (*jsonObjects, error) {
	o := &jsonObjects{}
	for rest, open := object, byte('{'); string(rest) != "}"; open = ',' {
		if len(rest) == 0 || rest[0] != open {
			return nil, mismatch("the columns")
		}
		n := jsonTextEnd(rest[1:]) + 1
		name, ok := jsonString(rest[1:n])
		if !ok || n == len(rest) || rest[n] != ':' {
			return nil, mismatch("the columns")
		}
		o.names, o.before = append(o.names, name), append(o.before, bytes.Clone(rest[:n+1]))
		_, rest = cutJSON(rest[n+1:])
	}
	keys, needed, err := to.columns(o.names, nil)
	if err != nil {
		return nil, err
	}
	o.fileRows, o.needed, o.last = newFileRows(keys, len(o.names)-keys), needed, make([]lastLabel, keys)
	return o, nil
}

// add parses an object as the next row.
func (o *jsonObjects) add(object []byte) error {
	rest, ok := object, false
	for i, before := range o.before {
		if rest, ok = bytes.CutPrefix(rest, before); !ok {
			return mismatch("the columns")
		}
		var value []byte
		value, rest = cutJSON(rest)
		if at := i - len(o.keys); at >= 0 {
			v, number := jsonNumber(value)
			o.values[at], ok = append(o.values[at], v), number
		} else {
			ok = !o.needed || o.addLabel(i, value)
		}
		if !ok {
			return mismatch("column " + o.names[i])
		}
	}
	if string(rest) != "}" {
		return mismatch("the columns")
	}
	o.n++
	return nil
}

// addLabel adds a label of key i: a string, a number or null. It returns false if the key's earlier labels are of
// another kind.
func (o *jsonObjects) addLabel(i int, value []byte) bool {
	k, last := &o.keys[i], &o.last[i]
	if last.raw == string(value) && len(value) > 0 {
		k.texts = append(k.texts, last.text)
		return true
	}
	kind, text, ok := numberKey, "", false
	if len(value) > 0 && value[0] == '"' {
		kind = textKey
		text, ok = jsonString(value)
	} else if _, ok = jsonNumber(value); ok {
		text = string(value)
	}
	if !ok || k.kind != anyKey && k.kind != kind {
		return false
	}
	k.kind, k.texts = kind, append(k.texts, text)
	*last = lastLabel{string(value), text}
	return true
}

// cutJSON splits a text after its first JSON value, which must be a string, a number or a word such as null.
func cutJSON(text []byte) (value, rest []byte) {
	n := 0
	if len(text) > 0 && text[0] == '"' {
		n = jsonTextEnd(text)
	}
	for n < len(text) && text[n] != ',' && text[n] != '}' {
		n++
	}
	return text[:n], text[n:]
}

// jsonTextEnd returns the length of the string, with its quotes, at the start of a text.
func jsonTextEnd(text []byte) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(text)
}

func jsonString(raw []byte) (text string, ok bool) {
	if !utf8.Valid(raw) { // Unmarshal would replace invalid bytes
		return "", false
	}
	if bytes.IndexByte(raw, '\\') < 0 && json.Valid(raw) && raw[0] == '"' {
		return string(raw[1 : len(raw)-1]), true
	}
	return text, json.Unmarshal(raw, &text) == nil
}

// jsonNumber decodes a JSON number; null becomes NaN.
func jsonNumber(raw []byte) (float64, bool) {
	if string(raw) == "null" {
		return math.NaN(), true
	}
	v, err := strconv.ParseFloat(string(raw), 64)
	return v, err == nil && json.Valid(raw)
}
