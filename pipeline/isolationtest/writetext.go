package isolationtest

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/dprelease/dprelease/io/source/sourcetest"
)

// quoting reports whether the writer quotes a field.
func (t *Text) quoting(column int, c textCell) bool {
	q := t.quotes()
	if q == "" {
		return false
	}
	need := strings.ContainsAny(c.text, "\r\n") || strings.Contains(c.text, t.separator()) ||
		strings.Contains(c.text, q) || c.text == "" && len(t.columns) == 1
	switch t.style {
	case always:
		return true
	case nonNumeric:
		return need || !c.typed
	case careful:
		return need || strings.HasPrefix(c.text, " ") || strings.HasPrefix(c.text, "\t") ||
			strings.HasPrefix(c.text, "\uFEFF") || strings.HasPrefix(c.text, "\uFFFE") ||
			t.comment != "" && strings.HasPrefix(c.text, t.comment) && column == 0
	}
	return need
}

// field returns a cell as written in the file.
func (t *Text) field(column int, cell any) string {
	c, ok := cell.(textCell)
	if !ok {
		c = textCell{text: t.nullWord(), typed: true}
	}
	s := c.text
	if q := t.quotes(); q != "" && t.quoting(column, c) {
		s = q + strings.ReplaceAll(s, q, q+q) + q
	}
	if t.padded && t.separator() != " " {
		s = " " + s + " "
	}
	return s
}

// line returns a row as written in the file.
func (t *Text) line(row Row) string {
	if t.format == "jsonl" {
		return t.object(row)
	}
	var b strings.Builder
	if t.style == standard && t.quotes() == `"` && t.lineEnd == "\n" && !t.trim && len(row) > 1 {
		t.writeStandard(&b, row)
		return b.String()
	}
	for i, cell := range row {
		if i > 0 {
			b.WriteString(t.separator())
		}
		b.WriteString(t.field(i, cell))
	}
	return b.String()
}

// writeStandard writes a row with encoding/csv, without its line end.
func (t *Text) writeStandard(b *strings.Builder, row Row) {
	cells := make([]string, len(row))
	for i, cell := range row {
		cells[i] = t.nullWord()
		if c, ok := cell.(textCell); ok {
			cells[i] = c.text
		}
	}
	var line bytes.Buffer
	w := csv.NewWriter(&line)
	w.Comma = rune(t.separator()[0])
	_ = w.Write(cells) // a buffer accepts every write, and the delimiter is valid
	w.Flush()
	b.Write(bytes.TrimSuffix(line.Bytes(), []byte("\n")))
}

func (t *Text) headline() string {
	names := make([]string, len(t.columns))
	for i := range t.columns {
		names[i] = t.name(i)
	}
	return strings.Join(names, t.separator())
}

// object returns a row as a JSON object.
func (t *Text) object(row Row) string {
	var b strings.Builder
	b.WriteByte('{')
	for i, cell := range row {
		if i > 0 {
			b.WriteByte(',')
		}
		name := t.columns[i].name
		if t.name(i) != name {
			fmt.Fprintf(&b, `"p":{"%s":%s}`, name, t.token(cell))
			continue
		}
		fmt.Fprintf(&b, `"%s":%s`, name, t.token(cell))
	}
	if t.extra {
		b.WriteString(`,"zz":` + t.token(row[0]))
	}
	b.WriteByte('}')
	return b.String()
}

// token returns a cell as a JSON token: a string, number, boolean or null.
func (t *Text) token(cell any) string {
	c, ok := cell.(textCell)
	switch {
	case !ok:
		return "null"
	case c.token:
		return c.text
	}
	return sourcetest.JSON(c.text, func(r rune, n int) bool { return t.ascii && r >= utf8.RuneSelf && n > 1 })
}

// plain returns the contents of a file before compression.
func (t *Text) plain(rows []Row) []byte {
	var b strings.Builder
	if t.mark {
		b.WriteString("\uFEFF")
	}
	if t.preamble {
		b.WriteString(t.comment + " rows of a table" + t.lineEnd)
	}
	if t.header {
		b.WriteString(t.headline() + t.lineEnd)
	}
	for i, row := range rows {
		line := t.line(row)
		b.WriteString(line)
		if i+1 < len(rows) || !t.unended || line == "" { // an empty last line without a line end would not be a line
			b.WriteString(t.lineEnd)
		}
	}
	if !t.wide() {
		return []byte(b.String())
	}
	return sourcetest.UTF16(b.String(), t.encoding == "utf-16be")
}

// Put implements Format.
func (t *Text) Put(dir string, table Table) error {
	if t.writer != "go" {
		return fmt.Errorf("tables for %s are written together", t.writer)
	}
	for i, path := range t.paths(len(table)) {
		text := t.plain(table[i])
		half := len(text)
		if t.members {
			half /= 2
		}
		b, err := sourcetest.Pack(t.ending, text[:half], text[half:])
		if err != nil {
			return err
		}
		if err := put(filepath.Join(dir, path), b); err != nil {
			return err
		}
	}
	return nil
}

// put writes a file, and creates its folder if necessary.
func put(path string, b []byte) error {
	err := os.WriteFile(path, b, 0o600)
	if os.IsNotExist(err) {
		if err = os.MkdirAll(filepath.Dir(path), 0o700); err == nil {
			err = os.WriteFile(path, b, 0o600)
		}
	}
	return err
}
