package picture

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/bidi"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// visual is a canvas of a format that draws the letters of a text from left to right, in the order of its string, as
// PNG and PDF do. It is given each text in the order in which people see its letters. Readers of SVG do this
// themselves.
type visual struct{ vg.CanvasSizer }

func (c visual) FillString(f font.Face, at vg.Point, text string) {
	c.CanvasSizer.FillString(f, at, visualOrder(text))
}

// visualOrder returns the letters of a text from left to right, by the rules for right-to-left scripts of Unicode
// (Standard Annex 9), without characters that nothing is drawn for, such as those which join emoji.
func visualOrder(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Variation_Selector, r) {
			return -1
		}
		return r
	}, text)
	if !strings.ContainsFunc(text, isRightToLeft) {
		return text
	}
	var p bidi.Paragraph
	if _, err := p.SetString(text); err != nil {
		return text
	}
	order, err := p.Order()
	if err != nil || order.NumRuns() == 0 {
		return text
	}
	if beginsRightToLeft(text) {
		out := ""
		for i := range order.NumRuns() {
			run := order.Run(i)
			s := run.String()
			if run.Direction() == bidi.RightToLeft {
				s = reversed(s)
			}
			out = s + out
		}
		return out
	}
	out, stretch := "", "" // stretch is text that is read from right to left, with the numbers in it
	for i := range order.NumRuns() {
		run := order.Run(i)
		s := run.String()
		if run.Direction() == bidi.RightToLeft {
			stretch += s
			continue
		}
		if stretch != "" {
			n := numberAtBegin(s)
			if stretch, s = stretch+s[:n], s[n:]; s == "" {
				continue
			}
		}
		out, stretch = out+visualOrder(stretch)+s, ""
	}
	return out + visualOrder(stretch)
}

// numberAtBegin returns the length of the number with which the text begins, such as 12.5%; 0 if there is none.
func numberAtBegin(text string) (n int) {
	for i, r := range text {
		switch p, size := bidi.LookupRune(r); p.Class() {
		case bidi.EN, bidi.AN, bidi.ET:
			n = i + size
		case bidi.ES, bidi.CS:
		default:
			return n
		}
	}
	return n
}

// reversed returns the letters of a text from its last to its first, each with its marks after it.
func reversed(text string) string {
	out, marks := "", ""
	for _, r := range bidi.ReverseString(text) {
		if unicode.Is(unicode.Mn, r) {
			marks = string(r) + marks
			continue
		}
		out, marks = out+string(r)+marks, ""
	}
	return out + marks
}

// beginsRightToLeft reports whether the first letter of the text that has a direction is read from right to left.
func beginsRightToLeft(text string) bool {
	at := strings.IndexFunc(text, func(r rune) bool {
		p, _ := bidi.LookupRune(r)
		return p.Class() == bidi.L || isRightToLeft(r)
	})
	first, _ := utf8.DecodeRuneInString(text[max(at, 0):])
	return isRightToLeft(first)
}

// isRightToLeft reports whether a letter is of a script that is read from right to left.
func isRightToLeft(r rune) bool {
	p, _ := bidi.LookupRune(r)
	return p.Class() == bidi.R || p.Class() == bidi.AL
}
