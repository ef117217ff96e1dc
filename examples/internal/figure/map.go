package figure

import (
	"image/color"
	"math"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Streets is a street network in the plane.
type Streets struct {
	// X and Y are the coordinates of the junctions, in metres.
	X, Y []float64
	// Sections join two junctions each.
	Sections [][2]int
}

// Map is a panel: a street network whose colours show a value at each junction.
type Map struct {
	Title   string
	Streets *Streets
	Values  []float64
	// High is the value of the brightest colour. The darkest is 0. Colours are evenly spaced in the square root of the
	// value.
	High float64
}

// inferno is a colour scale whose steps look even, also in print and for any colour vision (Smith & van der Walt 2015).
var inferno = []color.RGBA{
	{R: 40, G: 20, B: 75, A: 255}, {R: 87, G: 16, B: 110, A: 255}, {R: 138, G: 34, B: 106, A: 255}, {R: 188, G: 55, B: 84,
		A: 255},
	{R: 227, G: 89, B: 51, A: 255}, {R: 249, G: 140, B: 10, A: 255}, {R: 249, G: 201, B: 50, A: 255}, {R: 252, G: 255,
		B: 164, A: 255},
}

// shades is the number of colours of a map.
const shades = 32

// shade returns the colour of a share, 0 … 1, of the range.
func shade(share float64) color.Color {
	at := math.Min(math.Max(share, 0), 1) * float64(len(inferno)-1)
	i := min(int(at), len(inferno)-2)
	mix := func(a, b uint8) uint8 { return uint8(float64(a) + (at-float64(i))*(float64(b)-float64(a)) + 0.5) }
	a, b := inferno[i], inferno[i+1]
	return color.RGBA{R: mix(a.R, b.R), G: mix(a.G, b.G), B: mix(a.B, b.B), A: 255}
}

func (m Map) plot() (*plot.Plot, error) {
	p := titled(m.Title)
	p.BackgroundColor = color.White
	p.HideAxes()
	p.Add(m)
	return p, nil
}

func titled(title string) *plot.Plot {
	p := plot.New()
	p.Title.Text = title
	p.Title.TextStyle.Font = face(7.5)
	p.Title.TextStyle.Handler = handler
	p.Title.Padding = vg.Points(2)
	return p
}

// DataRange returns the range of the network's coordinates.
func (m Map) DataRange() (xmin, xmax, ymin, ymax float64) {
	xmin, xmax, ymin, ymax = math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	for i, x := range m.Streets.X {
		y := m.Streets.Y[i]
		xmin, xmax, ymin, ymax = math.Min(xmin, x), math.Max(xmax, x), math.Min(ymin, y), math.Max(ymax, y)
	}
	return xmin, xmax, ymin, ymax
}

// Plot draws the sections, colour by colour, the brightest last. A section has the mean value of its two junctions.
func (m Map) Plot(c draw.Canvas, p *plot.Plot) {
	c.SetColor(color.RGBA{R: 12, G: 10, B: 20, A: 255})
	c.Fill(c.Path())
	x, y := m.scale(c)
	paths := make([]vg.Path, shades)
	for _, s := range m.Streets.Sections {
		v := (m.Values[s[0]] + m.Values[s[1]]) / 2
		k := min(int(math.Sqrt(math.Min(math.Max(v/m.High, 0), 1))*shades), shades-1)
		paths[k].Move(vg.Point{X: x(m.Streets.X[s[0]]), Y: y(m.Streets.Y[s[0]])})
		paths[k].Line(vg.Point{X: x(m.Streets.X[s[1]]), Y: y(m.Streets.Y[s[1]])})
	}
	c.SetLineDash(nil, 0)
	for k, path := range paths {
		if len(path) > 0 {
			share := float64(k) / (shades - 1)
			c.SetColor(shade(share))
			c.SetLineWidth(vg.Points(0.5 + 0.5*share))
			c.Stroke(path)
		}
	}
}

// scale maps metres to the canvas, with the same scale in both directions.
func (m Map) scale(c draw.Canvas) (x, y func(float64) vg.Length) {
	xmin, xmax, ymin, ymax := m.DataRange()
	const room = 0.96
	each := vg.Length(room * math.Min(float64(c.Max.X-c.Min.X)/(xmax-xmin), float64(c.Max.Y-c.Min.Y)/(ymax-ymin)))
	at := c.Center()
	x = func(v float64) vg.Length { return at.X + each*vg.Length(v-(xmin+xmax)/2) }
	y = func(v float64) vg.Length { return at.Y + each*vg.Length(v-(ymin+ymax)/2) }
	return x, y
}

// Scale is a panel that shows the colours of a map.
type Scale struct {
	Label string
	High  float64
}

func (s Scale) plot() (*plot.Plot, error) {
	p := titled(" ")
	p.HideAxes()
	p.X.Max, p.Y.Max = 1, 1
	p.Add(s)
	return p, nil
}

// Plot draws the colours in a narrow strip, with values beside it.
func (s Scale) Plot(c draw.Canvas, _ *plot.Plot) {
	const marks = 4
	left, total := c.Min.X+0.4*vg.Centimeter, 0.8*(c.Max.Y-c.Min.Y)
	right, bottom := left+0.3*vg.Centimeter, c.Min.Y+0.1*(c.Max.Y-c.Min.Y)
	for k := range shades {
		low := bottom + total*vg.Length(k)/shades
		high := min(low+total/shades+vg.Points(0.2), bottom+total) // so that there is no gap between colours
		c.FillPolygon(shade(float64(k)/(shades-1)), []vg.Point{{X: left, Y: low}, {X: right, Y: low}, {X: right, Y: high},
			{X: left, Y: high}})
	}
	for k := range marks + 1 {
		share := float64(k) / marks
		at := vg.Point{X: right + gap, Y: bottom + total*vg.Length(share)}
		c.FillText(small(7.5), at, strconv.FormatFloat(s.High*share*share, 'g', 3, 64))
	}
	c.FillText(small(7.5), vg.Point{X: left, Y: bottom - lineHeight}, s.Label)
}
