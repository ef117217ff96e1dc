package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/dprelease/dprelease/pipeline/manifest"
	"github.com/dprelease/dprelease/report/picture"
)

// Figure returns the picture of a table, as the page shows it. holds is "" for the query's answer, or names a table
// computed from it, such as quantiles. It fails if there is no such table.
func Figure(m *manifest.Manifest, tables []*Table, query, holds string) (*picture.Figure, error) {
	f := factsOf(m)
	for _, t := range tables {
		if q := f.find(t.Query); q != nil && t.Query == query && t.Holds == holds {
			d := dataOf(q, t, maxRows, f)
			out := pictureFor(&d, q)
			out.Title = shown(f.title) + ": " + d.Name
			if d.isEmpty() {
				out.Note = "no cell has a value"
			}
			return out, nil
		}
	}
	return nil, fmt.Errorf("the release has no such table")
}

// figure draws the picture of one table.
type figure struct {
	d     *tableData
	query *queryFacts
	two   bool // denoising changed values, so noisy values and estimates have different marks
}

// Sizes of pictures in centimetres.
const (
	wide   = 20.0
	high   = 9.0
	row    = 0.55
	mapped = 15.0
)

// pictureFor returns the picture of a table. The picture has no title, since the page has headings.
func pictureFor(d *tableData, q *queryFacts) *picture.Figure {
	g := &figure{d: d, query: q}
	g.two = g.differs()
	switch d.Picture {
	case pictureMap:
		return g.maps()
	case pictureHeat:
		return g.heat()
	case pictureLines, pictureCDF:
		return g.lines()
	}
	return g.rows()
}

// phone is the width in cm of a picture on a phone, whose page is 360 pixels wide.
const phone = 8.6

// phoneName is the maximum length, in characters, of the names of rows in a picture on a phone.
const phoneName = 24

// narrow returns the figure for a phone, with its panels one below the other. It returns nil if the figure is narrow
// enough, or if it cannot be made so: its panels are maps, have too many cells in a row, or have names that would be
// cut.
func narrow(f *picture.Figure) *picture.Figure {
	if f.Width <= phone && f.Columns == 1 {
		return nil
	}
	for _, p := range f.Panels {
		switch p := p.(type) {
		case picture.Map:
			return nil
		case picture.Cells:
			if cells := phone - heatLabels; p.Up || 0.7*float64(len(p.X.Names)) > cells {
				return nil
			}
		case picture.Rows:
			if slices.ContainsFunc(p.Names, func(name string) bool { return utf8.RuneCountInString(name) > phoneName }) {
				return nil
			}
		}
	}
	out := *f
	out.Width, out.Columns = phone, 1
	return &out
}

// heatLabels is the space in cm for the labels beside and below a heat map.
const heatLabels = 3.5

// The styles of marks: blue for estimates, vermilion for noisy values and intervals.
var (
	barStyle      = picture.Style{Color: picture.Blue, Fill: picture.Full}
	lineStyle     = picture.Style{Color: picture.Blue, Line: picture.Solid}
	pointStyle    = picture.Style{Color: picture.Blue, Mark: picture.Circle}
	noisyStyle    = picture.Style{Color: picture.Vermilion, Mark: picture.Circle}
	intervalStyle = picture.Style{Color: picture.Vermilion, Line: picture.Solid}
	bandStyle     = picture.Style{Color: picture.Vermilion, Fill: picture.Pale}
)

// keys returns the legend. Without denoising, estimates equal noisy values, so both have the same mark.
func (g *figure) keys(estimate, interval picture.Style) []picture.Key {
	name := "estimate"
	if slices.ContainsFunc(g.d.Table.Values, func(c pageColumn) bool { return c.Name == noisyColumn }) {
		if name = "noisy value"; g.two {
			name = "estimate (denoised)"
		}
	}
	out := []picture.Key{{Name: name, Style: estimate}}
	if g.two {
		out = append(out, picture.Key{Name: "noisy value", Style: noisyStyle})
	}
	return append(out, picture.Key{Name: "95 % interval", Style: interval})
}

// isEmpty reports whether no cell of the table has a value, such as after a publish rule that no cell satisfies.
func (d *tableData) isEmpty() bool {
	g := &figure{d: d}
	for at := range d.Table.Shown {
		if !math.IsNaN(g.value(estimateColumn, at)) {
			return false
		}
	}
	return true
}

// value returns the value in row at of a column; NaN if the table has no such column.
func (g *figure) value(column string, at int) float64 {
	t := g.d.Table
	i := slices.IndexFunc(t.Values, func(c pageColumn) bool { return c.Name == column })
	if i < 0 {
		return math.NaN()
	}
	return t.Values[i].Data[at].value
}

