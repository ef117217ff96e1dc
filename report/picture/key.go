package picture

import (
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Key is an entry of the legend: a mark and its name.
type Key struct {
	Name string
	Style
}

// Ramp is the legend of a colour scale.
type Ramp struct {
	Label string
	Scale Scale
}

const (
	sampleWidth = 0.8 * vg.Centimeter
	widestRamp  = 6 * vg.Centimeter
)

// width returns the width of a key, including the space after it.
func (k Key) width() vg.Length { return sampleWidth + gap + letters(8).Width(k.Name) + 4*gap }

func (k Key) draw(c draw.Canvas, at vg.Point) {
	switch half := 0.1 * vg.Centimeter; {
	case k.Fill != NoFill:
		c.FillPolygon(k.fill(), rectangle(at.X, at.Y-half, at.X+sampleWidth, at.Y+half))
	case k.Line != NoLine:
		c.StrokeLine2(k.lineStyle(), at.X, at.Y, at.X+sampleWidth, at.Y)
	}
	if k.Mark != NoMark {
		c.DrawGlyph(k.glyph(), vg.Point{X: at.X + sampleWidth/2, Y: at.Y})
	}
	c.FillText(letters(8), vg.Point{X: at.X + sampleWidth + gap, Y: at.Y}, k.Name)
}

// keyRows breaks the keys into rows that fit into width.
func (f *Figure) keyRows(width vg.Length) (rows [][]Key) {
	left := vg.Length(0)
	for _, k := range f.Keys {
		if len(rows) == 0 || left < k.width() {
			rows = append(rows, nil)
			left = width - 2*margin
		}
		rows[len(rows)-1] = append(rows[len(rows)-1], k)
		left -= k.width()
	}
	return rows
}

// drawKeys draws the rows of the legend, centred, from height y downwards. It returns the height for the next line.
func (f *Figure) drawKeys(all draw.Canvas, y vg.Length) vg.Length {
	width := all.Max.X - all.Min.X
	for _, row := range f.keyRows(width) {
		total := vg.Length(0)
		for _, k := range row {
			total += k.width()
		}
		x := all.Min.X + (width-total)/2
		for _, k := range row {
			k.draw(all, vg.Point{X: x, Y: y})
			x += k.width()
		}
		y -= lineHeight
	}
	return y
}

// draw draws the colour ramp at y, centred, with numbers below it.
func (r *Ramp) draw(c draw.Canvas, y vg.Length) {
	const steps = 60
	half := 0.12 * vg.Centimeter
	words := letters(8)
	width := min(widestRamp, (c.Max.X-c.Min.X)/2)
	label := fit(words, r.Label, c.Max.X-c.Min.X-width-4*margin)
	left := c.Center().X - (width+2*gap+words.Width(label))/2
	place := func(share float64) vg.Length { return left + vg.Length(share)*width }
	for i := range steps {
		c.FillPolygon(r.Scale.colour(r.Scale.at((float64(i)+0.5)/steps)), // wider than a step: no gaps
			rectangle(place(float64(i)/steps), y-half, place(1), y+half))
	}
	number := words
	number.XAlign, number.YAlign = draw.XCenter, draw.YTop
	for _, share := range []float64{0, 0.25, 0.5, 0.75, 1} {
		c.FillText(number, vg.Point{X: place(share), Y: y - half - 1}, brief(r.Scale.at(share), 3))
	}
	c.FillText(words, vg.Point{X: place(1) + 2*gap, Y: y}, label)
}

func rectangle(left, bottom, right, top vg.Length) []vg.Point {
	return []vg.Point{{X: left, Y: bottom}, {X: right, Y: bottom}, {X: right, Y: top}, {X: left, Y: top}}
}
