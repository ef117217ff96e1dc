// Package picture draws tables of a release, and plans, as files: SVG, PNG or PDF, by gonum/plot. Colours are those of
// the page: blue for estimates, vermilion for noisy values (Okabe & Ito 2008), and magma for maps.
package picture

import (
	"bytes"
	"errors"
	"image/color"
	"io"
	"math"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"
	"gonum.org/v1/plot/vg/vgsvg"
)

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
		canvas = vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(dotsPerInch),
			vgimg.UseBackgroundColor(color.White))}
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

// writeSVG names the fonts that a reader may have: Arial and Helvetica have the widths of Liberation Sans. A font in
// the file would be half a megabyte. No label can hold the text that is replaced, since quotes in labels are escaped.
func writeSVG(w io.Writer, canvas io.WriterTo) error {
	var b bytes.Buffer
	if _, err := canvas.WriteTo(&b); err != nil {
		return err
	}
	_, err := w.Write(bytes.ReplaceAll(b.Bytes(), []byte(`style="font-family:Liberation Sans;`),
		[]byte(`style="font-family:'Liberation Sans',Arial,Helvetica,sans-serif;`)))
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
