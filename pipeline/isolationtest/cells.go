package isolationtest

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"

	"github.com/dprelease/dprelease/io/source/sourcetest"
)

// textCell is a cell of a text format. text represents its value. For types other than text, want is the value that
// must be read, formatted by appendRows; "" if the format does not determine it. token is set if JSON writes the text
// without quotes, as a number or a boolean.
type textCell struct {
	text, want string
	key        string // identifies the value if want does not; else ""
	typed      bool
	token      bool
}

// String prints the text.
func (c textCell) String() string {
	if c.token {
		return "token " + c.text
	}
	return strconv.Quote(c.text)
}

// Draw implements Format.
func (t *Text) Draw(r *rand.Rand, unit Row, before []Row) Row {
	row := slices.Clone(unit)
	p := t.pieces(before)
	for i := range row {
		if !slices.Contains(t.unit, i) {
			row[i] = t.cell(r, i, p)
		}
	}
	return row
}

// Unit implements Format.
func (t *Text) Unit(r *rand.Rand, before []Row) Row {
	row := make(Row, len(t.columns))
	p := t.pieces(before)
	for _, i := range t.unit {
		row[i] = t.cell(r, i, p)
	}
	return row
}

// pieces returns the parts of a file that strings may imitate: earlier rows, delimiters, quotes, words for null.
func (t *Text) pieces(before []Row) *pieces {
	p := &pieces{marks: append([]string{"\n", "\r\n"}, t.nulls...)}
	for _, row := range before[max(0, len(before)-4):] {
		p.rows = append(p.rows, t.line(row))
	}
	if t.format == "jsonl" {
		p.marks = append(p.marks, `"`, `\`, `"}`, "\"}\n{")
		return p
	}
	d, q := t.separator(), t.quotes()
	p.marks = append(p.marks, d, "\r")
	if q != "" {
		p.marks = append(p.marks, q, q+q, q+d, d+q, q+"\n", "\n"+q)
	}
	if t.comment != "" {
		p.marks = append(p.marks, t.comment, t.comment, t.comment, t.comment+" "+q, "\n"+t.comment)
	}
	if !t.header && (t.wide() || t.encoding == "" || t.encoding == "utf-8") {
		p.marks = append(p.marks, "\uFEFF", "\uFFFE")
	}
	if t.header {
		p.header = t.headline()
	}
	return p
}

// cell draws a cell of a column, which imitates pieces of the file.
func (t *Text) cell(r *rand.Rand, column int, p *pieces) any {
	typ := t.columns[column].typ
	if typ == "" || typ == "text" {
		switch n := r.IntN(20); {
		case n == 0 && (t.format == "jsonl" || t.nullWord() != ""):
			return nil
		case n == 1 && t.format == "jsonl":
			return textCell{text: pick(r, "0", "1", "1.0", "-1", "1e0", "true", "false"), token: t.writer == "go"}
		case n < 5:
			return textCell{text: t.fit(pick(r, "a0", "a1", "b0", "1", "1.0", "0", "true"))}
		case n < 8:
			return textCell{text: t.fit(pick(r, oddTexts...))}
		}
		return textCell{text: t.fit(p.text(r))}
	}
	if chance(r, 0.08) {
		return nil
	}
	if chance(r, 0.08) { // draw a string that is not a value of the type
		return textCell{text: t.fit(p.text(r)), typed: true}
	}
	c := t.typedCell(r, typ)
	if fitting := t.fit(c.text); fitting != c.text {
		return textCell{text: fitting, typed: true}
	}
	return c
}

// nullWord returns a string that stands for null; "" if the job names none (in columns of text, an empty string is no
// null).
func (t *Text) nullWord() string {
	for _, n := range t.nulls {
		if n != "" {
			return n
		}
	}
	return ""
}

// edgeInts are integers at the bounds of types, and their neighbours.
var edgeInts = []int64{0, 1, 2, -1, 9, 10, 99, 1000, 1234567, math.MaxInt64, math.MaxInt64 - 1, math.MinInt64,
	math.MinInt64 + 1, 1 << 53, 1<<53 + 1, math.MaxInt32, math.MinInt32, math.MaxInt32 + 1, math.MaxUint32}

