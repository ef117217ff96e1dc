package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/dprelease/dprelease/pipeline/manifest"
	"github.com/dprelease/dprelease/report/picture"
)

// Figure returns the picture of a table as the page draws it: of a query's answer, or of what holds names. Errors:
// there is no such table.
func Figure(m *manifest.Manifest, tables []*Table, query, holds string) (*picture.Figure, error) {
	f := factsOf(m)
	for _, t := range tables {
		if q := f.find(t.Query); q != nil && t.Query == query && t.Holds == holds {
			d := dataOf(q, t, mostRows, f)
			return (&figure{d: &d, query: q}).draw(shown(f.name)), nil
		}
	}
	return nil, fmt.Errorf("the release has no such table")
}

// figure makes a picture of a table.
type figure struct {
	d     *tableData
	query *queryFacts
	two   bool // noisy values and estimates differ, so that each has a mark
}

// Sizes in centimetres.
const (
	wide   = 20.0
	high   = 12.0
	row    = 0.55
	mapped = 17.0
)

func (g *figure) draw(release string) *picture.Figure {
	out := &picture.Figure{Title: release + ": " + g.d.Name, Width: wide, Height: high}
	g.key(out)
	switch g.d.Picture {
	case pictureMap:
		out.Height = mapped
		out.Panels = g.maps()
	case pictureHeat:
		out.Panels = g.heat()
		out.Height = math.Min(mapped, 5+1.2*float64(len(out.Panels[0].YNames)))
	case pictureLines, pictureCDF:
		out.Panels = g.lines()
	default:
		p := g.bars()
		out.Height = math.Max(5, 3+row*float64(len(p.Points)))
		out.Panels = []picture.Panel{p}
	}
	return out
}

// key names the marks.
func (g *figure) key(out *picture.Figure) {
	g.two = g.differs()
	out.Colours, out.Estimates, out.Intervals = g.d.Unit, "estimate", "95 % interval"
	if slices.ContainsFunc(g.d.Table.Values, func(c pageColumn) bool { return c.Name == noisyColumn }) {
		if out.Estimates = "noisy value"; g.two {
			out.Estimates, out.Noisy = "estimate (denoised)", "noisy value"
		}
	}
}

// value is a value of a row; NaN if the table has no such column.
func (g *figure) value(column string, at int) float64 {
	t := g.d.Table
	i := slices.IndexFunc(t.Values, func(c pageColumn) bool { return c.Name == column })
	switch {
	case i >= 0:
		return t.Values[i].Data[at].value
	case t.Half == nil:
		return math.NaN()
	case column == "ci95_low":
		return g.value(noisyColumn, at) - t.Half.value
	case column == "ci95_high":
		return g.value(noisyColumn, at) + t.Half.value
	}
	return math.NaN()
}

// differs says whether denoising changed a value.
func (g *figure) differs() bool {
	for i := range g.d.Table.Shown {
		if noisy := g.value(noisyColumn, i); !math.IsNaN(noisy) && noisy != g.value(estimateColumn, i) {
			return true
		}
	}
	return false
}

func (g *figure) point(at int) picture.Point {
	if !g.two {
		return picture.Point{Estimate: g.value(estimateColumn, at), Noisy: math.NaN(), Low: g.value("ci95_low", at),
			High: g.value("ci95_high", at)}
	}
	return picture.Point{
		Estimate: g.value(estimateColumn, at), Noisy: g.value(noisyColumn, at), Low: g.value("ci95_low",
			at), High: g.value("ci95_high", at),
	}
}

// longestName is how many characters a name in a picture has.
const longestName = 32

