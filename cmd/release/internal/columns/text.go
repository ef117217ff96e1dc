package columns

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
)

// Text describes a text file with one record a line.
type Text struct {
	// Encoding is utf-8, utf-16le, utf-16be or windows-1252. A file in Latin-1 without control characters looks like
	// windows-1252, and means the same.
	Encoding string
	// Delimiter is the character between fields; 0 for JSON lines and for a file of one column.
	Delimiter rune
	// Quote is the character around fields that hold delimiters: a double quote, or an apostrophe. It is 0 if quotes
	// are characters like others: a correct writer of the dialect with quotes would not have written the file.
	Quote rune
	// Mark is set if the file begins with a byte order mark.
	Mark bool
	// Header is set if the first record seems to hold the columns' names.
	Header bool
	// TrimSpace is set if fields are surrounded by spaces.
	TrimSpace bool
	// LineEnds is LF, CRLF, CR or mixed.
	LineEnds string
	// Ragged is the number of records with another number of fields than the first one.
	Ragged int
	// Records is the number of records that were read, without the header.
	Records int
	// Columns are the columns in their order. Their names are column_1, column_2, … if there is no header.
	Columns []Column
	// Decimal is the decimal sign of the columns of numbers, and Thousands the separator of groups of three digits; 0
	// if there is none.
	Decimal, Thousands rune
	// NullValues are texts that mean null in some column.
	NullValues []string
}

// lookAtText describes the first bytes of a file that is not a known binary format.
func lookAtText(head []byte, whole bool) (Format, *Text) {
	name, decoded := decode(head)
	if name == "" {
		return Unknown, nil
	}
	t := &Text{Encoding: name, LineEnds: lineEnds(decoded)}
	text := strings.TrimPrefix(decoded, "\ufeff")
	t.Mark = len(text) < len(decoded)
	if t.LineEnds == "CR" {
		text = strings.ReplaceAll(text, "\r", "\n")
	}
	if !whole { // the last line may be cut
		if i := strings.LastIndexByte(text, '\n'); i > 0 {
			text = text[:i+1]
		}
	}
	if strings.HasPrefix(strings.TrimSpace(text), "{") {
		t.lookAtObjects(text)
		return JSONL, t
	}
	t.lookAtRecords(text, whole)
	if t.Delimiter == '\t' {
		return TSV, t
	}
	return CSV, t
}

// decode guesses the encoding, from a byte order mark if there is one, and returns the text; "" if the bytes are not
// text.
func decode(head []byte) (name, text string) {
	switch {
	case bytes.HasPrefix(head, []byte("\xff\xfe")):
		return "utf-16le", decodeWith(unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM), head)
	case bytes.HasPrefix(head, []byte("\xfe\xff")):
		return "utf-16be", decodeWith(unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM), head)
	}
	even, odd := zeros(head)
	switch half := len(head) / 2; {
	case half > 0 && odd > half*6/10 && even == 0:
		return "utf-16le", decodeWith(unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM), head)
	case half > 0 && even > half*6/10 && odd == 0:
		return "utf-16be", decodeWith(unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM), head)
	case even+odd > 0:
		return "", ""
	}
	if validUTF8(head) {
		return "utf-8", string(head)
	}
	return "windows-1252", decodeWith(charmap.Windows1252, head)
}

func decodeWith(e encoding.Encoding, b []byte) string {
	text, err := e.NewDecoder().Bytes(b)
	if err != nil {
		return ""
	}
	return string(text)
}

// zeros counts the zero bytes at even and at odd places.
func zeros(b []byte) (even, odd int) {
	for i, c := range b {
		if c != 0 {
			continue
		}
		if i%2 == 0 {
			even++
		} else {
			odd++
		}
	}
	return even, odd
}

// validUTF8 reports whether b is UTF-8 whose last character may be incomplete.
func validUTF8(b []byte) bool {
	for cut := range min(utf8.UTFMax, len(b)+1) {
		if utf8.Valid(b[:len(b)-cut]) {
			return true
		}
	}
	return false
}

