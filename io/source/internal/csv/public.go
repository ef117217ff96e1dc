package csv

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"github.com/dprelease/dprelease/io/source/fault"
	"github.com/dprelease/dprelease/io/source/internal/scan"
	"github.com/dprelease/dprelease/io/table"
)

// checkPublic returns an error for the first record of a public file that has another number of fields than the header,
// or in which a quote is not closed. s has just read the header. Private files are read without such checks, because no
// row may make a read fail.
func (c *file) checkPublic(s *scanner) error {
	if advice := table.LineEndAdvice(strings.Join(c.header, "")); advice != "" {
		return fault.New(fault.CodeHeader, "the first line holds a carriage return").Advise("%s", advice)
	}
	line := 1 + int(s.blanks) + bytes.Count(s.buf[s.base:s.at], []byte("\n"))
	for {
		skipped := s.blanks
		if err := s.next(); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return scan.StreamError(err)
		}
		line += int(s.blanks - skipped)
		for _, f := range s.fields {
			if from := s.base + int(f.from); f.to > f.from && !f.doubled && s.buf[from] == s.d.quote && s.d.quote != 0 {
				return fault.New(fault.CodeRecord, "line %d has a field that begins with a quote but does not end with one", line).
					Advise(`close the quote; a quote within a quoted field is written twice: "5"" pipe"`)
			}
		}
		switch {
		case s.toSkip != skipNothing:
			return fault.New(fault.CodeRecord, "the record of line %d is longer than 16 MiB", line)
		case len(s.fields) != len(c.header):
			return fault.New(fault.CodeRecord, "line %d has %d fields, the header has %d", line, len(s.fields), len(c.header)).
				Advise("is a field with a comma not in quotes, or a comma missing or too much?")
		}
		line += bytes.Count(s.buf[s.base:s.at], []byte("\n"))
	}
}
