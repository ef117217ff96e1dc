package picture

import (
	"image/color"
	"strconv"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// key says below the title what colours or marks mean.
func (f *Figure) key(c draw.Canvas) {
	label := text.Style{Color: color.Black, Font: face(8), XAlign: draw.XLeft, YAlign: draw.YCenter, Handler: handler}
	at := vg.Point{X: c.Min.X + 0.3*vg.Centimeter, Y: c.Max.Y - keyHeight/2}
	p := &f.Panels[0]
	if p.Shades != nil {
		f.ramp(c, label, at, p.Scale)
		return
	}
	entry := func(name string, mark func(vg.Point)) {
		mark(at)
		c.FillText(label, vg.Point{X: at.X + 0.7*vg.Centimeter, Y: at.Y}, name)
		at.X += 0.7*vg.Centimeter + label.Width(name) + 0.6*vg.Centimeter
	}
	wide := 0.5 * vg.Centimeter
	if f.Estimates != "" {
		entry(f.Estimates, func(at vg.Point) {
			c.StrokeLine2(draw.LineStyle{Color: blue, Width: vg.Points(4)}, at.X, at.Y, at.X+wide, at.Y)
		})
	}
	if f.Noisy != "" {
		entry(f.Noisy, func(at vg.Point) {
			c.DrawGlyph(draw.GlyphStyle{Color: vermilion, Radius: vg.Points(2), Shape: draw.CircleGlyph{}},
				vg.Point{X: at.X + wide/2, Y: at.Y})
		})
	}
	if f.Intervals != "" {
		entry(f.Intervals, func(at vg.Point) {
			width, shade := vg.Points(1.5), color.Color(vermilion)
			if p.Lines {
				width, shade = vg.Points(7), pale
			}
			c.StrokeLine2(draw.LineStyle{Color: shade, Width: width}, at.X, at.Y, at.X+wide, at.Y)
		})
	}
}

// ramp draws the colours with the values that they stand for.
func (f *Figure) ramp(c draw.Canvas, label text.Style, at vg.Point, s Scale) {
	const steps = 60
	width, half := 5*vg.Centimeter, 0.12*vg.Centimeter
	place := func(share float64) vg.Length { return at.X + vg.Length(share)*width }
	value := func(share float64) float64 {
		if s.Root {
			share *= share
		}
		return s.Low + share*(s.High-s.Low)
	}
	for i := range steps {
		a, b := float64(i)/steps, float64(i+1)/steps
		c.FillPolygon(s.colour(value((a+b)/2)), []vg.Point{{X: place(a), Y: at.Y}, {X: place(b), Y: at.Y},
			{X: place(b), Y: at.Y + 2*half}, {X: place(a), Y: at.Y + 2*half}})
	}
	number := label
	number.XAlign, number.YAlign = draw.XCenter, draw.YTop
	for _, share := range []float64{0, 0.5, 1} {
		c.FillText(number, vg.Point{X: place(share), Y: at.Y - 1}, strconv.FormatFloat(value(share), 'g', 3, 64))
	}
	c.FillText(label, vg.Point{X: place(1) + 0.4*vg.Centimeter, Y: at.Y + half}, f.Colours)
}
