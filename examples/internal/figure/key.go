package figure

import (
	"image/color"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Key is the name of a line, and its style.
type Key struct {
	Name string
	Style
}

const (
	sampleWidth = 0.8 * vg.Centimeter
	lineHeight  = 0.45 * vg.Centimeter
	noteHeight  = 0.4 * vg.Centimeter
	gap         = 0.15 * vg.Centimeter
)

func small(points float64) text.Style {
	return text.Style{Color: color.Black, Font: face(points), XAlign: draw.XLeft, YAlign: draw.YCenter, Handler: handler}
}

// width returns the width of a key, including the space after it.
func (k Key) width() vg.Length { return sampleWidth + gap + small(8).Width(k.Name) + 4*gap }

func (k Key) draw(c draw.Canvas, at vg.Point) {
	if k.Line > 0 {
		c.StrokeLine2(k.lineStyle(), at.X, at.Y, at.X+sampleWidth, at.Y)
	}
	if k.Mark > 0 {
		c.DrawGlyph(k.glyph(), vg.Point{X: at.X + sampleWidth/2, Y: at.Y})
	}
	c.FillText(small(8), vg.Point{X: at.X + sampleWidth + gap, Y: at.Y}, k.Name)
}
