package csv

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"github.com/dprelease/dprelease/io/source/internal/scan"
)

// A record may have any length, but the scanner keeps only its first maxRecord bytes. Fields that do not end there are
// null. The end of the record must be found by the same rules as for other records, since otherwise text within a field
// could pass for rows. So the rest of the record is split into fields too, with maxRecord bytes in memory at a time,
// and these fields are dropped. If a quoted field does not end within these bytes, a second reader first searches for
// its closing quote. If there is none, the opening quote is an ordinary character, and the scanner, which cannot go
// back, must know this beforehand.

// planSkip is called if a record is longer than maxRecord. It sets toSkip, the part of the record that the scanner must
// skip. again is true if the record must be split once more, because the first quote of its last field is an ordinary
// character.
func (s *scanner) planSkip() (again bool, err error) {
	s.toSkip = skipFields
	switch {
	case s.inside == insideLine:
		s.toSkip = skipLine
	case s.inside == insideQuotes && s.reopen != nil: // reopen is nil in the scanner that reads only the header
		s.toSkip = skipField
		s.quotedToSkip, err = s.quotedLength(s.taken + int64(s.open))
	}
	if s.toSkip == skipField && s.quotedToSkip == 0 && s.ordinary < 0 {
		s.ordinary, s.toSkip = s.open, skipNothing
		return true, err
	}
	return false, err
}

// skipRest skips the part of the current record that toSkip describes. It does nothing if toSkip is skipNothing.
func (s *scanner) skipRest() error {
	for s.toSkip != skipNothing {
		if err := s.skipQuoted(); err != nil {
			return err
		}
		b := s.buf[s.at:s.end]
		n := len(b) // number of bytes to skip; len(b) if the end is not in the buffer
		switch s.toSkip {
		case skipLine:
			n = indexStop(b, 0, '\n')
		case skipField:
			n = indexStop(b, 0, s.d.comma)
		case skipFields:
			if _, n = s.field(b, 0); n >= 0 {
				break
			}
			if len(b) >= s.d.longest {
				if err := s.skipLongField(); err != nil {
					return err
				}
			} else if err := s.fill(); err != nil {
				return err
			}
			continue
		}
		end := n == len(b)
		if !end {
			s.toSkip = skipFields
			if b[n] == '\n' {
				s.toSkip = skipNothing
			}
			n++
		}
		s.at += n
		s.taken += int64(n)
		switch {
		case end && s.eof:
			s.toSkip = skipNothing
		case end:
			if err := s.fill(); err != nil {
				return err
			}
		}
	}
	return nil
}

// skipLongField begins to skip a field that is longer than the buffer.
func (s *scanner) skipLongField() (err error) {
	switch s.inside {
	case insideQuotes:
		s.toSkip = skipField
		s.quotedToSkip, err = s.quotedLength(s.taken)
	case insideBlanks:
		s.quotedToSkip = int64(s.end - s.at)
	default:
		s.toSkip = skipField
	}
	return err
}

// skipQuoted skips the next quotedToSkip bytes, which belong to a quoted field.
func (s *scanner) skipQuoted() error {
	for s.quotedToSkip > 0 {
		n := min(s.quotedToSkip, int64(s.end-s.at))
		s.at += int(n)
		s.taken += n
		s.quotedToSkip -= n
		if s.quotedToSkip == 0 {
			break
		}
		if err := s.fill(); err != nil {
			return err
		}
		if s.end == 0 {
			s.quotedToSkip = 0 // the file ended early
		}
	}
	return nil
}

// quotedLength returns the length of the quoted field at offset at of the text, up to the delimiter or line end after
// it. It reads the text with a second reader. It returns 0 if the field's first quote is an ordinary character.
func (s *scanner) quotedLength(at int64) (n int64, err error) {
	text, stop, err := s.reopen(at)
	if err != nil {
		return 0, err
	}
	defer stop()
	r := &lookahead{r: bufio.NewReaderSize(text, scan.BlockSize)}
	r.takeBlanks(s.d)
	r.advance()
	for {
		if r.takeTo(s.d.quote); !r.more() {
			return 0, r.err
		}
		r.advance()
		if r.more() && r.b == s.d.quote {
			r.advance()
			continue
		}
		r.takeBlanks(s.d)
		if b, _ := r.r.Peek(2); len(b) > 0 && b[0] == '\r' && (len(b) == 1 || b[1] == '\n') {
			r.advance()
		}
		if !r.more() || r.b == s.d.comma || r.b == '\n' {
			return r.n, r.err
		}
		return 0, nil
	}
}

// lookahead reads a text byte by byte, and counts the bytes in n.
type lookahead struct {
	r   *bufio.Reader
	n   int64
	b   byte // the next byte, if there is one
	err error
}

// more reports whether there is another byte.
func (r *lookahead) more() bool {
	b, err := r.r.Peek(1)
	if err == nil {
		r.b = b[0]
		return true
	}
	if !errors.Is(err, io.EOF) {
		r.err = err
	}
	return false
}

// advance moves past the next byte.
func (r *lookahead) advance() {
	if _, err := r.r.Discard(1); err == nil {
		r.n++
	}
}

// takeTo moves to the next byte b, or to the end if there is none.
func (r *lookahead) takeTo(b byte) {
	for r.more() {
		ready, _ := r.r.Peek(r.r.Buffered())
		i := bytes.IndexByte(ready, b)
		if i < 0 {
			i = len(ready)
		}
		n, _ := r.r.Discard(i)
		if r.n += int64(n); i < len(ready) {
			return
		}
	}
}

// takeBlanks moves past blanks around a field.
func (r *lookahead) takeBlanks(d *Dialect) {
	for r.more() && d.isBlank(r.b) {
		r.advance()
	}
}
