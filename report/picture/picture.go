// Package picture draws tables of a release, and plans, as files: SVG, PNG or PDF, by gonum/plot. Colours are those of the page: blue for
// estimates, vermilion for noisy values (Okabe & Ito 2008), and magma for maps.
package picture

import (
	"bytes"
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
	// Estimates, Noisy and Intervals name the marks of points for the key, Colours what the colours of shades stand for; "" for none.
	Estimates, Noisy, Intervals, Colours string
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
	// Shades are cells or places with a value each, and Roads are drawn below them.
	Shades []Shade
	Roads  []Road
	Scale  Scale
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

// Road joins two places, x and y, and has the mean of their values.
type Road struct {
	From, To [2]float64
	Value    float64
}

// Shade is a value at a place.
type Shade struct{ X, Y, Value float64 }

var (
	blue      = color.RGBA{R: 0, G: 114, B: 178, A: 255}
	vermilion = color.RGBA{R: 213, G: 94, B: 0, A: 255}
	pale      = color.NRGBA{R: 213, G: 94, B: 0, A: 60}
	gray      = color.Gray{Y: 190}
)

// magma is even to the eye, also in print and for any colour vision (Smith & van der Walt 2015). It begins with nearly the colour of paper,
// so that what is little steps back, and ends before black: interpolateMagma(0.97 - 0.82·t) of D3 at t = 0, 1/12, …, 1, as on the page.
var magma = []color.RGBA{
	{R: 252, G: 240, B: 178, A: 255}, {R: 254, G: 207, B: 146, A: 255}, {R: 254, G: 176, B: 120, A: 255}, {R: 252, G: 142, B: 100, A: 255}, {R: 246, G: 110, B: 92, A: 255},
	{R: 231, G: 82, B: 99, A: 255}, {R: 207, G: 64, B: 112, A: 255}, {R: 178, G: 53, B: 123, A: 255}, {R: 150, G: 44, B: 128, A: 255}, {R: 121, G: 34, B: 130, A: 255},
	{R: 95, G: 24, B: 127, A: 255}, {R: 66, G: 15, B: 117, A: 255}, {R: 37, G: 18, B: 85, A: 255},
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
		canvas = vgsvg.NewWith(vgsvg.UseWH(width, height), vgsvg.EmbedFonts(false))
	case "png":
		canvas = vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(dotsPerInch), vgimg.UseBackgroundColor(color.White))}
	case "pdf":
		canvas = vgpdf.New(width, height)
	default:
		return ErrFormat
	}
	f.draw(draw.New(canvas))
	if format == "svg" {
		return writeSVG(w, canvas)
	}
	_, err := canvas.WriteTo(w)
	return err
}

// writeSVG names the fonts that a reader may have: Arial and Helvetica have the widths of Liberation Sans. A font in the file would be half a
// megabyte. No label can hold the text that is replaced, since quotes in labels are escaped.
func writeSVG(w io.Writer, canvas io.WriterTo) error {
	var b bytes.Buffer
	if _, err := canvas.WriteTo(&b); err != nil {
		return err
	}
	_, err := w.Write(bytes.ReplaceAll(b.Bytes(), []byte(`style="font-family:Liberation Sans;`), []byte(`style="font-family:'Liberation Sans',Arial,Helvetica,sans-serif;`)))
	return err
}

func (f *Figure) draw(all draw.Canvas) {
	const top = 1 * vg.Centimeter
	title := text.Style{Color: color.Black, Font: face(12), XAlign: draw.XCenter, YAlign: draw.YTop, Handler: handler}
	all.FillText(title, vg.Point{X: (all.Min.X + all.Max.X) / 2, Y: all.Max.Y - 0.2*vg.Centimeter}, f.Title)
	f.key(draw.Crop(all, 0, 0, 0, -top))
	inner := draw.Crop(all, 0.3*vg.Centimeter, -0.3*vg.Centimeter, 0.3*vg.Centimeter, -top-keyHeight)
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
		if len(p.XNames) > 8 {
			g.X.Tick.Label.Rotation, g.X.Tick.Label.XAlign, g.X.Tick.Label.YAlign = math.Pi/3, draw.XRight, draw.YCenter
		}
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

// plain are ticks at round numbers, each with its label, without exponents if these can be avoided.
type plain struct{}

// Ticks returns four to nine ticks.
func (plain) Ticks(low, high float64) []plot.Tick {
	if !(high > low) {
		return plot.DefaultTicks{}.Ticks(low, high)
	}
	step := math.Pow(10, math.Floor(math.Log10((high-low)/4)))
	for _, more := range []float64{5, 2} {
		if (high-low)/(more*step) >= 4 {
			step *= more
			break
		}
	}
	var ticks []plot.Tick
	for i := math.Ceil(low / step); i*step <= high; i++ {
		x := i * step
		label := strconv.FormatFloat(x, 'g', 6, 64)
		if a := math.Abs(x); a >= 1 && a < 1e7 {
			label = strconv.FormatFloat(math.Round(x*1000)/1000, 'f', -1, 64)
		}
		ticks = append(ticks, plot.Tick{Value: x, Label: label})
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
