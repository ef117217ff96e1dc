package picture

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Color is a colour from a set that people with any colour vision can distinguish (Okabe & Ito 2008).
type Color int

// The values of Color.
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

var colors = []color.NRGBA{
	{R: 0, G: 0, B: 0, A: 255}, {R: 230, G: 159, B: 0, A: 255}, {R: 86, G: 180, B: 233, A: 255},
	{R: 0, G: 158, B: 115, A: 255}, {R: 224, G: 204, B: 40, A: 255}, {R: 0, G: 114, B: 178, A: 255},
	{R: 213, G: 94, B: 0, A: 255}, {R: 204, G: 121, B: 167, A: 255}, {R: 150, G: 150, B: 150, A: 255},
}

var (
	lightGray = color.Gray{Y: 225}
	undefined = color.Gray{Y: 238} // the colour of a cell without a value
)

// Stroke is the pattern of a line, such as solid or dashed.
type Stroke int

// The values of Stroke.
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

// The values of Mark.
const (
	NoMark Mark = iota
	Circle
	Ring
	Square
	Triangle
	Cross
	Diamond
)

var glyphs = []draw.GlyphDrawer{nil, draw.CircleGlyph{}, draw.RingGlyph{}, draw.BoxGlyph{}, draw.PyramidGlyph{},
	draw.CrossGlyph{}, diamond{}}

// diamond draws a diamond, which gonum/plot lacks.
type diamond struct{}

func (diamond) DrawGlyph(c *draw.Canvas, s draw.GlyphStyle, at vg.Point) {
	r := 1.4 * s.Radius
	c.FillPolygon(s.Color, []vg.Point{{X: at.X - r, Y: at.Y}, {X: at.X, Y: at.Y + r}, {X: at.X + r, Y: at.Y},
		{X: at.X, Y: at.Y - r}})
}

// Fill is how an area is filled.
type Fill int

// The fills: none, as a bar, and as a translucent band.
const (
	NoFill Fill = iota
	Full
	Pale
)

// Style is the appearance of a line, of points or of an area.
type Style struct {
	Color Color
	Line  Stroke
	Mark  Mark
	Fill  Fill
	// Thin is for bounds and baselines.
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

func (s Style) fill() color.Color {
	c := colors[s.Color]
	switch s.Fill {
	case Pale:
		c.A = 60
	case Full:
		c.A = 190
	}
	return c
}

// Scale assigns colours to values from Low to High. If Root is set, the colour depends on the square root of the
// position between Low and High, for counts that differ by orders of magnitude.
type Scale struct {
	Low, High float64
	Root      bool
}

// share returns the position of a value on the scale: 0 for Low, 1 for High, limited to this range.
func (s Scale) share(value float64) float64 {
	x := (value - s.Low) / (s.High - s.Low)
	if !(x > 0) {
		return 0
	}
	if x = math.Min(x, 1); s.Root {
		return math.Sqrt(x)
	}
	return x
}

// at returns the value at a position from 0 to 1; it is the inverse of share.
func (s Scale) at(share float64) float64 {
	if s.Root {
		share *= share
	}
	return s.Low + share*(s.High-s.Low)
}

// magma is a perceptually uniform colour scale, also in print and for any colour vision (Smith & van der Walt 2015). It
// begins near white, so that small values do not stand out, and ends before black. The colours are
// interpolateMagma(0.97 - 0.82·t) of D3 for t = 0, 1/12, …, 1.
var magma = []color.RGBA{
	{R: 252, G: 240, B: 178, A: 255}, {R: 254, G: 207, B: 146, A: 255}, {R: 254, G: 176, B: 120, A: 255},
	{R: 252, G: 142, B: 100, A: 255}, {R: 246, G: 110, B: 92, A: 255}, {R: 231, G: 82, B: 99, A: 255},
	{R: 207, G: 64, B: 112, A: 255}, {R: 178, G: 53, B: 123, A: 255}, {R: 150, G: 44, B: 128, A: 255},
	{R: 121, G: 34, B: 130, A: 255}, {R: 95, G: 24, B: 127, A: 255}, {R: 66, G: 15, B: 117, A: 255},
	{R: 37, G: 18, B: 85, A: 255},
}

// colour returns the colour of a value.
func (s Scale) colour(value float64) color.RGBA {
	at := s.share(value) * float64(len(magma)-1)
	i := min(int(at), len(magma)-2)
	mix := func(a, b uint8) uint8 { return uint8(float64(a) + (at-float64(i))*(float64(b)-float64(a)) + 0.5) }
	a, b := magma[i], magma[i+1]
	return color.RGBA{R: mix(a.R, b.R), G: mix(a.G, b.G), B: mix(a.B, b.B), A: 255}
}

// handler measures and draws the texts of figures. Its fonts are embedded in the program.
var handler = text.Plain{Fonts: font.NewCache(liberation.Collection())}

// face returns the font of the figures at a size in points.
func face(points float64) font.Font {
	return font.From(font.Font{Typeface: "Liberation", Variant: "Sans"}, vg.Points(points))
}

func letters(points float64) text.Style {
	return text.Style{Color: color.Black, Font: face(points), XAlign: draw.XLeft, YAlign: draw.YCenter, Handler: handler}
}

// fit shortens a text so that it is not wider than width.
func fit(style text.Style, s string, width vg.Length) string {
	r := []rune(s)
	for n := len(r); n > 0; n-- {
		cut := s
		if n < len(r) {
			cut = string(r[:n]) + "…"
		}
		if style.Width(cut) <= width {
			return cut
		}
	}
	return ""
}
