package csv

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// lines splits most records quickly, eight bytes at a time. It leaves the others to the splitter in scanner.go: blank
// records and comments, records with white space to trim, records with a quote that does not enclose a whole field, and
// records near the end of the text. These "need a second look".

// field is the range of bytes of a record's field in a text, from its start up to, not including, to. If to is less
// than from, the record has no such field.
type field struct {
	from, to int32
	doubled  bool // the field holds doubled quotes, which the reader must replace
}

// missing stands for a field that a record lacks.
var missing = field{from: 0, to: -1}

// lines splits records into the fields that are needed, unless a record needs a second look.
type lines struct {
	dialect *Dialect
	needed  []int // numbers of the needed fields in a record, ascending
	keepCR  bool  // a CR before LF belongs to the field, as in splitter
	// noQuoteBefore is an offset in the text: there is no quote between the start of the current record and this
	// offset. Before the first record of another text is split, it must be set to that record's start.
	noQuoteBefore int
	// backoff is the number of next records for which splitUnquoted is not tried, because they probably have quotes or
	// short fields like the last record for which it failed.
	backoff int
}

const (
	// quoteSearchBytes is the number of bytes that are searched for quotes at a time.
	quoteSearchBytes = 8 << 10
	// backoffRecords is the value of backoff after a record with quotes or short fields.
	backoffRecords = 31
	// shortField is the average length of fields below which splitting eight bytes at a time is faster than searching
	// each delimiter.
	shortField = 12
)

// isUnquoted reports whether there is no quote in b between at, the start of a record, and end, the line end after it.
func (l *lines) isUnquoted(b []byte, at, end int) bool {
	if l.dialect.quote == 0 || end <= l.noQuoteBefore {
		return true
	}
	l.noQuoteBefore = max(l.noQuoteBefore, at)
	ahead := b[l.noQuoteBefore:min(len(b), max(end, l.noQuoteBefore+quoteSearchBytes))]
	if p := bytes.IndexByte(ahead, l.dialect.quote); p >= 0 {
		ahead = ahead[:p]
	}
	l.noQuoteBefore += len(ahead)
	return end <= l.noQuoteBefore
}

// splitUnquoted splits a record as split does, if the record has no quotes and its fields are not short; otherwise it
// returns at. It searches each delimiter with a library function that uses vector instructions.
func (l *lines) splitUnquoted(b []byte, at int, fields []field, stride int) int {
	if l.backoff > 0 {
		l.backoff--
		return at
	}
	end := at + bytes.IndexByte(b[at:], '\n')
	if end < at {
		return at
	}
	if len(l.needed) > 0 && (l.needed[len(l.needed)-1]+2)*shortField > end-at || !l.isUnquoted(b, at, end) {
		l.backoff = backoffRecords
		return at
	}
	line, from := b[:end], at
	found := 0
	for n := 0; found < len(l.needed); n++ {
		p := bytes.IndexByte(line[from:], l.dialect.comma)
		to := from + p
		if p < 0 {
			if to = end; to > from && b[to-1] == '\r' && !l.keepCR {
				to--
			}
		}
		if n == l.needed[found] {
			fields[found*stride] = field{from: int32(from), to: int32(to)}
			found++
		}
		if p < 0 {
			break
		}
		from = to + 1
	}
	for ; found < len(l.needed); found++ {
		fields[found*stride] = missing
	}
	return end + 1
}

const (
	everyByte = 0x0101010101010101
	lowBits   = 0x7f7f7f7f7f7f7f7f
)

// markStops looks at the first eight bytes of b. In the result, the highest bit of byte i is set if byte i of b is a
// line end or equals byte i of others. If a byte is not 0, adding 127 to its lower bits sets its highest bit, unless
// that was set before, and carries nothing into the next byte.
func markStops(b []byte, others uint64) uint64 {
	w := binary.LittleEndian.Uint64(b)
	x, y := w^everyByte*'\n', w^others
	return ^((x&lowBits+lowBits|x)&(y&lowBits+lowBits|y) | lowBits)
}

// split splits the record at offset at of b, and sets fields[i*stride] to the i-th needed field. It returns the start
// of the next record. It returns at if this record needs a second look, or if more text is needed.
func (l *lines) split(b []byte, at int, fields []field, stride int) int {
	if b[at] <= ' ' || b[at] == l.dialect.comment || l.dialect.TrimSpace {
		return at
	}
	if next := l.splitUnquoted(b, at, fields, stride); next > at {
		return next
	}
	comma, quote := l.dialect.comma, l.dialect.quote
	i, mark, commas := at-8, uint64(0), everyByte*uint64(comma)
	from, found := at, 0
	for n := 0; found < len(l.needed); n++ {
		var f field
		var p int // offset of the delimiter or line end after the field
		if from < len(b) && b[from] == quote && quote != 0 {
			end, doubled := closingQuote(b, from+1, comma, quote)
			if end < 0 {
				return at
			}
			if p = end + 1; b[p] == '\r' {
				p++
			}
			f = field{from: int32(from + 1), to: int32(end), doubled: doubled}
			i, mark = p-7, 0
		} else {
			for mark == 0 {
				if i += 8; i+8 > len(b) {
					return at
				}
				mark = markStops(b[i:], commas)
			}
			p = i + bits.TrailingZeros64(mark)>>3
			mark &= mark - 1
			f = field{from: int32(from), to: int32(p)}
			if b[p] == '\n' && p > from && b[p-1] == '\r' && !l.keepCR {
				f.to--
			}
		}
		if n == l.needed[found] {
			fields[found*stride] = f
			found++
		}
		if b[p] == '\n' {
			for ; found < len(l.needed); found++ {
				fields[found*stride] = missing
			}
			return p + 1
		}
		from = p + 1
	}
	if end := l.lineEnd(b, at, from); end > 0 {
		return end
	}
	return at
}

// lineEnd returns the offset after the line end of the record that starts at offset at. i is the start of one of its
// fields. It returns 0 if the record needs a second look, or if more text is needed.
func (l *lines) lineEnd(b []byte, at, i int) int {
	for i+8 <= len(b) {
		mark := markStops(b[i:], everyByte*uint64(l.dialect.quote))
		p := i + bits.TrailingZeros64(mark)>>3
		switch {
		case mark == 0:
			i += 8
		case b[p] == '\n':
			return p + 1
		case l.dialect.quote == 0 || p > at && b[p-1] != l.dialect.comma:
			i = p + 1 // inside a field, a quote is an ordinary character
		default:
			end, _ := closingQuote(b, p+1, l.dialect.comma, l.dialect.quote)
			if end < 0 {
				return 0
			}
			i = end + 1
		}
	}
	return 0
}

// closingQuote returns the offset of the quote that closes the field whose text starts at i, or -1 if the record needs
// a second look.
func closingQuote(b []byte, i int, comma, quote byte) (end int, doubled bool) {
	for {
		at := bytes.IndexByte(b[i:], quote)
		if end = i + at; at < 0 || end+9 > len(b) {
			return -1, doubled
		}
		switch next := b[end+1]; {
		case next == comma, next == '\n', next == '\r' && b[end+2] == '\n':
			return end, doubled
		case next != quote:
			return -1, doubled
		}
		doubled, i = true, end+2
	}
}