// typedCell draws a value of a type other than text, in the spelling that the job states.
func (t *Text) typedCell(r *rand.Rand, typ string) textCell {
	kind, layout, _ := strings.Cut(typ, " ")
	switch kind {
	case "int":
		x := pick(r, edgeInts...)
		text := strconv.FormatInt(x, 10)
		if t.thousands != "" && t.thousands != t.decimal && chance(r, 0.5) {
			text = grouped(text, t.thousands)
		}
		return textCell{text: text, want: shownInt(x), typed: true, token: t.writer == "go" && chance(r, 0.5)}
	case "float":
		x := pick(r, 0, 1, -1, 0.5, 1e300, 0.1, 1<<53)
		text := strconv.FormatFloat(x, 'g', -1, 64)
		if t.decimal != "" {
			text = strings.ReplaceAll(text, ".", t.decimal)
		}
		return textCell{text: text, want: shownFloat(x), typed: true, token: t.writer == "go" && chance(r, 0.5)}
	case "bool":
		yes := chance(r, 0.5)
		want := shownInt(0)
		if yes {
			want = shownInt(1)
		}
		return textCell{text: strconv.FormatBool(yes), want: want, typed: true, token: t.writer == "go" && chance(r, 0.5)}
	case "date":
		day := pick[int64](r, 0, 15706, 15707, 19782, -1, -719162, 2932895) + int64(r.IntN(2))
		if layout == "" {
			layout = time.DateOnly
		}
		return textCell{text: time.Unix(day*86400, 0).UTC().Format(layout), want: shownInt(day), typed: true}
	}
	us := pick[int64](r, 0, 1356998400e6, 1362898800e6, -62135596800e6, 253402300798e6) + int64(r.IntN(2))*1e6
	at := time.UnixMicro(us).UTC()
	switch fine := r.IntN(4); {
	case fine == 0, strings.Contains(layout, "Z07"):
		return textCell{text: at.Format(layout), want: shownInt(us), typed: true}
	case fine == 1: // fractions of a microsecond
		text := at.Add(time.Duration(1 + r.IntN(2))).Format(layout + ".000000000")
		return textCell{text: text, key: text, typed: true}
	}
	us += int64(1 + r.IntN(2))
	return textCell{text: time.UnixMicro(us).UTC().Format(layout + ".000000"), want: shownInt(us), typed: true}
}

// grouped inserts a separator between groups of three digits.
func grouped(digits, separator string) string {
	sign := strings.TrimRight(digits, "0123456789")
	digits = digits[len(sign):]
	out := digits[max(0, len(digits)-3):]
	for digits = digits[:max(0, len(digits)-3)]; digits != ""; digits = digits[:max(0, len(digits)-3)] {
		out = digits[max(0, len(digits)-3):] + separator + out
	}
	return sign + out
}

// fit changes a string so that the writer can write it. Without a quote character it removes delimiters and line ends.
// For UTF-16 it keeps only characters and unpaired surrogates.
func (t *Text) fit(s string) string {
	if t.format != "jsonl" && t.quotes() == "" {
		s = strings.NewReplacer(t.separator(), "_", "\n", "_").Replace(s)
	}
	if t.wide() && !utf8.ValidString(s) {
		var b strings.Builder
		for len(s) > 0 {
			r, n := utf8.DecodeRuneInString(s)
			if half, ok := sourcetest.Surrogate(s); ok {
				b.WriteString(half)
				s = s[len(half):]
				continue
			}
			b.WriteRune(r)
			s = s[n:]
		}
		return b.String()
	}
	return s
}

// charmaps are the single-byte encodings.
var charmaps = map[string]*charmap.Charmap{
	"windows-1252": charmap.Windows1252, "latin-1": charmap.ISO8859_1, "latin-9": charmap.ISO8859_15,
	"windows-1250": charmap.Windows1250, "latin-2": charmap.ISO8859_2, "windows-1251": charmap.Windows1251, "macintosh": charmap.Macintosh,
}