// differs reports whether denoising visibly changed any value: an estimate differs from its noisy value by more than
// the page's rounding, which is less than 1/700 of the interval's length.
func (g *figure) differs() bool {
	for i := range g.d.Table.Shown {
		length := g.value("ci95_high", i) - g.value("ci95_low", i)
		if noisy := g.value(noisyColumn, i); !math.IsNaN(noisy) && math.Abs(noisy-g.value(estimateColumn, i)) > length/700 {
			return true
		}
	}
	return false
}

// whole reports whether the table's exact numbers are integers: the numbers of rows or units, without weights.
func (g *figure) whole() bool {
	q := g.query
	weighted := func(d dimension) bool { return d.Nearest != nil && d.Nearest.Kernel != nil }
	return !q.linear() && q.weight == "" && q.maxKeys == 0 && g.d.Rate == "" && !slices.ContainsFunc(q.axes, weighted)
}

// longestName is the maximum length of a name in a picture, in characters.
const longestName = 32

func (g *figure) label(a axis, at int) string {
	if a.spans() {
		return clip(a.names(g.d.Table)[g.d.Table.Keys[a.Keys[0]].Codes[at]])
	}
	var parts []string
	for _, k := range a.Keys {
		key := &g.d.Table.Keys[k]
		parts = append(parts, key.Labels[key.Codes[at]])
	}
	return clip(strings.Join(slices.Compact(parts), " to "))
}

func clip(s string) string {
	if r := []rune(s); len(r) > longestName {
		return string(r[:longestName-1]) + "…"
	}
	return s
}

// maxBars is the maximum number of bars in a picture.
const maxBars = 40

// rows draws a row for each label: a bar, or a point if the values are positions on an axis, with its interval. If
// there are too many labels, it draws those with the largest estimates.
func (g *figure) rows() *picture.Figure {
	order := make([]int, g.d.Table.Shown)
	for i := range order {
		order[i] = i
	}
	if len(order) > maxBars {
		slices.SortStableFunc(order, func(a, b int) int {
			return compareDown(g.value(estimateColumn, a), g.value(estimateColumn, b))
		})
		order = order[:maxBars]
	}
	estimate := picture.RowMarks{Style: barStyle}
	if g.d.Picture == pictureQuantiles || g.d.Picture == pictureNumber {
		estimate.Style = pointStyle
	}
	interval, noisy := picture.RowMarks{Style: intervalStyle}, picture.RowMarks{Style: noisyStyle}
	p := picture.Rows{X: picture.Axis{Label: g.d.Unit}}
	for _, at := range order {
		var parts []string
		for _, a := range g.d.Axes {
			parts = append(parts, g.label(a, at))
		}
		p.Names = append(p.Names, strings.Join(parts, " · "))
		estimate.Values = append(estimate.Values, g.value(estimateColumn, at))
		noisy.Values = append(noisy.Values, g.value(noisyColumn, at))
		interval.Low = append(interval.Low, g.value("ci95_low", at))
		interval.High = append(interval.High, g.value("ci95_high", at))
	}
	if p.Marks = []picture.RowMarks{estimate, interval}; estimate.Mark != picture.NoMark {
		slices.Reverse(p.Marks) // draw a point over its interval
	}
	if g.two {
		p.Marks = append(p.Marks, noisy)
	}
	return &picture.Figure{Width: wide, Height: 1.8 + row*float64(max(1, len(p.Names))), Panels: []picture.Panel{p},
		Keys: g.keys(estimate.Style, intervalStyle)}
}

func compareDown(a, b float64) int {
	switch {
	case a > b:
		return -1
	case a < b:
		return 1
	}
	return 0
}

// maxCharts is the maximum number of charts in a picture.
const maxCharts = 12

