package csv

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"math/bits"

	"github.com/dprelease/dprelease/io/source/textfile"
)

// textKind is the kind of text (a comment, a quoted field, …) in which the buffer ends, if it ends within a record.
type textKind uint8

const (
	insideLine   textKind = iota // a comment, or a line of blanks so far
	insideField                  // a field without quotes
	insideQuotes                 // a field with quotes
	insideBlanks                 // blanks before a field
)

// skipKind is how much of the current record must be skipped before the next one.
type skipKind uint8

const (
	skipNothing skipKind = iota
	skipLine             // up to the end of the line
	skipField            // up to a delimiter, then the fields after it
	skipFields
)

// openFrom opens a scanner's text a second time, from the offset at on. The caller must call stop at the end.
type openFrom func(at int64) (r io.Reader, stop func(), err error)

// maxRecord is the maximum number of bytes of a record that are parsed. A field that does not end within them is null.
const maxRecord = 16 << 20

// scanner splits a stream into records of any form. If the buffer ends within a record, the scanner reads more and
// splits the record again. If a record fills the longest buffer, its rest is skipped before the next record
// (longrecord.go).
type scanner struct {
	splitter
	r       io.Reader
	reopen  openFrom
	buf     []byte
	base    int // offset in buf of the current record's start
	at, end int // buf[at:end] was not split yet
	extent
	blanks       int64 // number of skipped blank lines and comments
	toSkip       skipKind
	quotedToSkip int64 // number of bytes of a quoted field to skip before toSkip applies
	scratch      []byte
}

// splitter splits a text into records of any form.
type splitter struct {
	d      *Dialect
	needed int  // number of fields to keep of each record; 0 for all fields
	eof    bool // the text reaches the end of the file
	fields []field
	// head is true while the header is searched. Lines before the header may be comments, even if fields are quoted.
	head     bool
	keepCR   bool     // lines end with LF alone: a CR before it belongs to the field
	ordinary int      // start of a field whose first quote does not open a quoted field; -1 if there is none
	open     int      // if the text ends within a record: the start of the record's last field
	inside   textKind // the kind of text in which the field at open ends
}

// extent limits how much of a text a scanner splits.
type extent struct {
	limit int64 // a record that starts limit bytes or more after the first one belongs to the next piece
	taken int64 // total length of the records so far, with the skipped lines between them
}

// newScanner returns a scanner that reads r, which begins at the start of a file (first) or of a record. reopen opens
// the same text for a second reader.
func newScanner(r io.Reader, reopen openFrom, d *Dialect, first bool) (*scanner, error) {
	s := &scanner{splitter: splitter{d: d, ordinary: -1, keepCR: !d.Header && d.LineEnd != textfile.CRLF}, r: r,
		reopen: reopen,
		buf:    make([]byte, firstRead), extent: extent{limit: math.MaxInt64}}
	err := s.fill()
	if first && d.skipsMark() && bytes.HasPrefix(s.buf[:s.end], []byte("\xef\xbb\xbf")) {
		s.at, s.taken = 3, 3
	}
	return s, err
}

// next goes to the next record. The error is io.EOF if there is none.
func (s *scanner) next() error {
	for {
		if err := s.skipRest(); err != nil {
			return err
		}
		if s.at == s.end && s.eof || s.taken >= s.limit {
			return io.EOF
		}
		n, whole := s.split(s.buf[s.at:s.end])
		if !whole {
			if s.end-s.at < s.d.longest {
				if err := s.fill(); err != nil {
					return err
				}
				continue
			}
			again, err := s.planSkip()
			if err != nil {
				return err
			}
			if again {
				continue
			}
			n = s.open
		}
		s.ordinary = -1
		s.base = s.at
		s.at += n
		s.taken += int64(n)
		blank := len(s.fields) == 0 && s.toSkip == skipNothing || s.toSkip == skipLine
		if !blank {
			return nil
		}
		s.blanks++
	}
}

// fill reads more text into the buffer. If one record fills the buffer, the buffer grows.
func (s *scanner) fill() error {
	copy(s.buf, s.buf[s.at:s.end])
	s.end -= s.at
	s.at = 0
	if s.end == len(s.buf) {
		s.buf = append(s.buf, make([]byte, min(len(s.buf), s.d.longest-len(s.buf)))...)
	}
	for s.end < len(s.buf) && !s.eof {
		n, err := s.r.Read(s.buf[s.end:])
		s.end += n
		if errors.Is(err, io.EOF) {
			s.eof = true
		} else if err != nil {
			return err
		}
	}
	return nil
}

// split splits the record at the start of b and returns its length. It keeps only the first needed fields, to bound
// memory: the fields of a record can take more memory than its text. There are no fields if the record is a skipped
// line. whole is false if more text is needed.
func (s *splitter) split(b []byte) (n int, whole bool) {
	s.fields, s.open, s.inside = s.fields[:0], 0, insideLine
	if n, skip := s.skip(b); skip {
		return n, n >= 0
	}
	for i, found := 0, 1; ; found++ {
		f, end := s.field(b, i)
		if end < 0 {
			return 0, false
		}
		if s.needed == 0 || found <= s.needed {
			s.fields = append(s.fields, f)
		}
		switch {
		case end == len(b):
			return end, true
		case b[end] == '\n':
			return end + 1, true
		}
		i = end + 1
		if found == s.needed {
			if end := indexStop(b, i, s.d.quote); end < len(b) && b[end] == '\n' { // the rest of the line has no quote
				return end + 1, true
			}
		}
	}
}

