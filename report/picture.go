package report

import (
	"slices"
	"strings"
)

// axis is a direction of a query's cells on the page. Its type says how they follow one another: number (edges that are numbers), order
// (edges of other kinds, parts of times), grid, point, or category.
type axis struct {
	Label string `json:"label"`
	Type  string `json:"type"`
	// Keys are the places of its columns among the keys of the table.
	Keys []int `json:"keys"`
}

// The pictures.
const (
	pictureNumber    = "number"
	pictureBars      = "bars"
	pictureLines     = "lines"
	pictureHeat      = "heat"
	pictureMap       = "map"
	pictureTop       = "top"
	pictureQuantiles = "quantiles"
	pictureCDF       = "cdf"
)

// axesOf finds the axes of a table: the dimensions of the query in the job, in order, whose key columns stand in the same order.
func axesOf(q *queryFacts, t *pageTable, holds string) []axis {
	axes, at := []axis{}, 0
	take := func(n int) []int {
		var keys []int
		for range n {
			if at < len(t.Keys) {
				keys = append(keys, at)
			}
			at++
		}
		return keys
	}
	for i := range q.axes {
		d := &q.axes[i]
		if holds != "" && (len(d.Edges) > 0 || d.From != nil) {
			continue // a reading has its own key in the place of the edges, at the end
		}
		if a := d.axis(take); len(a.Keys) > 0 {
			if a.Type == "number" && !slices.ContainsFunc(a.Keys, func(k int) bool { return !t.Keys[k].Numeric }) {
				axes = append(axes, a)
				continue
			}
			if a.Type == "number" {
				a.Type = "order"
			}
			axes = append(axes, a)
		}
	}
	for at < len(t.Keys) { // components of a vector, and the keys of readings
		k := &t.Keys[at]
		a := axis{Label: k.Name, Type: "category", Keys: take(1)}
		if holds == pictureCDF && k.Numeric {
			a.Type = "number"
		}
		axes = append(axes, a)
	}
	return axes
}

// axis is a dimension's; take takes the next key columns.
func (d *dimension) axis(take func(int) []int) axis {
	label := d.As
	if label == "" {
		label = d.Column
	}
	switch {
	case d.Grid != nil:
		if label == "" {
			label = "grid"
		}
		return axis{shown(label), "grid", take(2)}
	case d.Nearest != nil:
		if label == "" {
			label = d.Nearest.ID
		}
		return axis{shown(label), "point", take(1)}
	case len(d.Edges) > 0 || d.From != nil:
		return axis{shown(label), "number", take(2)}
	case d.Part != "":
		if d.As == "" {
			label += " (" + strings.ReplaceAll(d.Part, "_", " ") + ")"
		}
		return axis{shown(label), "order", take(1)}
	}
	return axis{shown(label), "category", take(1)}
}

// mostPanels is how many small pictures stand beside one another.
const mostPanels = 24

// pictureOf chooses the picture that suits a table.
func pictureOf(axes []axis, t *pageTable, holds string, places bool) string {
	has := func(kind string) bool { return slices.ContainsFunc(axes, func(a axis) bool { return a.Type == kind }) }
	labels := func(a axis) int { return len(t.Keys[a.Keys[0]].Labels) }
	switch {
	case holds != "":
		return holds
	case len(axes) == 0:
		return pictureNumber
	case has("point") && places && len(axes) <= 2:
		return pictureMap
	case t.Shown < t.Rows:
		return pictureTop
	case has("grid") && (len(axes) == 1 || len(axes) == 2 && labels(other(axes, "grid")) <= mostPanels):
		return pictureHeat
	case has("grid"):
		return pictureTop
	case len(axes) == 1 && (axes[0].Type == "number" || axes[0].Type == "order"):
		return pictureLines
	case len(axes) == 1:
		return pictureBars
	case len(axes) == 2 || len(axes) == 3 && slices.ContainsFunc(axes, func(a axis) bool { return labels(a) <= mostPanels }):
		return pictureHeat
	}
	return pictureTop
}

// other is the first axis that is not of a kind.
func other(axes []axis, kind string) axis {
	return axes[slices.IndexFunc(axes, func(a axis) bool { return a.Type != kind })]
}

// places are where the points of a map lie, by the labels of their key; a label without a place has null.
type places struct {
	Key   int        `json:"key"`
	Lat   []*decimal `json:"lat"`
	Lon   []*decimal `json:"lon"`
	Roads [][2]int   `json:"roads"`
}

// degreeDigits is some centimetres.
const degreeDigits = 9

// placesOf finds the places of the labels of a table's points, nil if it has none.
func placesOf(t *Table, p *pageTable, axes []axis, cells []int) *places {
	at := slices.IndexFunc(axes, func(a axis) bool { return a.Type == "point" })
	if t.Places == nil || at < 0 {
		return nil
	}
	key := axes[at].Keys[0]
	column := t.Keys[key]
	labels := texts(column.Labels)
	point := make(map[string]int, len(t.Places.Points))
	for i, x := range t.Places.Points {
		point[x.ID] = i
	}
	out := &places{Key: key, Lat: make([]*decimal, len(p.Keys[key].Labels)), Lon: make([]*decimal, len(p.Keys[key].Labels)), Roads: [][2]int{}}
	label := map[int]int{} // of a point
	for i, c := range cells {
		n, ok := point[labels[(c/column.Stride)%len(labels)]]
		if code := p.Keys[key].Codes[i]; ok && out.Lat[code] == nil {
			out.Lat[code], out.Lon[code] = &decimal{t.Places.Points[n].Lat, degreeDigits}, &decimal{t.Places.Points[n].Lon, degreeDigits}
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
