package figure

import (
	"math"

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

// Axis is one of the axes of a chart.
type Axis struct {
	Label string
	Log   bool
	// From and To are the limits. If both are 0, they are those of the lines.
	From, To float64
}

// Line is a curve. Points that are not finite, or not positive on a logarithmic axis, are left out.
type Line struct {
	Style
	X, Y []float64
	// Errors are standard errors of Y, or nil if there are none. Bars extend two of them up and down.
	Errors []float64
}

func (c Chart) plot() (*plot.Plot, error) {
	p := plot.New()
	p.Title.Text = c.Title
	p.Title.TextStyle.Font = face(9.5)
	p.Title.TextStyle.Handler = handler
	p.Title.Padding = vg.Points(4)
	c.X.apply(&p.X)
	c.Y.apply(&p.Y)
	grid := plotter.NewGrid()
	grid.Vertical.Color, grid.Horizontal.Color = lightGray, lightGray
	grid.Vertical.Width, grid.Horizontal.Width = vg.Points(0.4), vg.Points(0.4)
	p.Add(grid)
	for _, l := range c.Lines {
		if err := c.addLine(p, l); err != nil {
			return nil, err
		}
	}
	c.X.limit(&p.X)
	c.Y.limit(&p.Y)
	return p, nil
}

// points returns the points of a line that can be drawn, with their errors.
type points struct {
	plotter.XYs
	plotter.YErrors
}

func (c Chart) points(l Line) (p points) {
	for i, x := range l.X {
		y := l.Y[i]
		if !c.X.shows(x) || !c.Y.shows(y) {
			continue
		}
		at := c.Y.place(y)
		p.XYs = append(p.XYs, plotter.XY{X: c.X.place(x), Y: at})
		if l.Errors != nil {
			e := 2 * l.Errors[i]
			low := y - e
			if c.Y.Log {
				low = max(low, y/10)
			}
			p.YErrors = append(p.YErrors, struct{ Low, High float64 }{at - c.Y.place(low), c.Y.place(y+e) - at})
		}
	}
	return p
}

func (c Chart) addLine(p *plot.Plot, l Line) error {
	data := c.points(l)
	if len(data.XYs) == 0 {
		return nil
	}
	if l.Line != NoLine {
		line, err := plotter.NewLine(data.XYs)
		if err != nil {
			return err
		}
		line.LineStyle = l.lineStyle()
		p.Add(line)
	}
	if l.Errors != nil {
		bars, err := plotter.NewYErrorBars(data)
		if err != nil {
			return err
		}
		bars.LineStyle = draw.LineStyle{Color: colors[l.Color], Width: vg.Points(0.7)}
		bars.CapWidth = vg.Points(3)
		p.Add(bars)
	}
	if l.Mark == NoMark {
		return nil
	}
	marks, err := plotter.NewScatter(data.XYs)
	if err != nil {
		return err
	}
	marks.GlyphStyle = l.glyph()
	p.Add(marks)
	return nil
}

// shows reports whether x can be drawn on the axis.
func (a Axis) shows(x float64) bool {
	return !math.IsNaN(x) && !math.IsInf(x, 0) && (!a.Log || x > 0)
}

func (a Axis) apply(to *plot.Axis) {
	to.Label.Text = a.Label
	to.Label.TextStyle.Font = face(9)
	to.Label.TextStyle.Handler = handler
	to.Label.Padding = vg.Points(2)
	to.Tick.Label.Font = face(8)
	to.Tick.Label.Handler = handler
	to.Tick.Length = vg.Points(4)
	to.Padding = 0
	if a.Log {
		to.Tick.Marker = decades{}
	}
}

// place returns the position of x on the axis: its decimal logarithm if the axis is logarithmic.
func (a Axis) place(x float64) float64 {
	if a.Log {
		return math.Log10(x)
	}
	return x
}

// limit sets the limits again, because adding lines may have changed them.
func (a Axis) limit(to *plot.Axis) {
	switch {
	case a.From != a.To:
		to.Min, to.Max = a.place(a.From), a.place(a.To)
	case to.Min > to.Max: // no points
		to.Min, to.Max = 0, 1
	}
}
