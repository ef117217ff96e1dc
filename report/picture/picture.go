// Package picture draws the pictures of releases, plans, examples and benchmarks as SVG, PNG or PDF, with gonum/plot.
// A [Figure] is one or more panels: a [Chart] of lines, named [Rows], [Cells] of a heat map, or a [Map] of places.
//
// Values that are not finite have no mark. Marks beyond the axis end at its edge, since drawing a line to infinity
// would take forever.
package picture

import (
	"bytes"
	"errors"
	"fmt"
	"html"
	"image/color"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Figure is one or more panels in a grid, with a title above them and the legend below.
type Figure struct {
	Title string
	// Panels are drawn row by row.
	Panels []Panel
	// Columns is the number of panels in a row. If it is 0, all panels are in one row.
	Columns int
	// Width and Height are the size of one panel in centimetres; 0 means 8 by 6.
	Width, Height float64
	// Keys are the legend of the marks; Ramp is the legend of the colours of cells and places. Each is nil if there is
	// none.
	Keys []Key
	Ramp *Ramp
	// Note is a line of small print at the bottom.
	Note string
}

// Panel is one panel of a figure.
type Panel interface {
	// plot returns the panel, laid out for an area of the given size.
	plot(width, height vg.Length) *plot.Plot
}

// ErrFormat is the error for an unknown format.
var ErrFormat = errors.New("a picture is svg, png or pdf")

const (
	dotsPerInch = 150
	margin      = 0.2 * vg.Centimeter
	titleHeight = 0.9 * vg.Centimeter
	lineHeight  = 0.45 * vg.Centimeter
	noteHeight  = 0.4 * vg.Centimeter
	gap         = 0.15 * vg.Centimeter
)

// Write draws the figure in a format: svg, png or pdf.
func (f *Figure) Write(w io.Writer, format string) error {
	width, height := f.size()
	var canvas interface {
		vg.CanvasSizer
		io.WriterTo
	}
	switch format {
	case "svg":
		canvas = vgsvg.NewWith(vgsvg.UseWH(width, height), vgsvg.EmbedFonts(false))
	case "png":
		canvas = vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(dotsPerInch),
			vgimg.UseBackgroundColor(color.White))}
	case "pdf":
		canvas = vgpdf.New(width, height)
	default:
		return ErrFormat
	}
	if format == "svg" {
		f.draw(draw.New(canvas))
		return writeSVG(w, canvas)
	}
	f.draw(draw.New(visual{canvas}))
	_, err := canvas.WriteTo(w)
	return err
}

// Missing returns the letters of the figure's texts that PNG and PDF leave blank, in the order of their codes: the font
// of these formats has Latin, Greek, Cyrillic and Hebrew letters only. An SVG is drawn with the fonts of its reader.
func (f *Figure) Missing() string {
	var drawn recorder.Canvas
	width, height := f.size()
	f.draw(draw.NewCanvas(&drawn, width, height))
	font := handler.Fonts.Lookup(face(8), 8).Face
	missing := map[rune]bool{}
	for _, action := range drawn.Actions {
		text, ok := action.(*recorder.FillString)
		if !ok {
			continue
		}
		for _, r := range visualOrder(text.String) {
			if glyph, err := font.GlyphIndex(nil, r); err == nil && glyph == 0 {
				missing[r] = true
			}
		}
	}
	return string(slices.Sorted(maps.Keys(missing)))
}

// svgText matches a text element of gonum's SVG, to find its attributes, its font size and its escaped text.
var svgText = regexp.MustCompile(`(<text [^>]*)style="font-family:Liberation Sans;(font-variant:normal;font-weight:` +
	`normal;font-style:normal;font-size:([0-9.]+)px)">([^<]*)</text>`)

// writeSVG replaces the font by fonts that the reader may have: Arial and Helvetica have the widths of Liberation Sans.
// An embedded font would take half a megabyte. A device that has none of them, such as many phones, uses a wider font,
// and labels would overlap the axis: so each text states the length that it must fill.
func writeSVG(w io.Writer, canvas io.WriterTo) error {
	var b bytes.Buffer
	if _, err := canvas.WriteTo(&b); err != nil {
		return err
	}
	_, err := w.Write(svgText.ReplaceAllFunc(b.Bytes(), func(found []byte) []byte {
		part := svgText.FindSubmatch(found)
		size, err := strconv.ParseFloat(string(part[3]), 64)
		if err != nil || len(part[4]) == 0 {
			return found
		}
		width, _, _ := handler.Box(html.UnescapeString(string(part[4])), face(size))
		return fmt.Appendf(nil, `%stextLength="%.5g" lengthAdjust="spacingAndGlyphs" style="font-family:`+
			`'Liberation Sans',Arial,Helvetica,sans-serif;%s">%s</text>`, part[1], width.Points(), part[2], part[4])
	}))
	return err
}

