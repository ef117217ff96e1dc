package report

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// axis is a direction in which the cells of a query are laid out on the page, such as ward or age. Its field Type is
// "number" (cells between numeric edges), "order" (cells between other edges, or time fields such as the hour of day),
// "grid", "point" or "category".
type axis struct {
	Label string `json:"label"`
	Type  string `json:"type"`
	// Keys holds the indexes of the axis's columns among the table's key columns.
	Keys []int `json:"keys"`
	// Whole is set if the column's values are integers. Closed is set if the last edge belongs to the last cell.
	Whole, Closed bool `json:"-"`

	cells []string // names of the cells, by the codes of the first key column; nil if they are not spans (spans.go)
}

// The pictures that a table can have.
const (
	pictureNumber    = "number"
	pictureBars      = "bars"
	pictureLines     = "lines"
	pictureHeat      = "heat"
	pictureMap       = "map"
	pictureTop       = "top"
	pictureQuantiles = "quantiles"
	pictureCDF       = "cdf"
	holdsSums        = "sums" // the numbers of rows below each edge
	pictureNone      = "none"
)

// reading returns what a table contains, such as quantiles, given holds, the second part of the table's name; "" stands
// for the cells of the query. For crosstabs it always returns "": their tables are named after columns, and a column
// may be called quantiles.
func (q *queryFacts) reading(holds string) string {
	if q.kind == crosstabs {
		return ""
	}
	return holds
}

// axesOf returns the axes of a table. A dimension of the query is an axis, found by the names of its key columns. Every
// other key column, such as the quantile or the component of a vector, is an axis too.
func axesOf(q *queryFacts, t *pageTable, holds string) []axis {
	axes, holds := []axis{}, q.reading(holds)
	for at := 0; at < len(t.Keys); {
		a := axis{Label: t.Keys[at].Name, Type: "category", Keys: []int{at}}
		if (holds == pictureCDF || holds == holdsSums) && at == len(t.Keys)-1 {
			a.Type = "number"
			for i := range q.axes {
				if d := &q.axes[i]; d.cut() && t.Keys[at].Name == shown(d.name()+"_below") {
					a.Label = d.label() // the edges below which rows are counted
				}
			}
		}
		for i := range q.axes {
			if n := q.axes[i].startsAt(t.Keys, at); n > 0 {
				a.Label, a.Type = q.axes[i].label(), q.axes[i].kind()
				a.Whole, a.Closed = q.axes[i].whole, q.axes[i].LastEdge != "excluded"
				for k := 1; k < n; k++ {
					a.Keys = append(a.Keys, at+k)
				}
				break
			}
		}
		if a.Type == "number" && slices.ContainsFunc(a.Keys, func(k int) bool { return !t.Keys[k].Numeric }) {
			a.Type = "order"
		}
		if a.Type == "number" && unequal(t, a.Keys) {
			a.Type = "order"
		}
		if a.spans() {
			a.cells = a.spanNames(t)
		}
		axes = append(axes, a)
		at += len(a.Keys)
	}
	return axes
}

// maxUnequal is the largest ratio of the widths of two cells on one axis of numbers. Beyond it, the narrow cells could
// not be told apart.
const maxUnequal = 10

// unequal reports whether the widths of the cells between numeric edges differ too much for one axis of numbers, as for
// the edges 1, 10, 100 and 1,000: these cells are drawn side by side, each with its name. keys are the key columns of
// the axis: the lower and the upper edge of each cell, or the upper one alone.
func unequal(t *pageTable, keys []int) bool {
	narrowest, widest := math.Inf(1), 0.0
	add := func(from, to string) {
		low, _ := strconv.ParseFloat(from, 64) // labels of a numeric column parse
		high, _ := strconv.ParseFloat(to, 64)
		if high > low {
			narrowest, widest = min(narrowest, high-low), max(widest, high-low)
		}
	}
	first := &t.Keys[keys[0]]
	if len(keys) == 1 {
		for i := 1; i < len(first.Labels); i++ {
			add(first.Labels[i-1], first.Labels[i])
		}
		return widest > maxUnequal*narrowest
	}
	second := &t.Keys[keys[1]]
	for i, code := range first.Codes {
		add(first.Labels[code], second.Labels[second.Codes[i]])
	}
	return widest > maxUnequal*narrowest
}

// startsAt returns the number of the dimension's key columns if the first of them is keys[at]; otherwise 0.
func (d *dimension) startsAt(keys []pageKey, at int) int {
	names := d.keyNames()
	if at+len(names) > len(keys) {
		return 0
	}
	for i, name := range names {
		key := keys[at+i].Name
		if i == 1 && d.Grid == nil && key == shown(d.name()+"_before") {
			continue
		}
		if key != shown(name) {
			return 0
		}
	}
	return len(names)
}

// name returns the text with which the names of the dimension's key columns begin.
func (d *dimension) name() string {
	switch {
	case d.As != "":
		return d.As
	case d.Nearest != nil:
		return d.Nearest.ID
	}
	return d.Column
}

