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

// Within quotes, encoding/csv reads \r\n as \n.
func (CSVFormat) loses() losses { return losses{lineEnds: true} }

// Read passes the rows of a file of size bytes to the receiver.
func (f CSVFormat) Read(ctx context.Context, r io.ReaderAt, size int64, to tableReceiver) error {
	in := csv.NewReader(cancellable{ctx, io.NewSectionReader(r, 0, size)})
	in.ReuseRecord = true
	header, err := in.Read()
	if err != nil {
		return errors.Join(ctx.Err(), mismatch("the header"))
	}
	names := slices.Clone(header)
	for i, name := range names {
		if names[i], err = f.unescapeFormula(name); err != nil {
			return mismatch("the header")
		}
	}
	keys, needed, err := to.columns(names, nil)
	if err != nil {
		return err
	}
	rows := newFileRows(keys, len(names)-keys)
	for {
		record, err := in.Read()
		if errors.Is(err, io.EOF) {
			return to.add(rows)
		}
		if err != nil { // not the library's error, which would quote the file
			return errors.Join(ctx.Err(), mismatch("the number of rows"))
		}
		for i, text := range record[:keys] {
			if !needed {
				break
			}
			if text, err = f.unescapeFormula(text); err != nil {
				return mismatch("column " + names[i])
			}
			rows.keys[i].texts = append(rows.keys[i].texts, text)
		}
		for i, text := range record[keys:] {
			v, ok := csvNumber(text)
			if !ok {
				return mismatch("column " + names[keys+i])
			}
			rows.values[i] = append(rows.values[i], v)
		}
		if rows.n++; rows.n == valueBatch {
			if err := to.add(rows); err != nil {
				return err
			}
			rows.reset()
		}
	}
}

// csvNumber returns the number in a field; NaN if the field is empty. It returns false if the text is not a number.
func csvNumber(text string) (float64, bool) {
	if text == "" {
		return math.NaN(), true
	}
	v, err := strconv.ParseFloat(text, 64)
	return v, err == nil && !math.IsNaN(v)
}

// unescapeFormula removes the apostrophe that EscapeFormula adds. It refuses a text that a spreadsheet would run as a
// formula, except -Inf and +Inf, which are numbers and are written without an apostrophe.
func (f CSVFormat) unescapeFormula(written string) (string, error) {
	text, cut := strings.CutPrefix(written, "'")
	switch {
	case f.Raw:
		return written, nil
	case cut || f.EscapeFormula(text) == text:
		return text, nil
	}
	if _, err := strconv.ParseFloat(text, 64); err != nil {
		return "", mismatch("a text")
	}
	return text, nil
}