// lines draws a chart over the last axis for each combination of labels of the other axes.
func (g *figure) lines() *picture.Figure {
	last := g.d.Axes[len(g.d.Axes)-1]
	y := picture.Axis{Label: g.d.Unit, Zero: true}
	if g.d.Picture == pictureCDF {
		y = picture.Axis{Label: "share below", To: 1}
	}
	x := picture.Axis{Label: last.Label}
	if last.Type != "number" {
		x.Names = last.names(g.d.Table)
	}
	var charts []picture.Chart
	at := map[string]int{}
	for i := range g.d.Table.Shown {
		var group []string
		for _, a := range g.d.Axes[:len(g.d.Axes)-1] {
			group = append(group, g.label(a, i))
		}
		name := strings.Join(group, " · ")
		k, known := at[name]
		if !known {
			if len(charts) == maxCharts {
				continue
			}
			k = len(charts)
			at[name] = k
			charts = append(charts, picture.Chart{Title: name, X: x, Y: y, Lines: []picture.Line{
				{Style: lineStyle, Band: picture.Vermilion}, {Style: noisyStyle}}})
		}
		estimates, noisy := &charts[k].Lines[0], &charts[k].Lines[1]
		estimates.X, noisy.X = append(estimates.X, g.place(last, i)), append(noisy.X, g.place(last, i))
		estimates.Y, noisy.Y = append(estimates.Y, g.value(estimateColumn, i)), append(noisy.Y, g.value(noisyColumn, i))
		estimates.Low = append(estimates.Low, g.value("ci95_low", i))
		estimates.High = append(estimates.High, g.value("ci95_high", i))
	}
	out := &picture.Figure{Width: wide, Height: high, Keys: g.keys(lineStyle, bandStyle)}
	if len(charts) > 1 {
		out.Columns, out.Width, out.Height = 2, wide/2, 0.7*high
	}
	for _, c := range charts {
		if !g.two {
			c.Lines = c.Lines[:1]
		}
		out.Panels = append(out.Panels, c)
	}
	return out
}

// place returns the position on an axis of the label with index at: the middle between its edges, or its number.
func (g *figure) place(a axis, at int) float64 {
	sum := 0.0
	for _, k := range a.Keys {
		key := &g.d.Table.Keys[k]
		x, err := strconv.ParseFloat(key.Labels[key.Codes[at]], 64)
		if a.Type != "number" || err != nil {
			return float64(g.d.Table.Keys[a.Keys[0]].Codes[at])
		}
		sum += x
	}
	return sum / float64(len(a.Keys))
}

// heat draws a heat map, or one for each label of the third axis if there is one.
func (g *figure) heat() *picture.Figure {
	keys := g.d.Table.Keys
	panel := picture.Cells{}
	var x, y int // indexes of the key columns that are drawn along x and y
	var facet *axis
	axes := slices.Clone(g.d.Axes)
	if i := slices.IndexFunc(axes, func(a axis) bool { return a.Type == "grid" }); i >= 0 {
		y, x = axes[i].Keys[0], axes[i].Keys[1]
		panel.X.Label, panel.Y.Label, panel.Up = "column, from the west", "row, from the south", true
		if axes = slices.Delete(axes, i, i+1); len(axes) > 0 {
			facet = &axes[0]
		}
	} else {
		labels := func(a axis) int { return len(keys[a.Keys[0]].Labels) }
		slices.SortStableFunc(axes, func(a, b axis) int { return labels(b) - labels(a) }) // the longer axis is horizontal
		x, y = axes[0].Keys[0], axes[1].Keys[0]
		panel.X.Label, panel.Y.Label = axes[0].Label, axes[1].Label
		if len(axes) > 2 {
			facet = &axes[2]
		}
	}
	panel.X.Names, panel.Y.Names = g.names(x), g.names(y)
	scale := picture.Scale{Root: !g.query.linear(), Whole: g.whole(), Low: math.Inf(1), High: math.Inf(-1)}
	var panels []picture.Cells
	add := func(title, column string, keep func(i int) bool) {
		m := panel
		m.Title = title
		for i := range g.d.Table.Shown {
			if !keep(i) {
				continue
			}
			v := g.value(column, i)
			if column == estimateColumn && !math.IsNaN(v) && !math.IsInf(v, 0) {
				scale.Low, scale.High = min(scale.Low, v), max(scale.High, v)
			}
			m.Cells = append(m.Cells, picture.Cell{X: keys[x].Codes[i], Y: keys[y].Codes[i], Value: v})
		}
		panels = append(panels, m)
	}
	g.panels(facet, maxPanels, add)
	if scale.Root || scale.Low > scale.High {
		scale.Low = 0
	}
	if !(scale.High > scale.Low) {
		scale.High = scale.Low + 1
	}
	out := &picture.Figure{Ramp: &picture.Ramp{Label: g.d.Unit, Scale: scale}}
	out.Width, out.Height, out.Columns = heatSize(panel, len(panels))
	for _, p := range panels {
		p.Scale = scale
		out.Panels = append(out.Panels, p)
	}
	return out
}

// names returns the names of the cells along a key column. If the column is the first one of an axis, they are the
// axis's names.
func (g *figure) names(key int) []string {
	for i := range g.d.Axes {
		if a := &g.d.Axes[i]; a.Keys[0] == key {
			return a.names(g.d.Table)
		}
	}
	return g.d.Table.Keys[key].Labels
}

