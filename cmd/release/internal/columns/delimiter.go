package columns

import (
	"cmp"
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
)

// delimiters are the characters that are tried, in this order. If two fit equally well, the earlier one is proposed.
var delimiters = []rune{',', ';', '\t', '|'}

// lookAtRecords finds the delimiter, the header and the columns of a text with one record a line. whole is set if the
// text is complete; otherwise it ends after a line.
func (t *Text) lookAtRecords(text string, whole bool) {
	var records [][]string
	quote, unquoted := '"', text
	if quotedBy(text, '\'') {
		quote, text = '\'', strings.ReplaceAll(text, "'", `"`)
	}
	best := 0.0
	t.Quote = quote
	candidates := delimiters
	if t.Stated {
		candidates = []rune{t.Delimiter}
	}
	for _, d := range candidates {
		r, q := parse(text, d), quote
		if bare := splitLines(unquoted, d); !quotes(text, d, bare, whole) {
			if d == '\t' || regularity(bare) >= regularity(r) && strings.Contains(text, `"`) {
				r, q = bare, 0
			}
		}
		if score := regularity(r); score > best {
			best, records, t.Delimiter, t.Quote = score, r, d, q
		}
	}
	if records == nil && !t.Stated && spaceSeparated(text) {
		records, t.Delimiter = parse(text, ' '), ' '
	}
	if records == nil {
		records = parse(text, cmp.Or(t.Delimiter, ','))
	}
	if len(records) == 0 {
		return
	}
	width := usualWidth(records)
	t.Header = hasHeader(records, width)
	if !t.Header {
		t.HeaderLine = headerLine(text, t.Delimiter, records, width)
	}
	t.Short = !t.Header && t.HeaderLine == 0 && len(records[0]) == width-1 && !slices.ContainsFunc(records[0], typed)
	names := make([]string, width)
	for i := range names {
		names[i] = "column_" + strconv.Itoa(i+1)
	}
	if t.Header {
		copy(names, records[0])
		records = records[1:]
	}
	regular := records[:0:0]
	for _, r := range records {
		if len(r) == width {
			regular = append(regular, r)
		}
	}
	t.Ragged, t.Records = len(records)-len(regular), len(regular)
	t.TrimSpace = spaced(regular)
	if t.Header {
		for i, name := range names {
			if trimmed := strings.TrimSpace(name); t.TrimSpace || trimmed == "" {
				names[i] = trimmed
			}
		}
		names, t.Renamed = distinctNames(names)
	}
	for i, name := range names {
		cells := make([]string, len(regular))
		for j, r := range regular {
			cells[j] = strings.TrimSpace(r[i])
		}
		t.Columns = append(t.Columns, Column{Name: name, cells: cells})
	}
	t.judge()
}

// spaceSeparated reports whether a text without another delimiter seems to have spaces between its fields, as R's
// write.table writes it. So that a column of names or times is not split, the records must have at least three fields,
// or a quoted header.
func spaceSeparated(text string) bool {
	records := parse(text, ' ')
	if len(records) < 2 {
		return false
	}
	width, names := usualWidth(records[1:]), len(records[0])
	return regularity(records[1:]) > 0.9 && (names == width || names == width-1) &&
		(width > 2 || strings.HasPrefix(text, `"`))
}

// quotedBy reports whether quote encloses fields: in at least one line of four, a field begins with it and a field ends
// with it. It returns false if the text has a double quote.
func quotedBy(text string, quote byte) bool {
	if strings.ContainsRune(text, '"') {
		return false
	}
	lines, some := 0, 0
	for line := range strings.Lines(text) {
		lines++
		line = strings.TrimRight(line, "\r\n")
		for _, d := range delimiters {
			opens := strings.HasPrefix(line, string(quote)) || strings.Contains(line, string(d)+string(quote))
			closes := strings.HasSuffix(line, string(quote)) || strings.Contains(line, string(quote)+string(d))
			if opens && closes {
				some++
				break
			}
		}
	}
	return some*4 > lines
}

// parse splits a text into records; it skips lines that do not parse.
func parse(text string, delimiter rune) (records [][]string) {
	r := csv.NewReader(strings.NewReader(text))
	r.Comma, r.FieldsPerRecord, r.LazyQuotes = delimiter, -1, true
	for {
		record, err := r.Read()
		if record == nil && err != nil {
			return records
		}
		records = append(records, record)
	}
}

// splitLines splits a text whose fields are not quoted into records.
func splitLines(text string, delimiter rune) (records [][]string) {
	for line := range strings.Lines(text) {
		if line = strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r"); line != "" {
			records = append(records, strings.Split(line, string(delimiter)))
		}
	}
	return records
}

// quotes reports whether a correct writer that quotes fields can have written the text: every quote stands where that
// writer puts one, and no two lines with equally many fields become one record. If no field begins with a quote, it
// reports false. bare holds the records that result if quotes are ordinary characters.
func quotes(text string, delimiter rune, bare [][]string, whole bool) bool {
	if !strings.HasPrefix(text, `"`) && !strings.Contains(text, string(delimiter)+`"`) && !strings.Contains(text, "\n\"") {
		return false
	}
	r := csv.NewReader(strings.NewReader(text))
	r.Comma, r.FieldsPerRecord = delimiter, -1
	var records [][]string
	for {
		last := r.InputOffset()
		record, err := r.Read()
		// The last record may be incomplete: the text ends within its quotes.
		cut := !whole && r.InputOffset() == int64(len(text)) && 2*last > r.InputOffset()
		switch {
		case err == nil:
			records = append(records, record)
		case errors.Is(err, io.EOF), cut:
			return regularity(records) >= regularity(bare)
		default:
			return false
		}
	}
}

// regularity returns how well a delimiter fits: the fraction of records that have the most frequent number of fields,
// and a little more if they have many fields. It is 0 if they have one field.
func regularity(records [][]string) float64 {
	width := usualWidth(records)
	if width < 2 {
		return 0
	}
	same := 0
	for _, r := range records {
		if len(r) == width {
			same++
		}
	}
	return float64(same)/float64(len(records)) + min(float64(width), 1000)/1e5
}

// usualWidth returns the number of fields that most records have.
func usualWidth(records [][]string) (width int) {
	count := map[int]int{}
	for _, r := range records {
		count[len(r)]++
	}
	for w, n := range count {
		if n > count[width] || n == count[width] && w > width {
			width = w
		}
	}
	return width
}
