package console

import (
	"fmt"
	"io"
	"reflect"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Text of others on a terminal
//
// Names of columns and files, labels and paths were written by other people. An escape sequence in a printed name could
// clear the screen, hide a line, or fake one. So Visible escapes all output, and OneLine escapes each cell of a table
// and each text within a line.

// Visible escapes characters that control a terminal or are invisible, as \x1b or \u202e: control characters except
// line ends and tabs, marks of direction, characters without width, and invalid UTF-8. Characters are escaped as in
// JSON, so that JSON stays valid.
func Visible(s string) string { return escaped(s, func(r rune) bool { return r == '\n' || r == '\t' }) }

// OneLine does the same as [Visible], but escapes line ends and tabs too.
func OneLine(s string) string { return escaped(s, func(rune) bool { return false }) }

// Fill is fmt.Sprintf, but puts each text among the arguments on one line, so that a name cannot start a new line.
func Fill(format string, args ...any) string {
	for i, arg := range args {
		if err, ok := arg.(error); ok {
			args[i] = OneLine(err.Error())
		} else if s, ok := arg.(fmt.Stringer); ok {
			args[i] = OneLine(s.String())
		} else if v := reflect.ValueOf(arg); v.Kind() == reflect.String {
			args[i] = OneLine(v.String())
		}
	}
	return fmt.Sprintf(format, args...)
}

func escaped(s string, keep func(rune) bool) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return r == utf8.RuneError || acts(r) && !keep(r) }) {
		return s
	}
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(s[i:], "\uFFFD"):
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case !acts(r) || keep(r):
			b.WriteRune(r)
		case r > 0xFFFF:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// acts reports whether a character controls the terminal or is invisible, so that it must be escaped.
func acts(r rune) bool {
	return unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp)
}

// visibleWriter is a writer that escapes each text as Visible does.
type visibleWriter struct{ to io.Writer }

func (v visibleWriter) Write(text []byte) (int, error) {
	if _, err := io.WriteString(v.to, Visible(string(text))); err != nil {
		return 0, err
	}
	return len(text), nil
}
