package picture

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// below draws points with their intervals at names.
type below struct{ *Panel }

// Plot draws them.
func (b below) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	half := min(0.35*(y(1)-y(0)), vg.Points(8))
	for i, v := range b.Points {
		at := y(float64(len(b.Points) - 1 - i))
		c.FillPolygon(blue, []vg.Point{{X: x(0), Y: at - half}, {X: x(v.Estimate), Y: at - half},
			{X: x(v.Estimate), Y: at + half}, {X: x(0), Y: at + half}})
		if v.Low < v.High {
			c.StrokeLine2(draw.LineStyle{Color: vermilion, Width: vg.Points(1.5)}, x(v.Low), at, x(v.High), at)
		}
		if !math.IsNaN(v.Noisy) {
			c.DrawGlyph(draw.GlyphStyle{Color: vermilion, Radius: vg.Points(2), Shape: draw.CircleGlyph{}},
				vg.Point{X: x(v.Noisy), Y: at})
		}
	}
	c.StrokeLine2(draw.LineStyle{Color: gray, Width: vg.Points(0.5)}, x(0), c.Min.Y, x(0), c.Max.Y)
}

// DataRange is that of values and names.
func (b below) DataRange() (xmin, xmax, ymin, ymax float64) {
	xmin, xmax = extent(b.Points)
	return xmin, xmax, -0.5, float64(len(b.Points)) - 0.5
}

func extent(points []Point) (low, high float64) {
	for _, v := range points {
		for _, x := range []float64{v.Estimate, v.Noisy, v.Low, v.High} {
			if !math.IsNaN(x) && !math.IsInf(x, 0) {
				low, high = math.Min(low, x), math.Max(high, x)
			}
		}
	}
	if low == high {
		high = low + 1
	}
	return low, high
}

// along draws points from left to right.
type along struct{ *Panel }

// Plot draws a band, a line and points.
func (a along) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	var band, back, line []vg.Point
	for _, v := range a.Points {
		if math.IsNaN(v.Estimate) {
			continue
		}
		if v.Low < v.High {
			band, back = append(band, vg.Point{X: x(v.X), Y: y(v.High)}), append(back, vg.Point{X: x(v.X), Y: y(v.Low)})
		}
		line = append(line, vg.Point{X: x(v.X), Y: y(v.Estimate)})
	}
	slices.Reverse(back)
	if len(band) > 1 {
		c.FillPolygon(pale, append(band, back...))
	}
	c.StrokeLines(draw.LineStyle{Color: blue, Width: vg.Points(1.5)}, line)
	for _, v := range a.Points {
		if !math.IsNaN(v.Noisy) {
			c.DrawGlyph(draw.GlyphStyle{Color: vermilion, Radius: vg.Points(1.8), Shape: draw.CircleGlyph{}},
				vg.Point{X: x(v.X), Y: y(v.Noisy)})
		}
	}
}

// DataRange is that of the points.
func (a along) DataRange() (xmin, xmax, ymin, ymax float64) {
	xmin, xmax = math.Inf(1), math.Inf(-1)
	for _, v := range a.Points {
		xmin, xmax = math.Min(xmin, v.X), math.Max(xmax, v.X)
	}
	if !(xmin < xmax) {
		xmin, xmax = 0, 1
	}
	ymin, ymax = extent(a.Points)
	return xmin, xmax, ymin, ymax
}

// shading draws cells or places as colours.
type shading struct{ *Panel }

// Plot draws them, the largest last.
func (s shading) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	if s.Round {
		x, y = s.scaled(c)
	}
	roads := slices.Clone(s.Roads)
	slices.SortStableFunc(roads, func(a, b Road) int { return cmp.Compare(a.Value, b.Value) })
	for _, r := range roads {
		c.StrokeLine2(draw.LineStyle{Color: s.Scale.colour(r.Value), Width: vg.Points(0.5 + 1.5*s.Scale.share(r.Value))},
			x(r.From[0]), y(r.From[1]), x(r.To[0]), y(r.To[1]))
	}
	cells := slices.Clone(s.Shades)
	slices.SortStableFunc(cells, func(a, b Shade) int {
		switch {
		case a.Value < b.Value:
			return -1
		case a.Value > b.Value:
			return 1
		}
		return 0
	})
	for _, v := range cells {
		colour := s.Scale.colour(v.Value)
		if s.Round {
			c.DrawGlyph(draw.GlyphStyle{Color: colour, Radius: vg.Points(0.5 + 1.1*s.Scale.share(v.Value)),
				Shape: draw.CircleGlyph{}}, vg.Point{X: x(v.X), Y: y(v.Y)})
			continue
		}
		c.FillPolygon(colour, []vg.Point{{X: x(v.X - 0.5), Y: y(v.Y - 0.5)}, {X: x(v.X + 0.5), Y: y(v.Y - 0.5)},
			{X: x(v.X + 0.5), Y: y(v.Y + 0.5)}, {X: x(v.X - 0.5), Y: y(v.Y + 0.5)}})
	}
}

// scaled maps places to the canvas, with the aspect of the map.
func (s shading) scaled(c draw.Canvas) (x, y func(float64) vg.Length) {
	xmin, xmax, ymin, ymax := s.DataRange()
	aspect := s.Aspect
	if aspect == 0 {
		aspect = 1
	}
	const room = 0.96
	each := room * math.Min(float64(c.Max.X-c.Min.X)/math.Max(xmax-xmin, 1e-9),
		float64(c.Max.Y-c.Min.Y)/math.Max((ymax-ymin)*aspect, 1e-9))
	middle := c.Center()
	x = func(v float64) vg.Length { return middle.X + vg.Length(each*(v-(xmin+xmax)/2)) }
	y = func(v float64) vg.Length { return middle.Y + vg.Length(each*aspect*(v-(ymin+ymax)/2)) }
	return x, y
}

// DataRange is that of the places.
func (s shading) DataRange() (xmin, xmax, ymin, ymax float64) {
	xmin, xmax, ymin, ymax = math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	for _, v := range s.Shades {
		xmin, xmax, ymin, ymax = math.Min(xmin, v.X), math.Max(xmax, v.X), math.Min(ymin, v.Y), math.Max(ymax, v.Y)
	}
	if s.Round || len(s.Shades) == 0 {
		return xmin, xmax, ymin, ymax
	}
	return xmin - 0.5, xmax + 0.5, ymin - 0.5, ymax + 0.5
}
