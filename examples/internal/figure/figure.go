// Package figure draws the figures of the examples with gonum/plot: charts with lines and error bars, and maps of a
// street network, side by side, as PNG and SVG.
package figure

import (
	"bytes"
	"fmt"
	"image/color"
	"image/png"
	"os"
	"path/filepath"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Figure is one or more panels in rows.
type Figure struct {
	// Panels are drawn row by row.
	Panels []Panel
	// Columns is the number of panels in a row. If it is 0, all panels are in one row.
	Columns int
	// Width and Height are those of one panel, in centimetres. If they are 0, they are 8 and 6.
	Width, Height float64
	// Keys are the entries of the key below the panels. There is no key if it is empty.
	Keys []Key
	// Note is a line of small print at the bottom that says what the figure shows.
	Note string
}

// Panel is one panel of a figure.
type Panel interface {
	// plot returns the panel, ready to be drawn.
	plot() (*plot.Plot, error)
}

const (
	dotsPerInch = 150
	margin      = 0.2 * vg.Centimeter
)

// Save writes NAME.png and NAME.svg into the folder dir.
func (f Figure) Save(dir, name string) error {
	width, height := f.size()
	picture := vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(dotsPerInch))
	if err := f.draw(draw.New(picture)); err != nil {
		return fmt.Errorf("figure %s: %w", name, err)
	}
	var out bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&out, picture.Image()); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, name+".png"), out.Bytes(), 0o600); err != nil {
		return err
	}
	drawing := vgsvg.NewWith(vgsvg.UseWH(width, height), vgsvg.EmbedFonts(true))
	if err := f.draw(draw.New(drawing)); err != nil {
		return fmt.Errorf("figure %s: %w", name, err)
	}
	out.Reset()
	if _, err := drawing.WriteTo(&out); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, name+".svg"), out.Bytes(), 0o600)
}

// grid returns the number of rows and columns.
func (f Figure) grid() (rows, columns int) {
	columns = f.Columns
	if columns < 1 {
		columns = max(len(f.Panels), 1)
	}
	return (len(f.Panels) + columns - 1) / columns, columns
}

func (f Figure) size() (width, height vg.Length) {
	w, h := f.Width, f.Height
	if w == 0 {
		w = 8
	}
	if h == 0 {
		h = 6
	}
	rows, columns := f.grid()
	width = vg.Length(columns) * vg.Length(w) * vg.Centimeter
	return width, vg.Length(rows)*vg.Length(h)*vg.Centimeter + f.below(width)
}

// below returns the height of the area below the panels.
func (f Figure) below(width vg.Length) vg.Length {
	height := f.keyHeight(width)
	if f.Note != "" {
		height += noteHeight
	}
	return height
}

func (f Figure) draw(all draw.Canvas) error {
	width := all.Max.X - all.Min.X
	panels := draw.Crop(all, margin, -margin, f.below(width)+margin, -margin)
	rows, columns := f.grid()
	plots := make([][]*plot.Plot, rows)
	for r := range plots {
		plots[r] = make([]*plot.Plot, columns)
	}
	for i, p := range f.Panels {
		var err error
		if plots[i/columns][i%columns], err = p.plot(); err != nil {
			return err
		}
	}
	tiles := draw.Tiles{Rows: rows, Cols: columns, PadX: 2 * margin, PadY: 2 * margin}
	for r, canvases := range plot.Align(plots, tiles, panels) {
		for c, canvas := range canvases {
			if plots[r][c] != nil {
				plots[r][c].Draw(canvas)
			}
		}
	}
	f.drawKeys(all)
	f.drawNote(all)
	return nil
}

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
