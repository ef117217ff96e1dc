package sink

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"io"
	"math"
	"strings"

	"github.com/dprelease/dprelease/calibrate"
)

// CSVFormat writes CSV files (RFC 4180) with a header; lines end in \n.
type CSVFormat struct {
	Raw bool // write texts without the apostrophe of EscapeFormula
}

// EscapeFormula returns a key's label or a header as it is written to a CSV file: unchanged, or after an apostrophe. A
// spreadsheet runs a cell that begins with = + - @, a tab or a carriage return as a formula, so a label could fetch a
// web page or start a program on the reader's machine. An apostrophe before it makes the cell a text. A text that
// already begins with an apostrophe gets another one, so that a program recovers every text by removing one. Decimal
// numbers such as -5 are harmless and stay as they are.
func (f CSVFormat) EscapeFormula(text string) string {
	if f.Raw || text == "" || !strings.ContainsRune("=+-@\t\r'", rune(text[0])) {
		return text
	}
	if _, err := calibrate.ParseDecimal(text); err == nil {
		return text
	}
	return "'" + text
}

func (f CSVFormat) inertAll(texts []string) []string {
	out := make([]string, len(texts))
	for i, s := range texts {
		out[i] = f.EscapeFormula(s)
	}
	return out
}

// Extension returns the ending of the file's name, with its dot.
func (CSVFormat) Extension() string { return ".csv" }

// Write writes the table to w and returns the number of its rows.
func (f CSVFormat) Write(ctx context.Context, w io.Writer, t *table) (rows int, err error) {
	keys, err := f.quotedLabels(t)
	if err != nil {
		return 0, err
	}
	header, err := newQuoter().record(f.inertAll(t.columns())...)
	if err != nil {
		return 0, err
	}
	out := bufio.NewWriterSize(w, 1<<16)
	if _, err := out.Write(append(header, '\n')); err != nil {
		return 0, err
	}
	texts := csvRows{rowTexts{t, keys}}
	if rows, err = texts.stream(ctx, out, texts.appendRow); err != nil {
		return rows, err
	}
	return rows, out.Flush()
}

// csvRows writes rows as lines of CSV.
type csvRows struct{ rowTexts }

// appendRow appends row i of a block as a line. Numbers never need quotes. NaN is an empty field.
func (r csvRows) appendRow(line []byte, b *block, i int) []byte {
	for k := range r.keys {
		line = append(append(line, r.label(k, b.cells[i])...), ',')
	}
	for _, column := range b.values {
		if v := column[i]; !math.IsNaN(v) {
			line = appendFloat(line, v)
		}
		line = append(line, ',')
	}
	line[len(line)-1] = '\n'
	return line
}

// quotedLabels returns the text of every label of every key, quoted if it has to be. It quotes once per label, not per
// row.
func (f CSVFormat) quotedLabels(t *table) ([][]string, error) {
	keys, q := make([][]string, len(t.keys)), newQuoter()
	for i, k := range t.keys {
		keys[i] = k.Labels.Texts()
		if len(k.Labels.Strings) == 0 {
			continue
		}
		for j, s := range keys[i] {
			quoted, err := q.record(f.EscapeFormula(s))
			if err != nil {
				return nil, err
			}
			if string(quoted) != s {
				keys[i][j] = string(quoted)
			}
		}
	}
	return keys, nil
}

// quoter quotes fields as encoding/csv does.
type quoter struct {
	line bytes.Buffer
	w    *csv.Writer
}

func newQuoter() *quoter {
	q := &quoter{}
	q.w = csv.NewWriter(&q.line)
	return q
}

// record returns the fields as a line without its end. It is valid until the next call.
func (q *quoter) record(fields ...string) ([]byte, error) {
	q.line.Reset()
	if err := q.w.Write(fields); err != nil {
		return nil, err
	}
	q.w.Flush()
	return bytes.TrimSuffix(q.line.Bytes(), []byte("\n")), q.w.Error()
}
