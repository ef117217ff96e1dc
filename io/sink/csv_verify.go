package sink

import (
	"context"
	"encoding/csv"
	"errors"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Verify implements Format.
func (f CSVFormat) Verify(ctx context.Context, r io.ReaderAt, size int64, t *table) error {
	in := csv.NewReader(io.NewSectionReader(r, 0, size))
	in.ReuseRecord = true
	if header, err := in.Read(); err != nil || !slices.Equal(header, normalised(f.inertAll(t.columns()))) {
		return mismatch("the header")
	}
	keys := make([][]string, len(t.keys))
	for i, k := range t.keys {
		texts := labelTexts(k.Labels)
		if len(k.Labels.Strings) > 0 {
			texts = f.inertAll(texts)
		}
		keys[i] = normalised(texts)
	}
	texts := csvRows{rowTexts{t, keys}}
	if _, err := eachRow(ctx, t, func(b *block, i int) error { return texts.verifyRow(in, b, i) }); err != nil {
		return err
	}
	if _, err := in.Read(); !errors.Is(err, io.EOF) {
		return mismatch("the number of rows")
	}
	return nil
}

// normalised rewrites texts as encoding/csv reads them: \r\n inside quotes becomes \n.
func normalised(texts []string) []string {
	for i, s := range texts {
		texts[i] = strings.ReplaceAll(s, "\r\n", "\n")
	}
	return texts
}

// verifyRow reads the next record and compares it with row i of the block. It drops the reader's errors, which quote
// the file.
func (r csvRows) verifyRow(in *csv.Reader, b *block, i int) error {
	record, err := in.Read()
	if err != nil || len(record) != len(r.keys)+len(b.values) {
		return mismatch("the number of rows")
	}
	for k := range r.keys {
		if record[k] != r.label(k, b.cells[i]) {
			return mismatch("column " + r.table.keys[k].Name)
		}
	}
	for v, column := range b.values {
		if !sameField(record[len(r.keys)+v], column[i]) {
			return mismatch("column " + r.table.values[v].name)
		}
	}
	return nil
}

// sameField compares a field with a value; NaN is the empty field.
func sameField(text string, want float64) bool {
	if math.IsNaN(want) {
		return text == ""
	}
	got, err := strconv.ParseFloat(text, 64)
	return err == nil && sameBits(got, want)
}
