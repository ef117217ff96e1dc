package picture

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/bidi"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// visual is a canvas of a format that draws the letters of a text from left to right, in the order of its string, as
// PNG and PDF do. It is given each text in the order in which people see its letters. Readers of SVG do this themselves.
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
	var p bidi.Paragraph
	if _, err := p.SetString(text); err != nil {
		return text
	}
	order, err := p.Order()
	if err != nil || order.NumRuns() == 0 {
		return text
	}
	runs := make([]string, order.NumRuns())
	for i := range runs {
		run := order.Run(i)
		runs[i] = run.String()
		if run.Direction() == bidi.RightToLeft {
			runs[i] = bidi.ReverseString(runs[i])
		}
	}
	if beginsRightToLeft(text) {
		slices.Reverse(runs)
	}
	return strings.Join(runs, "")
}

// beginsRightToLeft reports whether the first letter of the text that has a direction is read from right to left.
func beginsRightToLeft(text string) bool {
	for _, r := range text {
		switch p, _ := bidi.LookupRune(r); p.Class() {
		case bidi.L:
			return false
		case bidi.R, bidi.AL:
			return true
		}
	}
	return false
}
