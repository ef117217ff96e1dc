package picture

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Rows is a panel of named rows, such as a bar chart with horizontal bars. The first row is at the top.
type Rows struct {
	Title string
	X     Axis
	Names []string
	Marks []RowMarks
}

// RowMarks is one series of a Rows panel: one value per row, such as all noisy values. Its Style decides what is drawn:
// a Fill draws bars from 0, a Line draws intervals from Low to High, a Mark draws symbols at the values.
type RowMarks struct {
	Style
	Values    []float64
	Low, High []float64
}

func (r Rows) plot(width, height vg.Length) *plot.Plot {
	p := titled(r.Title, width)
	p.Add(&rows{r})
	names := make([]string, len(r.Names))
	for i, name := range r.Names {
		names[len(names)-1-i] = name // the y axis runs upwards
	}
	low, high := r.limits()
	r.X.apply(&p.X, low, high, 0.6*width, height, false)
	Axis{Names: names}.apply(&p.Y, -0.5, float64(len(names))-0.5, height-1.2*vg.Centimeter, width, true)
	p.Y.Tick.Length = 0
	p.Y.Width = 0
	return p
}

// limits returns the limits of the axis. If they come from the values, the axis extends slightly beyond the marks.
func (r Rows) limits() (low, high float64) {
	low, high = r.X.limits(r.extent())
	if r.X.From == r.X.To {
		room := 0.02 * (high - low)
		if low != 0 {
			low -= room
		}
		if high != 0 {
			high += room
		}
	}
	return low, high
}

// extent returns the range of all finite values. If there are bars, the range includes 0.
func (r Rows) extent() (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, m := range r.Marks {
		if m.Fill != NoFill {
			low, high = min(low, 0), max(high, 0)
		}
		for _, values := range [][]float64{m.Values, m.Low, m.High} {
			for _, x := range values {
				if r.X.shows(x) {
					low, high = min(low, r.X.place(x)), max(high, r.X.place(x))
				}
			}
		}
	}
	return low, high
}

// rows draws the marks of named rows.
type rows struct{ Rows }

// DataRange returns the limits of the axis, and the range of the rows' positions.
func (r *rows) DataRange() (xmin, xmax, ymin, ymax float64) {
	xmin, xmax = r.limits()
	return xmin, xmax, -0.5, float64(len(r.Names)) - 0.5
}

// Plot draws bars, then intervals and symbols.
func (r *rows) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	edge := func(v float64) vg.Length { // a value beyond the axis is drawn at its edge
		return x(min(max(r.X.place(v), p.X.Min), p.X.Max))
	}
	half := min(0.35*(y(1)-y(0)), vg.Points(8))
	thin := draw.LineStyle{Color: lightGray, Width: vg.Points(0.4)}
	for _, t := range p.X.Tick.Marker.Ticks(p.X.Min, p.X.Max) {
		if t.Label != "" {
			c.StrokeLine2(thin, x(t.Value), c.Min.Y, x(t.Value), c.Max.Y)
		}
	}
	for _, m := range r.Marks {
		for i := range r.Names {
			at := y(float64(len(r.Names) - 1 - i))
			if m.Line != NoLine && m.Low[i] <= m.High[i] { // false if either is NaN
				style := m.lineStyle()
				style.Width = vg.Points(1.5)
				c.StrokeLine2(style, edge(m.Low[i]), at, edge(m.High[i]), at)
			}
			if m.Values == nil || !r.X.shows(m.Values[i]) {
				continue
			}
			if m.Fill != NoFill {
				c.FillPolygon(m.fill(), rectangle(edge(0), at-half, edge(m.Values[i]), at+half))
			}
			if m.Mark != NoMark {
				c.DrawGlyph(m.glyph(), vg.Point{X: edge(m.Values[i]), Y: at})
			}
		}
	}
	if !r.X.Log && p.X.Min <= 0 && p.X.Max >= 0 {
		c.StrokeLine2(draw.LineStyle{Color: colors[Gray], Width: vg.Points(0.7)}, x(0), c.Min.Y, x(0), c.Max.Y)
	}
}
