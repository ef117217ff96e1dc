package figure

import (
	"image/color"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// handler sets plain text.
var handler = text.Plain{Fonts: font.NewCache(liberation.Collection())}

// Color is a colour from a set that people with any colour vision can distinguish (Okabe & Ito 2008).
type Color int

// The colours.
const (
	Black Color = iota
	Orange
	SkyBlue
	Green
	Yellow
	Blue
	Vermilion
	Purple
	Gray
)

var colors = []color.Color{
	color.RGBA{R: 0, G: 0, B: 0, A: 255},
	color.RGBA{R: 230, G: 159, B: 0, A: 255},
	color.RGBA{R: 86, G: 180, B: 233, A: 255},
	color.RGBA{R: 0, G: 158, B: 115, A: 255},
	color.RGBA{R: 224, G: 204, B: 40, A: 255},
	color.RGBA{R: 0, G: 114, B: 178, A: 255},
	color.RGBA{R: 213, G: 94, B: 0, A: 255},
	color.RGBA{R: 204, G: 121, B: 167, A: 255},
	color.RGBA{R: 150, G: 150, B: 150, A: 255},
}

// Stroke is the pattern of a line.
type Stroke int

// The strokes.
const (
	NoLine Stroke = iota
	Solid
	Dashed
	Dotted
	DashDotted
)

var dashes = [][]vg.Length{nil, nil, {vg.Points(4), vg.Points(2)}, {vg.Points(1), vg.Points(1.5)},
	{vg.Points(5), vg.Points(1.5), vg.Points(1), vg.Points(1.5)}}

// Mark is the symbol at each point.
type Mark int

// The marks.
const (
	NoMark Mark = iota
	Circle
	Ring
	Square
	Triangle
	Cross
)

var glyphs = []draw.GlyphDrawer{nil, draw.CircleGlyph{}, draw.RingGlyph{}, draw.BoxGlyph{}, draw.PyramidGlyph{},
	draw.CrossGlyph{}}

// Style is the appearance of a line.
type Style struct {
	Color Color
	Line  Stroke
	Mark  Mark
	// Thin lines are for bounds and baselines.
	Thin bool
}

func (s Style) lineStyle() draw.LineStyle {
	width := vg.Points(1.4)
	if s.Thin {
		width = vg.Points(0.8)
	}
	return draw.LineStyle{Color: colors[s.Color], Width: width, Dashes: dashes[s.Line]}
}

func (s Style) glyph() draw.GlyphStyle {
	return draw.GlyphStyle{Color: colors[s.Color], Radius: vg.Points(2), Shape: glyphs[s.Mark]}
}

// face returns the font of the figures at a size in points.
func face(points float64) font.Font {
	return font.From(font.Font{Typeface: "Liberation", Variant: "Sans"}, vg.Points(points))
}
