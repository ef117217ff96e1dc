package stabilitytest

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// csvWithout are the kinds that CSV files cannot hold.
var csvWithout = []Kind{Uint64, List}

// csvTypes are the types for input.csv.types. Text needs none, and decimals are read as numbers.
var csvTypes = map[Kind]string{
	Int64: "int", Int32: "int", Float64: "float", Float32: "float", Bool: "bool", Date: "date", Cents: "float", Whole: "int",
	Instant: `"timestamp 2006-01-02T15:04:05.999999Z07:00"`, Clock: `"timestamp 2006-01-02T15:04:05.999999"`,
}

// nullText is the null of a text, since an empty field is a value.
const nullText = "<null>"

// csvForm is a dialect of CSV, as far as its writer has to know it.
type csvForm struct {
	quote byte // 0 if no character quotes
	trims bool // blanks around a field are no part of it
}

// The encoders of CSV files, as jobs read them that do not say otherwise.
var plainCSV, gzipCSV, zstdCSV = csvForm{quote: '"'}.plain, csvForm{quote: '"'}.gzip, csvForm{quote: '"'}.zstd

// csvFormOf returns the form in which a job with these options of CSV reads texts as they are.
func csvFormOf(options string) csvForm {
	form := csvForm{quote: '"', trims: strings.Contains(options, "trim_space: true")}
	switch {
	case strings.Contains(options, `quote: "'"`):
		form.quote = '\''
	case strings.Contains(options, "quote: none"):
		form.quote = 0
	}
	return form
}

// plain writes fields as other programs do: quoted only if they have to be, or all of them. The null of a number is
// an empty field, and a row that consists of one is an empty line.
func (f csvForm) plain(columns []Column, rows []Row, r *rand.Rand) ([]byte, error) {
	always, ending := r.IntN(3) == 0, pick(r, []string{"\n", "\n", "\r\n"})
	var b bytes.Buffer
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.Name
	}
	b.WriteString(strings.Join(names, ",") + ending)
	for i, row := range rows {
		text := f.line(columns, row, always)
		b.WriteString(text)
		// an empty last line without an end would be no line
		if i+1 < len(rows) || !always || strings.Trim(text, " \t") == "" {
			b.WriteString(ending)
		}
	}
	return b.Bytes(), nil
}

// line writes a row. All its values are quoted, or those that have to be.
func (f csvForm) line(columns []Column, row Row, always bool) string {
	fields := make([]string, len(row))
	for k, v := range row {
		fields[k] = f.field(textOf(columns[k].Kind, v), v != nil && always)
	}
	return strings.Join(fields, ",")
}

// unquotable writes what a file without quotes cannot hold otherwise, so that texts that differ stay different.
var unquotable = strings.NewReplacer("%", "%25", ",", "%2C", "\r", "%0D", "\n", "%0A")

// field quotes a text if it has to be quoted, or always.
func (f csvForm) field(s string, always bool) string {
	if f.quote == 0 {
		return unquotable.Replace(s)
	}
	q := string(f.quote)
	if always || strings.ContainsAny(s, ",\r\n"+q) || strings.HasPrefix(s, " ") || f.trims && strings.Trim(s, " \t") != s {
		return q + strings.ReplaceAll(s, q, q+q) + q
	}
	return s
}

// textOf writes a cell as csvTypes read it. What a type cannot hold is written as a number, which is no value of the
// type.
func textOf(k Kind, v any) string {
	switch v := v.(type) {
	case string:
		return v
	case bool:
		return strconv.FormatBool(v)
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	case int64:
		switch {
		case k == Date && inYears(v*86400e6):
			return timeText(v*86400e6, "2006-01-02")
		case k == Instant && inYears(v):
			return timeText(v, "2006-01-02T15:04:05.999999Z07:00")
		case k == Clock && inYears(v):
			return timeText(v, "2006-01-02T15:04:05.999999")
		case k == Cents:
			return fmt.Sprintf("%de-2", v)
		}
		return strconv.FormatInt(v, 10)
	}
	if k == Text {
		return nullText
	}
	return ""
}

// jsonLines writes an object a line. Texts are strings, and so is what JSON has no number for; a cell without a value
// is null, or absent.
func jsonLines(columns []Column, rows []Row, r *rand.Rand) ([]byte, error) {
	absent := r.IntN(2) == 0
	var b bytes.Buffer
	for _, row := range rows {
		object := map[string]any{}
		for k, v := range row {
			text := textOf(columns[k].Kind, v)
			switch {
			case v == nil && absent:
			case v == nil:
				object[columns[k].Name] = nil
			case json.Valid([]byte(text)) && columns[k].Kind != Text:
				object[columns[k].Name] = json.RawMessage(text)
			default:
				object[columns[k].Name] = json.RawMessage(jsonString(text))
			}
		}
		line, err := json.Marshal(object)
		if err != nil {
			return nil, err
		}
		b.Write(append(line, '\n'))
	}
	return b.Bytes(), nil
}

// jsonString writes a string of JSON. A byte that is not UTF-8 becomes the escape of a surrogate without a partner, as
// Python's surrogateescape has it, so that texts that differ stay different.
func jsonString(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\udc%02x`, s[i])
		case r < ' ' || r == '"' || r == '\\':
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
		i += n
	}
	return `"` + b.String() + `"`
}

// plainExtension ends the names of CSV files that are not compressed.
const plainExtension = ".csv"

// widen writes a file of UTF-8 again in UTF-16, as options of CSV name it, with or without a byte order mark. A byte
// that is not UTF-8 becomes a surrogate without a partner, as in jsonString.
func widen(path, options string, mark bool) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var order binary.AppendByteOrder = binary.LittleEndian
	if strings.Contains(options, "utf-16be") {
		order = binary.BigEndian
	}
	var out []byte
	if mark {
		out = order.AppendUint16(out, 0xFEFF)
	}
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		switch {
		case r == utf8.RuneError && n == 1:
			out = order.AppendUint16(out, 0xDC00+uint16(text[0]))
		default:
			for _, unit := range utf16.AppendRune(nil, r) {
				out = order.AppendUint16(out, unit)
			}
		}
		text = text[n:]
	}
	return os.WriteFile(path, out, 0o600)
}

func (f csvForm) gzip(columns []Column, rows []Row, r *rand.Rand) ([]byte, error) {
	var out bytes.Buffer
	return f.packed(&out, gzip.NewWriter(&out), columns, rows, r)
}

func (f csvForm) zstd(columns []Column, rows []Row, r *rand.Rand) ([]byte, error) {
	var out bytes.Buffer
	w, err := zstd.NewWriter(&out, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(1<<10))
	if err != nil {
		return nil, err
	}
	return f.packed(&out, w, columns, rows, r)
}

func (f csvForm) packed(out *bytes.Buffer, w io.WriteCloser, columns []Column, rows []Row, r *rand.Rand) ([]byte,
	error) {
	text, err := f.plain(columns, rows, r)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(text); err != nil {
		return nil, err
	}
	err = w.Close()
	return out.Bytes(), err
}

// timeText formats an instant or a wall-clock time, given in microseconds.
func timeText(us int64, layout string) string { return time.UnixMicro(us).UTC().Format(layout) }

// inYears reports whether a text can hold a time, which must be in the years 1 to 9999.
func inYears(us int64) bool { return us >= -62135596800e6 && us < 253402300800e6 }
