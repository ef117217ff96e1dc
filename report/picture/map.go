package picture

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Map is a panel of places on a map. Without Roads, each place is a point with the colour of its value. With Roads,
// each road has the colour of the mean value of its two places.
type Map struct {
	Title        string
	X, Y, Values []float64
	// Roads lists pairs of indices of places.
	Roads [][2]int
	// Aspect is the length of a unit of Y, measured in units of X; 0 means 1.
	Aspect float64
	// Kilometre is the length of a kilometre in units of X, for the scale bar; 0 means no scale bar.
	Kilometre float64
	Scale     Scale
}

// shades is the number of different colours on a map.
const shades = 32

func (m Map) plot(width, _ vg.Length) *plot.Plot {
	p := titled(m.Title, width)
	p.HideAxes()
	p.Add(&places{m})
	return p
}

type places struct{ Map }

// DataRange returns the range of the places.
func (m *places) DataRange() (xmin, xmax, ymin, ymax float64) {
	xmin, xmax, ymin, ymax = math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	for i, x := range m.X {
		xmin, xmax, ymin, ymax = min(xmin, x), max(xmax, x), min(ymin, m.Y[i]), max(ymax, m.Y[i])
	}
	return xmin, xmax, ymin, ymax
}

// Plot draws the places in the order of their shades, the largest values last. All roads of a shade are one path, which
// keeps the file short.
func (m *places) Plot(c draw.Canvas, _ *plot.Plot) {
	if len(m.X) == 0 {
		return
	}
	x, y, each := m.positions(c)
	at := func(i int) vg.Point { return vg.Point{X: x(m.X[i]), Y: y(m.Y[i])} }
	shade := func(value float64) int { return min(int(m.Scale.share(value)*shades), shades-1) }
	size := func(k int) float64 { return float64(k) / (shades - 1) }
	paths := make([]vg.Path, shades)
	for _, r := range m.Roads {
		k := shade((max(m.Values[r[0]], 0) + max(m.Values[r[1]], 0)) / 2)
		paths[k].Move(at(r[0]))
		paths[k].Line(at(r[1]))
	}
	if len(m.Roads) == 0 {
		least, more := vg.Points(1.5), vg.Points(2.5)
		if len(m.X) > 800 {
			least, more = vg.Points(0.5), vg.Points(1.2)
		}
		for i, v := range m.Values {
			k := shade(v)
			radius := least + vg.Length(size(k))*more
			paths[k].Move(vg.Point{X: at(i).X + radius, Y: at(i).Y})
			paths[k].Arc(at(i), radius, 0, 2*math.Pi)
			paths[k].Close()
		}
	}
	wide := min((c.Max.X-c.Min.X)/(8*vg.Centimeter), 1) // the lines of a small map are thin
	c.SetLineDash(nil, 0)
	for k, path := range paths {
		if len(path) == 0 {
			continue
		}
		c.SetColor(m.Scale.colour(m.Scale.at((float64(k) + 0.5) / shades)))
		if len(m.Roads) == 0 {
			c.Fill(path)
			continue
		}
		c.SetLineWidth(wide * vg.Points(0.5+1.3*size(k)))
		c.Stroke(path)
	}
	m.scaleBar(c, each)
}

// positions returns functions that convert coordinates to positions on the canvas, and the length on the canvas of a
// unit of X.
func (m *places) positions(c draw.Canvas) (x, y func(float64) vg.Length, each vg.Length) {
	xmin, xmax, ymin, ymax := m.DataRange()
	aspect := m.Aspect
	if aspect == 0 {
		aspect = 1
	}
	const room = 0.96
	scale := room * min(float64(c.Max.X-c.Min.X)/max(xmax-xmin, 1e-9), float64(c.Max.Y-c.Min.Y)/max((ymax-ymin)*aspect,
		1e-9))
	middle := c.Center()
	x = func(v float64) vg.Length { return middle.X + vg.Length(scale*(v-(xmin+xmax)/2)) }
	y = func(v float64) vg.Length { return middle.Y + vg.Length(scale*aspect*(v-(ymin+ymax)/2)) }
	return x, y, vg.Length(scale)
}

// scaleBar draws a scale bar of a round length in the south-east corner.
func (m *places) scaleBar(c draw.Canvas, each vg.Length) {
	kilometre := each * vg.Length(m.Kilometre)
	if m.Kilometre == 0 || len(m.X) < 2 {
		return
	}
	most := float64(0.25 * (c.Max.X - c.Min.X) / kilometre)
	long := math.Pow(10, math.Floor(math.Log10(most)))
	for _, more := range []float64{5, 2} {
		if more*long <= most {
			long *= more
			break
		}
	}
	text := Number(long) + " km"
	if long < 1 {
		text = Number(1000*long) + " m"
	}
	width, y := vg.Length(long)*kilometre, c.Min.Y+0.2*vg.Centimeter
	right := c.Max.X - 0.2*vg.Centimeter
	c.StrokeLine2(draw.LineStyle{Color: colors[Black], Width: vg.Points(1)}, right-width, y, right, y)
	style := letters(8)
	style.XAlign, style.YAlign = draw.XCenter, draw.YBottom
	c.FillText(style, vg.Point{X: right - width/2, Y: y + vg.Points(2)}, text)
}
