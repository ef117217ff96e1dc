package sink

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"math"
	"strings"
)

// jsonFormat writes one array of objects, with one object per line.
type jsonFormat struct{}

func (jsonFormat) Extension() string { return ".json" }

func (jsonFormat) Write(ctx context.Context, w io.Writer, t *table) (rows int, err error) {
	texts, err := newJSONRows(t)
	if err != nil {
		return 0, err
	}
	out, before := bufio.NewWriterSize(w, 1<<16), "[\n"
	rows, err = texts.stream(ctx, out, func(line []byte, b *block, i int) []byte {
		line = append(line, before...)
		before = ",\n"
		return texts.appendRow(line, b, i)
	})
	if err != nil {
		return rows, err
	}
	end := "\n]\n"
	if rows == 0 {
		end = "[\n]\n"
	}
	if _, err := out.WriteString(end); err != nil {
		return rows, err
	}
	return rows, out.Flush()
}

// jsonRows writes rows as JSON objects.
type jsonRows struct {
	rowTexts
	names []string // the text that is written before each column's value: `{"sex":`, `,"age_from":`
}

func newJSONRows(t *table) (jsonRows, error) {
	r := jsonRows{rowTexts: rowTexts{table: t}}
	before := "{"
	for _, name := range t.columns() {
		text, err := jsonText(name)
		if err != nil {
			return r, err
		}
		r.names = append(r.names, before+text+":")
		before = ","
	}
	keys, err := jsonLabels(t)
	r.keys = keys
	return r, err
}

// jsonLabels returns the labels of each key as JSON values.
func jsonLabels(t *table) ([][]string, error) {
	keys := make([][]string, len(t.keys))
	for i, k := range t.keys {
		keys[i] = k.Labels.Texts()
		for j, s := range k.Labels.Strings {
			text, err := jsonText(s)
			if err != nil {
				return nil, err
			}
			keys[i][j] = text
		}
		for j, f := range k.Labels.Floats {
			keys[i][j] = string(appendJSON(nil, f))
		}
	}
	return keys, nil
}

// jsonText returns a string as JSON. It fails if a reader of the JSON would get another string.
func jsonText(s string) (string, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		return "", err
	}
	var again string
	if err := json.Unmarshal(b.Bytes(), &again); err != nil || again != s {
		return "", errNotText
	}
	return strings.TrimSuffix(b.String(), "\n"), nil
}

const errNotText = reason("a name or a label is not valid UTF-8")

func (r jsonRows) appendRow(line []byte, b *block, i int) []byte {
	for k := range r.keys {
		line = append(append(line, r.names[k]...), r.label(k, b.cells[i])...)
	}
	for v, column := range b.values {
		line = appendJSON(append(line, r.names[len(r.keys)+v]...), column[i])
	}
	return append(line, '}')
}

// appendJSON appends a number, or null if it is not finite: JSON has no such numbers.
func appendJSON(line []byte, v float64) []byte {
	if !finite(v) {
		return append(line, "null"...)
	}
	return appendFloat(line, v)
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