func (g *figure) label(a axis, at int) string {
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

// mostBars is how many bars a picture has.
const mostBars = 60

func (g *figure) bars() picture.Panel {
	rows := make([]int, g.d.Table.Shown)
	for i := range rows {
		rows[i] = i
	}
	if len(rows) > mostBars {
		slices.SortStableFunc(rows, func(a, b int) int {
			return compareDown(g.value(estimateColumn, a),
				g.value(estimateColumn, b))
		})
		rows = rows[:mostBars]
	}
	p := picture.Panel{X: g.d.Unit, Names: []string{}}
	for _, at := range rows {
		var parts []string
		for _, a := range g.d.Axes {
			parts = append(parts, g.label(a, at))
		}
		p.Points, p.Names = append(p.Points, g.point(at)), append(p.Names, clip(strings.Join(parts, " · ")))
	}
	slices.Reverse(p.Names) // an ordinate runs upwards
	return p
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

// lines are a panel for each group of the axes before the last one, at most four.
func (g *figure) lines() []picture.Panel {
	last := g.d.Axes[len(g.d.Axes)-1]
	var panels []picture.Panel
	at := map[string]int{}
	for i := range g.d.Table.Shown {
		var group []string
		for _, a := range g.d.Axes[:len(g.d.Axes)-1] {
			group = append(group, g.label(a, i))
		}
		name := strings.Join(group, " · ")
		k, known := at[name]
		if !known {
			if len(panels) == 4 {
				continue
			}
			k = len(panels)
			at[name] = k
			panels = append(panels, picture.Panel{Title: name, X: last.Label, Y: g.d.Unit, Lines: true})
		}
		p := g.point(i)
		p.X = g.place(last, i)
		panels[k].Points = append(panels[k].Points, p)
	}
	return panels
}

// place is where a row lies on an axis: in the middle of its edges, or at the number of its label.
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

// heat is a panel of cells, or one for each of the first labels of a third axis.
func (g *figure) heat() []picture.Panel {
	axes := slices.Clone(g.d.Axes)
	var x, y int // key columns
	var facet *axis
	if i := slices.IndexFunc(axes, func(a axis) bool { return a.Type == "grid" }); i >= 0 {
		y, x = axes[i].Keys[0], axes[i].Keys[1]
		if axes = slices.Delete(axes, i, i+1); len(axes) > 0 {
			facet = &axes[0]
		}
	} else {
		labels := func(a axis) int { return len(g.d.Table.Keys[a.Keys[0]].Labels) }
		slices.SortStableFunc(axes, func(a, b axis) int { return labels(b) - labels(a) })
		x, y = axes[0].Keys[0], axes[1].Keys[0]
		if len(axes) > 2 {
			facet = &axes[2]
		}
	}
	keys := g.d.Table.Keys
	panel := picture.Panel{X: keys[x].Name, Y: keys[y].Name, XNames: clipAll(keys[x].Labels),
		YNames: clipAll(keys[y].Labels)}
	var panels []picture.Panel
	scale := picture.Scale{Root: !g.query.linear()}
	if !scale.Root {
		scale.Low, scale.High = math.Inf(1), math.Inf(-1)
	}
	for i := range g.d.Table.Shown {
		k := 0
		if facet != nil {
			k = keys[facet.Keys[0]].Codes[i]
		}
		if k >= 3 {
			continue
		}
		for len(panels) <= k {
			panels = append(panels, panel)
		}
		if facet != nil && panels[k].Title == "" {
			panels[k].Title = facet.Label + ": " + g.label(*facet, i)
		}
		v := g.value(estimateColumn, i)
		scale.Low, scale.High = math.Min(scale.Low, v), math.Max(scale.High, v)
		panels[k].Shades = append(panels[k].Shades, picture.Shade{X: float64(keys[x].Codes[i]), Y: float64(keys[y].Codes[i]),
			Value: v})
	}
	if scale.Root {
		scale.Low = 0
	}
	if !(scale.High > scale.Low) {
		scale.High = scale.Low + 1
	}
	for k := range panels {
		panels[k].Scale = scale
	}
	return panels
}

func clipAll(labels []string) []string {
	out := make([]string, len(labels))
	for i, s := range labels {
		out[i] = clip(s)
	}
	return out
}

// maps are the places with their noisy values and, if they were denoised, with their estimates beside them. Of a
// further axis it is the first label.
func (g *figure) maps() []picture.Panel {
	p, key := g.d.Places, &g.d.Table.Keys[g.d.Places.Key]
	columns, titles := []string{estimateColumn}, []string{""}
	if g.d.Denoised {
		columns, titles = []string{noisyColumn, estimateColumn}, []string{"Noisy values", "Estimates (denoised)"}
	}
	other := slices.IndexFunc(g.d.Axes, func(a axis) bool { return a.Type != "point" })
	var panels []picture.Panel
	var estimates []float64
	at := make([]float64, len(p.Lat)) // the value at a place
	for c, column := range columns {
		panel := picture.Panel{Title: titles[c], Round: true}
		for i := range g.d.Table.Shown {
			code := key.Codes[i]
			if p.Lat[code] == nil || other >= 0 && g.d.Table.Keys[g.d.Axes[other].Keys[0]].Codes[i] != 0 {
				continue
			}
			v := g.value(column, i)
			at[code] = math.Max(v, 0)
			panel.Shades = append(panel.Shades, picture.Shade{X: p.Lon[code].value, Y: p.Lat[code].value, Value: v})
			if column == estimateColumn {
				estimates = append(estimates, v)
			}
		}
		if len(panel.Shades) == 0 {
			continue
		}
		panel.Aspect = 1 / math.Max(math.Cos(panel.Shades[0].Y*math.Pi/180), 1e-3)
		for _, r := range p.Roads {
			a, b := r[0], r[1]
			panel.Roads = append(panel.Roads, picture.Road{
				From: [2]float64{p.Lon[a].value, p.Lat[a].value}, To: [2]float64{p.Lon[b].value, p.Lat[b].value}, Value: (at[a] +
					at[b]) / 2,
			})
		}
		panels = append(panels, panel)
	}
	slices.Sort(estimates)
	for k := range panels { // one place with very many must not make all others dark
		panels[k].Scale = picture.Scale{High: math.Max(estimates[int(0.998*float64(len(estimates)-1))], 1e-9), Root: true}
	}
	return panels
}