// lineEnds describes how lines end. The text may be cut between the two characters of its last line end.
func lineEnds(text string) string {
	if strings.Contains(text, "\n") {
		text = strings.TrimSuffix(text, "\r")
	}
	crlf := strings.Count(text, "\r\n")
	lf := strings.Count(text, "\n") - crlf
	cr := strings.Count(text, "\r") - crlf
	switch {
	case crlf > 0 && lf == 0 && cr == 0:
		return "CRLF"
	case cr > 0 && lf == 0 && crlf == 0:
		return "CR"
	case crlf == 0 && cr == 0:
		return "LF"
	}
	return "mixed"
}

// delimiters are tried in this order: if two fit equally well, the earlier one is proposed.
var delimiters = []rune{',', ';', '\t', '|'}

// lookAtRecords finds the delimiter, the header and the columns of a text of records, which is complete or ends after a
// line.
func (t *Text) lookAtRecords(text string, whole bool) {
	var records [][]string
	quote, unquoted := '"', text
	if quotedBy(text, '\'') {
		quote, text = '\'', strings.ReplaceAll(text, "'", `"`)
	}
	best := 0.0
	t.Quote = quote
	for _, d := range delimiters {
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
	if records == nil {
		records = parse(text, ',')
	}
	if len(records) == 0 {
		return
	}
	width := usualWidth(records)
	t.Header = hasHeader(records, width)
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
	for i, name := range names {
		cells := make([]string, len(regular))
		for j, r := range regular {
			cells[j] = strings.TrimSpace(r[i])
		}
		t.Columns = append(t.Columns, Column{Name: strings.TrimSpace(name), cells: cells})
	}
	t.judge()
}

// quotedBy reports whether a character, and no double quote, encloses fields: in at least one line of four, one field
// begins with it and one ends with it.
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
// reports false. bare are the records if nothing is quoted.
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
		cut := !whole && r.InputOffset() == int64(len(text)) && 2*last > r.InputOffset() // the last record, within quotes
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

// regularity returns the share of the records that have as many fields as most of them, and a little more for many
// fields; 0 for one field.
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

// hasHeader guesses whether the first record holds names: no two are equal, none is a number or a date, and no column
// repeats its name. One column may have no name if it holds the names of rows, or nothing.
func hasHeader(records [][]string, width int) bool {
	first := records[0]
	if len(first) != width {
		return false
	}
	seen := map[string]bool{}
	for i, name := range first {
		name = strings.TrimSpace(name)
		if name == "" && !rowNames(records[1:], i, width) || seen[name] || typed(name) {
			return false
		}
		seen[name] = true
	}
	for i, name := range first {
		if strings.TrimSpace(name) == "" {
			continue
		}
		for _, r := range records[1:] {
			if len(r) == width && strings.TrimSpace(r[i]) == strings.TrimSpace(name) {
				return false
			}
		}
	}
	return true
}

// rowNames reports whether a column has another text in each record, as the index that pandas and R write, or no text
// in any, as after a delimiter that ends each line.
func rowNames(records [][]string, column, width int) bool {
	seen, empty := map[string]bool{}, 0
	for _, r := range records {
		if len(r) != width {
			continue
		}
		text := strings.TrimSpace(r[column])
		if text == "" {
			empty++
		} else if seen[text] {
			return false
		}
		seen[text] = true
	}
	return len(records) > 0 && (empty == 0 || len(seen) == 1)
}

// spaced reports whether most fields after the first begin with a space.
func spaced(records [][]string) bool {
	fields, spaces := 0, 0
	for _, r := range records {
		for _, f := range r[min(1, len(r)):] {
			fields++
			if strings.HasPrefix(f, " ") || strings.HasSuffix(f, " ") {
				spaces++
			}
		}
	}
	return fields > 0 && spaces*2 > fields
}

// judge finds the types of the columns, and their common properties.
func (t *Text) judge() {
	comma, point := 0, 0
	for i := range t.Columns {
		c, p := decimalSigns(t.Columns[i].cells)
		comma, point = comma+c, point+p
	}
	t.Decimal = '.'
	if comma > point {
		t.Decimal = ','
	}
	nulls := map[string]bool{}
	for i := range t.Columns {
		column := &t.Columns[i]
		column.judge(t.Decimal)
		if column.thousands != 0 {
			t.Thousands = column.thousands
		}
		for _, text := range column.nulls {
			nulls[text] = true
		}
	}
	for text := range nulls {
		t.NullValues = append(t.NullValues, text)
	}
	slices.Sort(t.NullValues)
	if comma == 0 {
		t.Decimal = '.'
	}
}