// keyNames returns the names of the dimension's key columns: age_from and age_to for edges of age. The second may end
// with _before instead.
func (d *dimension) keyNames() []string {
	name := d.name()
	switch {
	case d.Grid != nil && name != "":
		return []string{name + "_row", name + "_col"}
	case d.Grid != nil:
		return []string{"row", "col"}
	case d.cut():
		return []string{name + "_from", name + "_to"}
	}
	return []string{name}
}

// cut reports whether edges divide the dimension into cells.
func (d *dimension) cut() bool { return len(d.Edges) > 0 || d.From != nil }

// label returns the dimension's name on the page.
func (d *dimension) label() string {
	name := shown(d.name())
	if d.texts.Title != "" && d.As == "" {
		name = shown(d.texts.Title)
	}
	if d.texts.Unit != "" && d.Part == "" {
		name += " (" + shown(d.texts.Unit) + ")"
	}
	switch {
	case d.Grid != nil && name == "":
		return "grid"
	case d.Part != "" && d.As == "":
		return name + " (" + strings.ReplaceAll(d.Part, "_", " ") + ")"
	}
	return name
}

// kind returns the type of the dimension's axis.
func (d *dimension) kind() string {
	switch {
	case d.Grid != nil:
		return "grid"
	case d.Nearest != nil:
		return "point"
	case d.cut():
		return "number"
	case d.Part != "":
		return "order"
	}
	return "category"
}

// residualKey is the key column that names the residual in a table of noisy residuals of crosstabs. numberKey is the
// key column that numbers the noisy values of nested levels.
const (
	residualKey = "residual"
	numberKey   = "number_in_level"
)

// maxPanels is the maximum number of panels in a picture.
const maxPanels = 24

// pictureOf chooses the picture of a table from the types of its axes.
func pictureOf(axes []axis, t *pageTable, holds string, places bool) string {
	has := func(kind string) bool { return slices.ContainsFunc(axes, func(a axis) bool { return a.Type == kind }) }
	labels := func(a axis) int { return len(t.Keys[a.Keys[0]].Labels) }
	switch {
	case holds == pictureQuantiles || holds == pictureCDF:
		return holds
	case slices.ContainsFunc(t.Keys, func(k pageKey) bool { return k.Name == residualKey || k.Name == numberKey }):
		return pictureNone // a table of noisy residuals, or one that has a meaning only together with others
	case len(axes) == 0:
		return pictureNumber
	case has("point") && places && len(axes) <= 2:
		return pictureMap
	case t.Shown < t.Rows:
		return pictureTop
	case has("grid") && (len(axes) == 1 || len(axes) == 2 && labels(other(axes, "grid")) <= maxPanels):
		return pictureHeat
	case has("grid"):
		return pictureTop
	case len(axes) == 1 && (axes[0].Type == "number" || axes[0].Type == "order"):
		return pictureLines
	case len(axes) == 1:
		return pictureBars
	case len(axes) == 2 || len(axes) == 3 && slices.ContainsFunc(axes,
		func(a axis) bool { return labels(a) <= maxPanels }):
		return pictureHeat
	}
	return pictureTop
}

// other returns the first axis whose type is not kind.
func other(axes []axis, kind string) axis {
	return axes[slices.IndexFunc(axes, func(a axis) bool { return a.Type != kind })]
}

// places holds the coordinates of a map's points. Element i belongs to label i of the key column Key; it is null if the
// label has no coordinates.
type places struct {
	Key   int        `json:"key"`
	Lat   []*decimal `json:"lat"`
	Lon   []*decimal `json:"lon"`
	Roads [][2]int   `json:"roads"`
}

// degreeDigits is the number of significant digits of a coordinate on the page: a few centimetres.
const degreeDigits = 9

// placesOf returns the coordinates of the points of a table; nil if the table has no points.
func placesOf(t *Table, p *pageTable, axes []axis, cells []int) *places {
	at := slices.IndexFunc(axes, func(a axis) bool { return a.Type == "point" })
	if t.Places == nil || at < 0 {
		return nil
	}
	key := axes[at].Keys[0]
	column := t.Keys[key]
	labels := column.Labels.Texts()
	point := make(map[string]int, len(t.Places.Points))
	for i, x := range t.Places.Points {
		point[x.ID] = i
	}
	out := &places{Key: key, Lat: make([]*decimal, len(p.Keys[key].Labels)),
		Lon: make([]*decimal, len(p.Keys[key].Labels)), Roads: [][2]int{}}
	label := map[int]int{} // label[i] is the label of point i
	for i, c := range cells {
		n, ok := point[labels[(c/column.Stride)%len(labels)]]
		if code := p.Keys[key].Codes[i]; ok && out.Lat[code] == nil {
			out.Lat[code], out.Lon[code] = &decimal{t.Places.Points[n].Lat, degreeDigits}, &decimal{t.Places.Points[n].Lon,
				degreeDigits}
			label[n] = code
		}
	}
	for _, r := range t.Places.Roads {
		a, ok := label[r[0]]
		b, ok2 := label[r[1]]
		if ok && ok2 {
			out.Roads = append(out.Roads, [2]int{a, b})
		}
	}
	return out
}
