// Package picture draws tables of a release, and plans, as files: SVG, PNG or PDF, by gonum/plot. Colours are those of the page: blue for
// estimates, vermilion for noisy values (Okabe & Ito 2008), and viridis for maps.
package picture

import (
	"errors"
	"fmt"
	"image/color"
	"io"
	"math"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Figure is one or more panels beside one another.
type Figure struct {
	Title  string
	Panels []Panel
	// Width and Height of all, in centimetres.
	Width, Height float64
}

// Panel is a chart. It has Points, or Shades.
type Panel struct {
	Title, X, Y string
	// Points are drawn from left to right; with Names they stand below one another, each at its name.
	Points []Point
	Names  []string
	// Lines joins points and draws the interval as a band.
	Lines bool
	// Shades are cells or places with a value each, and Roads join places; High is the value of the brightest.
	Shades []Shade
	Roads  [][4]float64
	High   float64
	// Round: shades are places on a map, not cells. Aspect is the height of a unit of y over the width of one of x.
	Round  bool
	Aspect float64
	// XNames and YNames are the labels of cells; nil if there are too many.
	XNames, YNames []string
	// LogY: the ordinate is logarithmic.
	LogY bool
}

// Point is a value with its interval.
type Point struct {
	X, Estimate, Noisy, Low, High float64
}

// Shade is a value at a place.
type Shade struct{ X, Y, Value float64 }

var (
	blue      = color.RGBA{R: 0, G: 114, B: 178, A: 255}
	vermilion = color.RGBA{R: 213, G: 94, B: 0, A: 255}
	pale      = color.NRGBA{R: 213, G: 94, B: 0, A: 60}
	gray      = color.Gray{Y: 190}
)

// viridis is even to the eye, also in print and for any colour vision (Smith & van der Walt 2015).
var viridis = []color.RGBA{
	{R: 68, G: 1, B: 84, A: 255}, {R: 72, G: 40, B: 120, A: 255}, {R: 62, G: 74, B: 137, A: 255}, {R: 49, G: 104, B: 142, A: 255}, {R: 38, G: 130, B: 142, A: 255},
	{R: 31, G: 158, B: 137, A: 255}, {R: 53, G: 183, B: 121, A: 255}, {R: 110, G: 206, B: 88, A: 255}, {R: 181, G: 222, B: 43, A: 255}, {R: 253, G: 231, B: 37, A: 255},
}

// shadeOf is the colour of a value: the root of its share of the highest, since counts differ by orders of magnitude.
func shadeOf(value, high float64) color.Color {
	if !(value > 0) || !(high > 0) {
		return viridis[0]
	}
	at := math.Sqrt(math.Min(value/high, 1)) * float64(len(viridis)-1)
	i := min(int(at), len(viridis)-2)
	mix := func(a, b uint8) uint8 { return uint8(float64(a) + (at-float64(i))*(float64(b)-float64(a)) + 0.5) }
	a, b := viridis[i], viridis[i+1]
	return color.RGBA{R: mix(a.R, b.R), G: mix(a.G, b.G), B: mix(a.B, b.B), A: 255}
}

const dotsPerInch = 150

var handler = text.Plain{Fonts: font.NewCache(liberation.Collection())}

func face(points float64) font.Font {
	return font.From(font.Font{Typeface: "Liberation", Variant: "Sans"}, vg.Points(points))
}

// ErrFormat is the error of a format that is not known.
var ErrFormat = errors.New("a picture is svg, png or pdf")

// Write draws the figure in a format: svg, png or pdf.
func (f *Figure) Write(w io.Writer, format string) error {
	width, height := vg.Length(f.Width)*vg.Centimeter, vg.Length(f.Height)*vg.Centimeter
	var canvas interface {
		vg.CanvasSizer
		io.WriterTo
	}
	switch format {
	case "svg":
		canvas = vgsvg.NewWith(vgsvg.UseWH(width, height), vgsvg.EmbedFonts(true))
	case "png":
		canvas = vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(dotsPerInch), vgimg.UseBackgroundColor(color.White))}
	case "pdf":
		canvas = vgpdf.New(width, height)
	default:
		return ErrFormat
	}
	f.draw(draw.New(canvas))
	_, err := canvas.WriteTo(w)
	return err
}

