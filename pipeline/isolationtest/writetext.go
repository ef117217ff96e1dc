package isolationtest

import (
	"bytes"
	"encoding/binary"
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"
)

// quoting reports whether a field is quoted.
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

// field returns a field as it stands in the file.
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

// line returns a row as it stands in the file.
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

// writeStandard writes a row by encoding/csv, without its line end.
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
	_ = w.Write(cells) // a buffer takes all, and the separator is one that it takes
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

// token returns a cell as a JSON value.
func (t *Text) token(cell any) string {
	c, ok := cell.(textCell)
	switch {
	case !ok:
		return "null"
	case c.token:
		return c.text
	}
	var b strings.Builder
	b.WriteByte('"')
	for s := c.text; len(s) > 0; {
		r, n := utf8.DecodeRuneInString(s)
		half, alone := surrogate(s)
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteByte(s[0])
		case r == '\n':
			b.WriteString(`\n`)
		case r < ' ':
			fmt.Fprintf(&b, `\u%04x`, r)
		case alone && t.ascii:
			fmt.Fprintf(&b, `\u%04x`, halves(half)[0])
			n = 3
		case r >= utf8.RuneSelf && t.ascii && (r != utf8.RuneError || n == 3):
			for _, unit := range halves(s[:n]) {
				fmt.Fprintf(&b, `\u%04x`, unit)
			}
		default:
			b.WriteString(s[:n])
		}
		s = s[n:]
	}
	b.WriteByte('"')
	return b.String()
}

// plain returns the bytes of a file before they are compressed.
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
		if i+1 < len(rows) || !t.unended || line == "" { // an empty last line without an end would be no line
			b.WriteString(t.lineEnd)
		}
	}
	if !t.wide() {
		return []byte(b.String())
	}
	var order binary.AppendByteOrder = binary.LittleEndian
	if t.encoding == "utf-16be" {
		order = binary.BigEndian
	}
	var out []byte
	for _, unit := range halves(b.String()) {
		out = order.AppendUint16(out, unit)
	}
	return out
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
		b, err := pack(t.ending, text[:half], text[half:])
		if err != nil {
			return err
		}
		if err := put(filepath.Join(dir, path), b); err != nil {
			return err
		}
	}
	return nil
}

// put writes a file, in a folder that may not exist yet.
func put(path string, b []byte) error {
	err := os.WriteFile(path, b, 0o600)
	if os.IsNotExist(err) {
		if err = os.MkdirAll(filepath.Dir(path), 0o700); err == nil {
			err = os.WriteFile(path, b, 0o600)
		}
	}
	return err
}

// gzips are compressors that were used.
var gzips = sync.Pool{New: func() any { return gzip.NewWriter(nil) }}

// zstds is a compressor, which may be used by several goroutines.
var zstds = sync.OnceValues(func() (*zstd.Encoder, error) { return zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1)) })

// pack compresses the parts of a text as the end of a file's name says, each in a member of its own.
func pack(ending string, parts ...[]byte) ([]byte, error) {
	var out bytes.Buffer
	for i, part := range parts {
		if i > 0 && len(part) == 0 {
			continue
		}
		switch {
		case strings.HasSuffix(ending, ".zst"):
			z, err := zstds()
			if err != nil {
				return nil, err
			}
			out.Write(z.EncodeAll(part, nil))
		case strings.HasSuffix(ending, ".gz"):
			z := gzips.Get().(*gzip.Writer)
			z.Reset(&out)
			if err := finish(z, part); err != nil {
				return nil, err
			}
			gzips.Put(z)
		case strings.HasSuffix(ending, ".xz"):
			z, err := xz.WriterConfig{DictCap: 1 << 16, BufSize: 1 << 12}.NewWriter(&out)
			if err != nil {
				return nil, err
			}
			if err := finish(z, part); err != nil {
				return nil, err
			}
		default:
			out.Write(part)
		}
	}
	return out.Bytes(), nil
}

func finish(w io.WriteCloser, b []byte) error {
	if _, err := w.Write(b); err != nil {
		return err
	}
	return w.Close()
}