// panels calls add once for each panel. If other is an axis, there is a panel for each of its first maxPanels labels.
// If other is nil, there is one for the estimates and, if denoising changed them, another for the noisy values.
func (g *figure) panels(other *axis, maxPanels int, add func(title, column string, keep func(i int) bool)) {
	all := func(int) bool { return true }
	switch {
	case other != nil:
		key := &g.d.Table.Keys[other.Keys[0]]
		for code := range min(maxPanels, len(key.Labels)) {
			if i := slices.Index(key.Codes, code); i >= 0 {
				add(other.Label+": "+g.label(*other, i), estimateColumn, func(i int) bool { return key.Codes[i] == code })
			}
		}
	case g.two:
		add("Noisy values", noisyColumn, all)
		add("Estimates (denoised)", estimateColumn, all)
	default:
		add("", estimateColumn, all)
	}
}

// heatSize returns the width and height of each of n panels of cells, and the number of panels in a row. Cells of a
// geographic grid are square.
func heatSize(panel picture.Cells, n int) (width, height float64, columns int) {
	nx, ny := float64(len(panel.X.Names)), float64(len(panel.Y.Names))
	if columns = 1; n > 1 {
		if columns = 2; nx <= 8 && n > 2 {
			columns = 3
		}
	}
	width = wide / float64(columns)
	cell := min((width-heatLabels)/nx, 1.6)
	rowHeight := min(cell, 0.7, 14/ny)
	if panel.Up {
		cell = min(cell, 14/ny)
		rowHeight = cell
	}
	if columns == 1 {
		width = max(cell*nx+heatLabels, 9)
	}
	height = max(rowHeight*ny+heatLabels, 4)
	longest := 0
	for _, name := range panel.X.Names {
		longest = max(longest, utf8.RuneCountInString(name))
	}
	const letter, fits = 0.14, 2 // the width of a letter, and the height that heatLabels has for names, in cm
	if names := letter * float64(longest); names > cell {
		height += max(0, names*math.Sin(math.Pi/3)-fits) // the names stand at an angle
	}
	return width, height, columns
}

// maxMaps is the maximum number of maps in a picture.
const maxMaps = 6

// maps draws a map of the noisy values and, if denoising changed them, another of the estimates. If the table has a
// further axis, it draws a map of the estimates for each label of that axis instead.
func (g *figure) maps() *picture.Figure {
	p, key := g.d.Places, &g.d.Table.Keys[g.d.Places.Key]
	panel := picture.Map{Values: []float64{}}
	place := make([]int, len(p.Lat)) // place[i] is the index among the places of label i
	latitude := 0.0
	for code := range p.Lat {
		if place[code] = -1; p.Lat[code] != nil {
			place[code] = len(panel.X)
			panel.X, panel.Y = append(panel.X, p.Lon[code].value), append(panel.Y, p.Lat[code].value)
			latitude += p.Lat[code].value
		}
	}
	shrinks := max(math.Cos(latitude/float64(max(1, len(panel.X)))*math.Pi/180), 1e-3)
	panel.Aspect, panel.Kilometre = 1/shrinks, 1/(kilometresADegree*shrinks)
	for _, r := range p.Roads {
		if place[r[0]] >= 0 && place[r[1]] >= 0 {
			panel.Roads = append(panel.Roads, [2]int{place[r[0]], place[r[1]]})
		}
	}
	var panels []picture.Map
	add := func(title, column string, keep func(i int) bool) {
		m := panel
		m.Title, m.Values = title, make([]float64, len(panel.X))
		for i := range g.d.Table.Shown {
			if at := place[key.Codes[i]]; at >= 0 && keep(i) {
				m.Values[at] = g.value(column, i)
			}
		}
		panels = append(panels, m)
	}
	var other *axis
	if i := slices.IndexFunc(g.d.Axes, func(a axis) bool { return a.Type != "point" }); i >= 0 {
		other = &g.d.Axes[i]
	}
	g.panels(other, maxMaps, add)
	var estimates []float64
	for i := range g.d.Table.Shown {
		if v := g.value(estimateColumn, i); !math.IsNaN(v) {
			estimates = append(estimates, v)
		}
	}
	slices.Sort(estimates)
	scale := picture.Scale{High: 1e-9, Root: true, Whole: g.whole()}
	if len(estimates) > 0 { // ignore the largest ones, so that one very large value does not make all others pale
		scale.High = max(estimates[int(0.998*float64(len(estimates)-1))], scale.High)
	}
	out := &picture.Figure{Columns: min(2, len(panels)), Height: mapped,
		Ramp: &picture.Ramp{Label: g.d.Unit, Scale: scale}}
	out.Width = wide / float64(max(1, out.Columns))
	for _, m := range panels {
		m.Scale = scale
		out.Panels = append(out.Panels, m)
	}
	return out
}

// kilometresADegree is the length of a degree of latitude in km.
const kilometresADegree = 111.32