// decode returns bytes of the file as UTF-8; ok is false if some of them are not a character.
func (t *Text) decode(s string) (text string, ok bool) {
	switch m := charmaps[t.encoding]; {
	case m != nil:
		var b strings.Builder
		for i := range len(s) {
			r := m.DecodeByte(s[i])
			if r == utf8.RuneError {
				return "", false
			}
			b.WriteRune(r)
		}
		return b.String(), true
	// single surrogates are UTF-16 code units, or JSON escapes
	case t.wide(), t.format == "jsonl" && t.writer == "go" && t.ascii && halvesOnly(s):
		return wtf8(sourcetest.Units(s)), true
	}
	return s, t.format != "jsonl" || utf8.ValidString(s)
}

// halvesOnly reports whether a string is UTF-8 except for unpaired surrogates.
func halvesOnly(s string) bool {
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		if half, ok := sourcetest.Surrogate(s); ok {
			n = len(half)
		} else if r == utf8.RuneError && n == 1 {
			return false
		}
		s = s[n:]
	}
	return true
}

// wtf8 returns UTF-16 as WTF-8: UTF-8 in which an unpaired surrogate has three bytes.
func wtf8(units []uint16) string {
	var b []byte
	for i := 0; i < len(units); i++ {
		r := rune(units[i])
		if i+1 < len(units) {
			if pair := utf16.DecodeRune(r, rune(units[i+1])); pair != utf8.RuneError {
				r, i = pair, i+1
			}
		}
		if utf16.IsSurrogate(r) {
			b = append(b, 0xED, 0x80|byte(r>>6&0x3F), 0x80|byte(r&0x3F))
			continue
		}
		b = utf8.AppendRune(b, r)
	}
	return string(b)
}

// value returns the text of a cell as the reader sees it, without blanks that the dialect ignores. null is true if the
// text stands for null.
func (t *Text) value(column int, cell any) (text string, null bool) {
	c, ok := cell.(textCell)
	if !ok {
		return "", true
	}
	text = c.text
	if t.format == "jsonl" {
		return text, false
	}
	if t.trim && !t.quoting(column, c) {
		text = strings.Trim(text, " \t")
	}
	plain, ok := t.decode(text)
	return text, ok && slices.Contains(t.nulls, plain)
}

// Key implements Format.
func (t *Text) Key(row Row) (key string, ok bool) {
	for _, i := range t.unit {
		text, null := t.value(i, row[i])
		if null {
			return "", true
		}
		c := row[i].(textCell)
		switch {
		case c.typed:
			if text = cmp.Or(c.key, c.want); text == "" || t.columns[i].typ == "float" {
				return "", false
			}
		case t.format == "jsonl":
			text = t.token(row[i])
		case t.wide():
			text = fmt.Sprint(sourcetest.Units(text))
		}
		key += strconv.Quote(text)
	}
	return key, true
}

// Want implements Format.
func (t *Text) Want(row Row) (cells string, ok bool) {
	var b strings.Builder
	for _, i := range t.read {
		text, null := t.value(i, row[i])
		c, _ := row[i].(textCell)
		switch {
		case null:
			b.WriteString(shownNull)
		case c.typed && c.want == "", c.token && !c.typed:
			return "", false
		case c.typed:
			b.WriteString(c.want)
		default:
			plain, ok := t.decode(text)
			if !ok {
				return "", false
			}
			b.WriteString(shownText(plain))
		}
	}
	return b.String(), true
}

// Smaller implements Format.
func (t *Text) Smaller(cell any) (out []any) {
	c, ok := cell.(textCell)
	if !ok || c.typed || c.token || c.text == "" {
		return nil
	}
	for _, n := range []int{len(c.text) / 2, 8, 3, 2, 1} {
		for at := 0; n > 0 && at+n <= len(c.text) && len(out) < 200; at += n {
			out = append(out, textCell{text: t.fit(c.text[:at] + c.text[at+n:])})
		}
	}
	return out
}
