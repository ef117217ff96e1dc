package stabilitytest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/dprelease/dprelease/io/source/sourcetest"
)

// csvWithout lists the kinds that CSV files cannot hold.
var csvWithout = []Kind{Uint64, List}

// csvTypes maps kinds to the types in input.csv.types. Texts need no type, and decimals are read as numbers.
var csvTypes = map[Kind]string{
	Int64: "int", Int32: "int", Float64: "float", Float32: "float", Bool: "bool", Date: "date",
	Cents: "float", Whole: "int",
	Instant: `"timestamp 2006-01-02T15:04:05.999999Z07:00"`, Clock: `"timestamp 2006-01-02T15:04:05.999999"`,
}

// nullText stands for a null in a column of texts, in which an empty field is a value.
const nullText = "<null>"

// csvForm holds those options of a CSV dialect on which a writer depends.
type csvForm struct {
	quote byte // the quote character; 0 if there is none
	trims bool // the reader ignores blanks around a field
}

// csvFormOf returns the form of the files that a job reads with these CSV options.
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

// writeCSV writes a CSV file as other programs do: it quotes only fields that need it, or all of them. The null of a
// number is an empty field, so a row of one null is an empty line. The encoding is UTF-8 or UTF-16, with or without a
// byte order mark if the reader allows both.
func writeCSV(columns []Column, rows []Row, options string, r *rand.Rand) ([]byte, error) {
	form := csvFormOf(options)
	always, ending := r.IntN(3) == 0, pick(r, []string{"\n", "\n", "\r\n"})
	var b strings.Builder
	wide := strings.Contains(options, "encoding: utf-16")
	if wide && r.IntN(2) == 0 {
		b.WriteString("\uFEFF")
	}
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.Name
	}
	b.WriteString(strings.Join(names, ",") + ending)
	for i, row := range rows {
		text := form.line(columns, row, always)
		b.WriteString(text)
		// always write the line end of an empty last line, which would otherwise be no row
		if i+1 < len(rows) || !always || strings.Trim(text, " \t") == "" {
			b.WriteString(ending)
		}
	}
	if wide {
		return sourcetest.UTF16(b.String(), strings.Contains(options, "utf-16be")), nil
	}
	return []byte(b.String()), nil
}

// line writes a row. It quotes all values if always is set, or only those that need it.
func (f csvForm) line(columns []Column, row Row, always bool) string {
	fields := make([]string, len(row))
	for k, v := range row {
		fields[k] = f.field(textOf(columns[k].Kind, v), v != nil && always)
	}
	return strings.Join(fields, ",")
}

// unquotable escapes the characters that a file without quotes cannot hold, so that different texts stay different.
var unquotable = strings.NewReplacer("%", "%25", ",", "%2C", "\r", "%0D", "\n", "%0A")

// field returns the field for a text. It is quoted if always is set or the text needs it.
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

// textOf returns the text of a cell, in the form of csvTypes. A value that its type cannot write, such as a far date,
// becomes a number, which the reader cannot parse as a value of the type.
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

// jsonLines writes one JSON object per line. Texts, and numbers that JSON does not have, are strings. A null is written
// as null, or its key is absent.
func jsonLines(columns []Column, rows []Row, _ string, r *rand.Rand) ([]byte, error) {
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
				object[columns[k].Name] = json.RawMessage(sourcetest.JSON(text, notUTF8))
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

// notUTF8 reports whether a byte is invalid UTF-8. The caller escapes such bytes, so that different texts stay
// different.
func notUTF8(r rune, _ int) bool { return r == utf8.RuneError }

// timeText formats a time, given in microseconds since 1970.
func timeText(us int64, layout string) string { return time.UnixMicro(us).UTC().Format(layout) }

// inYears reports whether a time is in the years 1 to 9999, which a text can hold.
func inYears(us int64) bool { return us >= -62135596800e6 && us < 253402300800e6 }