// grid returns the number of rows and columns.
func (f *Figure) grid() (rows, columns int) {
	columns = f.Columns
	if columns < 1 {
		columns = max(len(f.Panels), 1)
	}
	return (len(f.Panels) + columns - 1) / columns, columns
}

// panelSize returns the size of a panel.
func (f *Figure) panelSize() (width, height vg.Length) {
	width, height = 8*vg.Centimeter, 6*vg.Centimeter
	if f.Width > 0 {
		width = vg.Length(f.Width) * vg.Centimeter
	}
	if f.Height > 0 {
		height = vg.Length(f.Height) * vg.Centimeter
	}
	return width, height
}

func (f *Figure) size() (width, height vg.Length) {
	rows, columns := f.grid()
	w, h := f.panelSize()
	width = vg.Length(columns) * w
	return width, vg.Length(rows)*h + f.above() + f.below(width)
}

// Dots returns the size of the figure in pixels, 96 for each inch.
func (f *Figure) Dots() (width, height int) {
	w, h := f.size()
	return int(w / vg.Inch * 96), int(h / vg.Inch * 96)
}

// above returns the height of the area above the panels, for the title.
func (f *Figure) above() vg.Length {
	if f.Title == "" {
		return 0
	}
	return titleHeight
}

// below returns the height of the area below the panels.
func (f *Figure) below(width vg.Length) (height vg.Length) {
	if rows := len(f.keyRows(width)); rows > 0 {
		height += vg.Length(rows)*lineHeight + margin
	}
	if f.Ramp != nil {
		height += 2*lineHeight + margin
	}
	if f.Note != "" {
		height += noteHeight
	}
	return height
}

func (f *Figure) draw(all draw.Canvas) {
	width, middle := all.Max.X-all.Min.X, all.Center().X
	if f.Title != "" {
		style := letters(11)
		style.XAlign = draw.XCenter
		all.FillText(style, vg.Point{X: middle, Y: all.Max.Y - titleHeight/2}, fit(style, f.Title, width-2*margin))
	}
	rows, columns := f.grid()
	plots := make([][]*plot.Plot, rows)
	for r := range plots {
		plots[r] = make([]*plot.Plot, columns)
	}
	w, h := f.panelSize()
	for i, p := range f.Panels {
		plots[i/columns][i%columns] = p.plot(w, h)
	}
	var left vg.Length
	for _, row := range plots {
		left = max(left, overhang(row[0], w-2*margin, h-2*margin))
	}
	panels := draw.Crop(all, margin+left, -margin, f.below(width)+margin, -margin-f.above())
	tiles := draw.Tiles{Rows: rows, Cols: columns, PadX: 2 * margin, PadY: 2 * margin}
	for r, canvases := range plot.Align(plots, tiles, panels) {
		for c, canvas := range canvases {
			if plots[r][c] != nil {
				plots[r][c].Draw(canvas)
			}
		}
	}
	y := f.drawKeys(all, all.Min.Y+f.below(width)-lineHeight/2)
	if f.Ramp != nil {
		f.Ramp.draw(all, y)
	}
	if f.Note != "" {
		style := letters(6.5)
		style.Color, style.XAlign = color.Gray{Y: 90}, draw.XCenter
		all.FillText(style, vg.Point{X: middle, Y: all.Min.Y + noteHeight/2}, f.Note)
	}
}

// overhang returns by how much a panel of the given size must be narrower, so that the labels of its horizontal axis
// end inside the picture on the left. Gonum leaves room for them on the right alone.
func overhang(p *plot.Plot, width, height vg.Length) (left vg.Length) {
	area := p.DataCanvas(draw.Canvas{Rectangle: vg.Rectangle{Max: vg.Point{X: width, Y: height}}})
	for _, t := range p.X.Tick.Marker.Ticks(p.X.Min, p.X.Max) {
		place := p.X.Norm(t.Value)
		if t.IsMinor() || place < 0 || place >= 1 {
			continue
		}
		outside := -margin/2 - area.X(place) - p.X.Tick.Label.Rectangle(t.Label).Min.X
		left = max(left, outside/vg.Length(1-place)) // the place moves, too: a narrower panel has it further left
	}
	return left
}
