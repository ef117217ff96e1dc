package figure

import (
	"image/color"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Key is the name of a line, and its style.
type Key struct {
	Name string
	Style
}

const (
	sampleWidth = 0.8 * vg.Centimeter
	lineHeight  = 0.45 * vg.Centimeter
	noteHeight  = 0.4 * vg.Centimeter
	gap         = 0.15 * vg.Centimeter
)

func small(points float64) text.Style {
	return text.Style{Color: color.Black, Font: face(points), XAlign: draw.XLeft, YAlign: draw.YCenter, Handler: handler}
}

// width returns the width of a key, including the space after it.
func (k Key) width() vg.Length { return sampleWidth + gap + small(8).Width(k.Name) + 4*gap }

// keyRows breaks the keys into rows that fit into width.
func (f Figure) keyRows(width vg.Length) (rows [][]Key) {
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

func (f Figure) keyHeight(width vg.Length) vg.Length {
	if len(f.Keys) == 0 {
		return 0
	}
	return vg.Length(len(f.keyRows(width)))*lineHeight + margin
}

// drawKeys draws each row of keys, centred.
func (f Figure) drawKeys(all draw.Canvas) {
	width := all.Max.X - all.Min.X
	y := all.Min.Y + f.below(width) - lineHeight/2
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
}

func (k Key) draw(c draw.Canvas, at vg.Point) {
	if k.Line > 0 {
		c.StrokeLine2(k.lineStyle(), at.X, at.Y, at.X+sampleWidth, at.Y)
	}
	if k.Mark > 0 {
		c.DrawGlyph(k.glyph(), vg.Point{X: at.X + sampleWidth/2, Y: at.Y})
	}
	c.FillText(small(8), vg.Point{X: at.X + sampleWidth + gap, Y: at.Y}, k.Name)
}

func (f Figure) drawNote(all draw.Canvas) {
	if f.Note == "" {
		return
	}
	style := small(6.5)
	style.Color = color.Gray{Y: 90}
	style.XAlign = draw.XCenter
	c := all.Center()
	all.FillText(style, vg.Point{X: c.X, Y: all.Min.Y + noteHeight/2}, f.Note)
}
