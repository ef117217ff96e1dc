package picture

import (
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Chart is a panel with lines.
type Chart struct {
	Title string
	X, Y  Axis
	Lines []Line
}

// Line is a curve. Points that are not finite, or not positive on a logarithmic axis, are left out: the line and its
// band have a gap there.
type Line struct {
	Style
	X, Y []float64
	// Errors are the standard errors of Y; nil if there are none. An error bar extends two of them up and down.
	Errors []float64
	// Low and High are the edges of a band around the line, in the style Band; nil if there is no band.
	Low, High []float64
	Band      Color
}

func (c Chart) plot(width, height vg.Length) *plot.Plot {
	p := titled(c.Title, width)
	grid := plotter.NewGrid()
	grid.Vertical.Color, grid.Horizontal.Color = lightGray, lightGray
	grid.Vertical.Width, grid.Horizontal.Width = vg.Points(0.4), vg.Points(0.4)
	p.Add(grid, &lines{c})
	xmin, xmax, ymin, ymax := (&lines{c}).DataRange()
	xmin, xmax = c.X.limits(xmin, xmax)
	ymin, ymax = c.Y.limits(ymin, ymax)
	c.X.apply(&p.X, xmin, xmax, 0.8*width, height, false)
	c.Y.apply(&p.Y, ymin, ymax, 0.75*height, width, true)
	return p
}

// titled returns an empty plot with a title that fits into width.
func titled(title string, width vg.Length) *plot.Plot {
	p := plot.New()
	p.Title.TextStyle.Handler, p.Title.Padding = handler, vg.Points(4)
	width -= 2 * margin
	for size := 9.5; size >= 6; size -= 0.5 { // make the letters smaller before cutting the title
		if p.Title.TextStyle.Font = face(size); p.Title.TextStyle.Width(title) <= width {
			break
		}
	}
	p.Title.Text = fit(p.Title.TextStyle, title, width)
	return p
}

type lines struct{ Chart }

// position returns the position of a point on the chart's axes; ok is false if the point cannot be drawn.
func (c Chart) position(x, y float64) (at plotter.XY, ok bool) {
	if !c.X.shows(x) || !c.Y.shows(y) {
		return at, false
	}
	return plotter.XY{X: c.X.place(x), Y: c.Y.place(y)}, true
}

// DataRange returns the range of all points, error bars and finite bands.
func (l *lines) DataRange() (xmin, xmax, ymin, ymax float64) {
	xmin, xmax, ymin, ymax = math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	for _, line := range l.Lines {
		for i, x := range line.X {
			for _, y := range line.heights(i, l.Y.Log) {
				if at, ok := l.position(x, y); ok {
					xmin, xmax, ymin, ymax = min(xmin, at.X), max(xmax, at.X), min(ymin, at.Y), max(ymax, at.Y)
				}
			}
		}
	}
	return xmin, xmax, ymin, ymax
}

// heights returns the heights at which point i is drawn: Y, the ends of its error bar and the edges of its band.
func (l *Line) heights(i int, log bool) []float64 {
	out := []float64{l.Y[i]}
	if l.Errors != nil {
		low := l.Y[i] - 2*l.Errors[i]
		if log {
			low = max(low, l.Y[i]/10)
		}
		out = append(out, low, l.Y[i]+2*l.Errors[i])
	}
	if l.Low != nil {
		out = append(out, l.Low[i], l.High[i])
	}
	return out
}

// Plot draws bands, then lines, error bars and marks.
func (l *lines) Plot(c draw.Canvas, p *plot.Plot) {
	for i := range l.Lines {
		l.band(c, p, &l.Lines[i])
	}
	x, y := p.Transforms(&c)
	for i := range l.Lines {
		line := &l.Lines[i]
		var points []vg.Point // the points of all pieces
		var pieces [][]vg.Point
		gap := true
		for k := range line.X {
			at, ok := l.position(line.X[k], line.Y[k])
			if !ok {
				gap = true
				continue
			}
			points = append(points, vg.Point{X: x(bounded(at.X, &p.X)), Y: y(bounded(at.Y, &p.Y))})
			pieces, gap = extended(pieces, gap, points[len(points)-1]), false
			if line.Errors == nil {
				continue
			}
			thin := draw.LineStyle{Color: colors[line.Color], Width: vg.Points(0.7)}
			ends := line.heights(k, l.Y.Log)[1:3]
			low, high := y(bounded(l.Y.place(ends[0]), &p.Y)), y(bounded(l.Y.place(ends[1]), &p.Y))
			here, half := points[len(points)-1].X, vg.Points(1.5)
			c.StrokeLine2(thin, here, low, here, high)
			c.StrokeLine2(thin, here-half, low, here+half, low)
			c.StrokeLine2(thin, here-half, high, here+half, high)
		}
		if line.Line != NoLine {
			for _, piece := range pieces {
				c.StrokeLines(line.lineStyle(), c.ClipLinesXY(thinned(piece))...)
				if len(piece) == 1 && line.Mark == NoMark && c.Contains(piece[0]) { // a line of one point would be invisible
					c.DrawGlyph(Style{Color: line.Color, Mark: Circle}.glyph(), piece[0])
				}
			}
		}
		if line.Mark == NoMark {
			continue
		}
		points = thinned(points)
		glyph := line.glyph()
		if len(points) > 200 {
			glyph.Radius /= 2
		}
		for _, at := range points {
			if c.Contains(at) {
				c.DrawGlyph(glyph, at)
			}
		}
	}
}

// extended appends a point to the last piece of a line, or to a new one after a gap.
func extended(pieces [][]vg.Point, gap bool, at vg.Point) [][]vg.Point {
	if gap {
		return append(pieces, []vg.Point{at})
	}
	pieces[len(pieces)-1] = append(pieces[len(pieces)-1], at)
	return pieces
}

// band draws the area between the edges of a line. The band of a single point is as wide as an error bar.
func (l *lines) band(c draw.Canvas, p *plot.Plot, line *Line) {
	x, y := p.Transforms(&c)
	var above, below [][]vg.Point
	gap := true
	for i := range line.Low {
		if !(line.Low[i] <= line.High[i]) || !l.X.shows(line.X[i]) {
			gap = true
			continue
		}
		at := x(bounded(l.X.place(line.X[i]), &p.X))
		above = extended(above, gap, vg.Point{X: at, Y: y(bounded(l.Y.place(line.High[i]), &p.Y))})
		below = extended(below, gap, vg.Point{X: at, Y: y(bounded(l.Y.place(line.Low[i]), &p.Y))})
		gap = false
	}
	fill := Style{Color: line.Band, Fill: Pale}.fill()
	for i := range above {
		if len(above[i]) == 1 {
			high, low, half := above[i][0], below[i][0], vg.Points(1.5)
			c.FillPolygon(fill, rectangle(high.X-half, low.Y, high.X+half, high.Y))
			continue
		}
		edge := thinned(below[i])
		slices.Reverse(edge)
		c.FillPolygon(fill, append(thinned(above[i]), edge...))
	}
}

// bounded returns a position that gonum can draw: a position far outside of the axis, even at infinity, is moved near
// its end, and NaN to its start.
func bounded(x float64, a *plot.Axis) float64 {
	span := a.Max - a.Min
	if math.IsNaN(x) {
		return a.Min
	}
	return min(max(x, a.Min-span), a.Max+span)
}

// maxPoints is the maximum number of points of a line that are drawn. It exceeds the pixel columns of a picture.
const maxPoints = 4000

// thinned returns at most maxPoints points. If there are more, it keeps the lowest and the highest of each group of
// neighbouring points.
func thinned(points []vg.Point) []vg.Point {
	if len(points) <= maxPoints {
		return points
	}
	each := (2*len(points) + maxPoints - 1) / maxPoints
	var out []vg.Point
	for group := range slices.Chunk(points, each) {
		low, high := 0, 0
		for i, at := range group {
			if at.Y < group[low].Y {
				low = i
			}
			if at.Y > group[high].Y {
				high = i
			}
		}
		out = append(out, group[min(low, high)], group[max(low, high)])
	}
	return out
}