func (f *Figure) draw(all draw.Canvas) {
	const top = 1 * vg.Centimeter
	title := text.Style{Color: color.Black, Font: face(12), XAlign: draw.XCenter, YAlign: draw.YTop, Handler: handler}
	all.FillText(title, vg.Point{X: (all.Min.X + all.Max.X) / 2, Y: all.Max.Y - 0.2*vg.Centimeter}, f.Title)
	inner := draw.Crop(all, 0.3*vg.Centimeter, -0.3*vg.Centimeter, 0.3*vg.Centimeter, -top)
	width := (inner.Max.X - inner.Min.X) / vg.Length(max(1, len(f.Panels)))
	for i := range f.Panels {
		c := draw.Crop(inner, vg.Length(i)*width, -vg.Length(len(f.Panels)-1-i)*width, 0, 0)
		f.Panels[i].draw(c)
	}
}

func (p *Panel) draw(c draw.Canvas) {
	g := plot.New()
	g.Title.Text, g.X.Label.Text, g.Y.Label.Text = p.Title, p.X, p.Y
	g.Title.TextStyle.Font, g.Title.TextStyle.Handler, g.Title.Padding = face(9.5), handler, vg.Points(4)
	for _, a := range []*plot.Axis{&g.X, &g.Y} {
		a.Label.TextStyle.Font, a.Label.TextStyle.Handler, a.Tick.Label.Font, a.Tick.Label.Handler = face(9), handler, face(8), handler
		a.Tick.Marker = plain{}
	}
	switch {
	case p.Shades != nil && p.Round:
		g.HideAxes()
		g.Add(shading{p})
	case p.Shades != nil:
		names(&g.X, p.XNames)
		names(&g.Y, p.YNames)
		g.X.Tick.Label.Rotation, g.X.Tick.Label.XAlign, g.X.Tick.Label.YAlign = math.Pi/3, draw.XRight, draw.YCenter
		g.Add(shading{p})
	case p.Names != nil:
		names(&g.Y, p.Names)
		g.Add(below{p})
	default:
		g.Add(plotter.NewGrid())
		if p.LogY {
			g.Y.Scale, g.Y.Tick.Marker = plot.LogScale{}, powers{}
		}
		g.Add(along{p})
	}
	g.Draw(c)
}

// names puts names at 0, 1, … of an axis; every second or third if there are many.
func names(a *plot.Axis, names []string) {
	step := (len(names) + 39) / 40
	var ticks []plot.Tick
	for i, n := range names {
		if i%step == 0 {
			ticks = append(ticks, plot.Tick{Value: float64(i), Label: n})
		}
	}
	a.Tick.Marker = plot.ConstantTicks(ticks)
}

// plain are ticks without exponents where they can do without.
type plain struct{}

// Ticks returns them.
func (plain) Ticks(low, high float64) []plot.Tick {
	ticks := plot.DefaultTicks{}.Ticks(low, high)
	for i, t := range ticks {
		if t.Label != "" {
			ticks[i].Label = strconv.FormatFloat(t.Value, 'g', 6, 64)
			if a := math.Abs(t.Value); a >= 1 && a < 1e7 {
				ticks[i].Label = strconv.FormatFloat(math.Round(t.Value*1000)/1000, 'f', -1, 64)
			}
		}
	}
	return ticks
}

// powers are ticks at powers of ten.
type powers struct{}

// Ticks returns them.
func (powers) Ticks(low, high float64) []plot.Tick {
	var ticks []plot.Tick
	from, to := math.Floor(math.Log10(low)), math.Ceil(math.Log10(high))
	step := math.Max(1, math.Ceil((to-from)/6))
	for e := from; e <= to; e++ {
		t := plot.Tick{Value: math.Pow(10, e)}
		if math.Mod(e-from, step) == 0 {
			t.Label = fmt.Sprintf("1e%g", e)
		}
		ticks = append(ticks, t)
	}
	return ticks
}
