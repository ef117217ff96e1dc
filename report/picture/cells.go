package picture

import (
	"image"
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Cells is a panel of a heat map. Both axes have names. The first row is at the top. If Up is true, it is at the
// bottom, as for rows of a geographic grid, which are counted from the south.
type Cells struct {
	Title string
	X, Y  Axis
	Up    bool
	Cells []Cell
	Scale Scale
}

// Cell is the value of the cell in column X and row Y, both counted from 0.
type Cell struct {
	X, Y  int
	Value float64
}

// maxShapes is the maximum number of cells that are drawn as separate shapes. If there are more, all are drawn as one
// image.
const maxShapes = 2500

func (m Cells) plot(width, height vg.Length) *plot.Plot {
	p := titled(m.Title, width)
	p.Add(&cells{m})
	y := m.Y
	if !m.Up {
		y.Names = make([]string, len(m.Y.Names))
		for i, name := range m.Y.Names {
			y.Names[len(y.Names)-1-i] = name
		}
	}
	m.X.apply(&p.X, -0.5, float64(len(m.X.Names))-0.5, 0.75*width, height, false)
	y.apply(&p.Y, -0.5, float64(len(y.Names))-0.5, 0.7*height, width, true)
	return p
}

// cells draws the cells of a heat map.
type cells struct{ Cells }

// DataRange returns the range of the cells' positions.
func (m *cells) DataRange() (xmin, xmax, ymin, ymax float64) {
	return -0.5, float64(len(m.X.Names)) - 0.5, -0.5, float64(len(m.Y.Names)) - 0.5
}

// row returns the position of row y on the vertical axis, which runs upwards.
func (m *cells) row(y int) int {
	if m.Up {
		return y
	}
	return len(m.Y.Names) - 1 - y
}

// Plot draws each cell in its colour, with its value if there is room. A cell whose value is undefined is gray.
func (m *cells) Plot(c draw.Canvas, p *plot.Plot) {
	if len(m.Cells.Cells) > maxShapes {
		m.drawImage(c, p)
		return
	}
	x, y := p.Transforms(&c)
	wide, high := x(1)-x(0), y(1)-y(0)
	line := draw.LineStyle{Color: color.White, Width: min(vg.Points(0.5), wide/10)}
	style := letters(7.5)
	style.XAlign = draw.XCenter
	for _, v := range m.Cells.Cells {
		at := vg.Point{X: x(float64(v.X)), Y: y(float64(m.row(v.Y)))}
		corners := rectangle(at.X-wide/2, at.Y-high/2, at.X+wide/2, at.Y+high/2)
		c.FillPolygon(m.colour(v.Value), corners)
		c.StrokeLines(line, append(corners, corners[0]))
		if text := m.Scale.text(v.Value); style.Width(text) < 0.9*wide && style.Height(text) < 0.8*high {
			if style.Color = color.Black; m.Scale.share(v.Value) > 0.5 {
				style.Color = color.White
			}
			c.FillText(style, at, text)
		}
	}
}

func (m *cells) colour(value float64) color.Color {
	if math.IsNaN(value) {
		return undefined
	}
	return m.Scale.colour(value)
}

// drawImage draws the cells as one image. Each cell has many pixels, so that no viewer blurs its edges.
func (m *cells) drawImage(c draw.Canvas, p *plot.Plot) {
	columns, rows := len(m.X.Names), len(m.Y.Names)
	each := max(1, 1000/max(columns, rows))
	picture := image.NewRGBA(image.Rect(0, 0, columns*each, rows*each))
	for _, v := range m.Cells.Cells {
		colour := m.colour(v.Value)
		for i := range each * each {
			picture.Set(v.X*each+i%each, (rows-1-m.row(v.Y))*each+i/each, colour)
		}
	}
	x, y := p.Transforms(&c)
	c.DrawImage(vg.Rectangle{Min: vg.Point{X: x(-0.5), Y: y(-0.5)},
		Max: vg.Point{X: x(float64(columns) - 0.5), Y: y(float64(rows) - 0.5)}}, picture)
}