// indexStop returns the offset of the first line end or byte c from i on, or the length of b.
func indexStop(b []byte, i int, c byte) int {
	const ones, highest = 0x0101010101010101, 0x8080808080808080
	lines, others := uint64(ones*'\n'), ones*uint64(c)
	for ; i+8 <= len(b); i += 8 { // eight bytes at once: x - 1 borrows into the highest bit of the first byte that is 0
		word := binary.LittleEndian.Uint64(b[i:])
		x, y := word^lines, word^others
		if found := ((x-ones)&^x | (y-ones)&^y) & highest; found != 0 {
			return i + bits.TrailingZeros64(found)/8
		}
	}
	for i < len(b) && b[i] != c && b[i] != '\n' {
		i++
	}
	return i
}

// skip reports whether the line at the start of b is a blank line or a comment, and returns the line's length. The
// length is -1 if more text is needed.
func (s *splitter) skip(b []byte) (n int, skip bool) {
	comment := s.d.comment
	if s.head {
		comment = byte(s.d.Comment)
	}
	if len(b) > 0 && b[0] > ' ' && b[0] != comment {
		return 0, false
	}
	i := 0
	if comment == 0 || len(b) == 0 || b[0] != comment {
		for i < len(b) && s.d.isBlank(b[i]) {
			i++
		}
		if i < len(b) && b[i] == '\r' && !s.keepCR {
			if i+1 == len(b) && !s.eof {
				return -1, true
			}
			if i+1 < len(b) && b[i+1] == '\n' {
				i++
			}
		}
		if i < len(b) && b[i] != '\n' {
			return 0, false
		}
	}
	switch end := bytes.IndexByte(b[i:], '\n'); {
	case end >= 0:
		return i + end + 1, true
	case s.eof:
		return len(b), true
	}
	return -1, true
}

// field returns the field that starts at i, and the offset of the delimiter or line end after it, which is -1 if more
// text is needed.
func (s *splitter) field(b []byte, i int) (field, int) {
	s.open, s.inside = i, insideField
	if !s.d.TrimSpace && i < len(b) && b[i] != s.d.quote {
		end := indexStop(b, i, s.d.comma)
		if end == len(b) && !s.eof {
			return field{}, -1
		}
		return field{from: int32(i), to: int32(s.trimCR(b, i, end))}, end
	}
	start := i
	for start < len(b) && s.d.isBlank(b[start]) {
		start++
	}
	if start == len(b) {
		s.inside = insideBlanks
	}
	if start < len(b) && b[start] == s.d.quote && s.d.quote != 0 && i != s.ordinary {
		f, end, literal := s.splitQuoted(b, start+1)
		if !literal {
			s.inside = insideQuotes
			return f, end
		}
	}
	end := indexStop(b, i, s.d.comma)
	if end == len(b) && !s.eof {
		return field{}, -1
	}
	return s.trimField(b, i, end), end
}

// trimCR returns the end of the unquoted field b[from:to], without the CR of a line end.
func (s *splitter) trimCR(b []byte, from, to int) int {
	if !s.keepCR && to > from && b[to-1] == '\r' && to < len(b) && b[to] == '\n' {
		return to - 1
	}
	return to
}

// trimField returns the field b[from:to] without the CR of a line end, and without blanks around it.
func (s *splitter) trimField(b []byte, from, to int) field {
	to = s.trimCR(b, from, to)
	for to > from && s.d.isBlank(b[to-1]) {
		to--
	}
	for to > from && s.d.isBlank(b[from]) {
		from++
	}
	return field{from: int32(from), to: int32(to)}
}

// splitQuoted returns the field whose opening quote is just before i, and the offset of the delimiter or line end after
// it. The offset is -1 if more text is needed. literal is true if the quote is an ordinary character.
func (s *splitter) splitQuoted(b []byte, i int) (f field, end int, literal bool) {
	f.from = int32(i)
	for {
		quote := bytes.IndexByte(b[i:], s.d.quote)
		if quote < 0 {
			return f, -1, s.eof
		}
		i += quote + 1
		if i < len(b) && b[i] == s.d.quote {
			f.doubled = true
			i++
			continue
		}
		f.to = int32(i - 1)
		end, literal = s.afterQuote(b, i)
		return f, end, literal
	}
}

// afterQuote returns the offset of the delimiter or line end after a closing quote. literal is true if other text is
// between them.
func (s *splitter) afterQuote(b []byte, i int) (end int, literal bool) {
	for i < len(b) && s.d.isBlank(b[i]) {
		i++
	}
	if i < len(b) && b[i] == '\r' && (i+1 == len(b) || b[i+1] == '\n') {
		i++
	}
	switch {
	case i == len(b) && s.eof:
		return i, false
	case i == len(b):
		return -1, false
	}
	return i, b[i] != s.d.comma && b[i] != '\n'
}

// text returns field i of the current record, valid until the next call.
func (s *scanner) text(i int) []byte {
	f := s.fields[i]
	b := s.buf[s.base+int(f.from) : s.base+int(f.to)]
	if f.doubled {
		s.scratch = undouble(s.scratch[:0], b, s.d.quote)
		return s.scratch
	}
	return b
}

// undouble appends b to dst and replaces each doubled quote by one.
func undouble(dst, b []byte, quote byte) []byte {
	for i := 0; i < len(b); i++ {
		dst = append(dst, b[i])
		if b[i] == quote {
			i++
		}
	}
	return dst
}

// firstRead is the scanner's first buffer, in bytes, and the part of a file that is read at once for the header.
const firstRead = 256 << 10
