package configs

import (
	"fmt"
	"slices"

	"go.yaml.in/yaml/v4"

	"github.com/dprelease/dprelease/configs/internal/wording"
	"github.com/dprelease/dprelease/configs/internal/yamltree"
)

// dimensions checks the dimensions of a query. Their key columns must have different names.
func (c *checker) dimensions(at *yamltree.Path, by []Dimension) {
	taken := map[string]bool{}
	for _, n := range answerColumns {
		taken[n] = true
	}
	for i := range by {
		p := at.Item(i)
		c.dimension(p, &by[i])
		for _, name := range by[i].keyColumns() {
			if taken[name] {
				c.bad(p, CodeDuplicate, "the release already has a column "+wording.Quote(name), "name this one with as: NAME")
			}
			taken[name] = true
		}
	}
}

// keyColumns returns the names of the dimension's key columns in the release.
func (d *Dimension) keyColumns() []string {
	name := d.As
	if name == "" {
		name = d.Column
	}
	switch {
	case d.Grid != nil:
		return []string{"row", "col"}
	case d.Nearest != nil && d.As == "":
		name = d.Nearest.ID
	}
	switch {
	case name == "":
		return nil
	case d.Edges != nil || d.From != nil:
		if d.HalfOpen() {
			return []string{name + "_from", name + "_before"}
		}
		return []string{name + "_from", name + "_to"}
	}
	return []string{name}
}

func (c *checker) dimension(at *yamltree.Path, d *Dimension) {
	found, keys := formsWith(func(key string) bool { return c.Has(at.At(key)) })
	if len(found) == 0 {
		found, keys = formsWith(func(key string) bool { return c.has(at.At(key)) }) // misspelt keys
	}
	switch {
	case len(found) == 0:
		c.bad(at, CodeMissing, "the dimension has no cells",
			"add values: [a, b], edges: [0, 10, 20], from/to/width or values_from; cells that cannot be listed: keys: discover")
	case len(found) > 1:
		c.bad(at.At(keys[1]), CodeContradiction, "the cells are given twice, by "+wording.Join(found), "keep one of them")
	default:
		c.dimensionColumn(at, found[0])
	}
	if d.Keys != "" && (d.Null == "bin" || d.Other == "bin") {
		c.bad(at, CodeContradiction, "if keys are discovered, there is no cell for the rows without a key", "use drop")
	}
	if d.LastEdge != "" && d.Edges == nil && d.From == nil {
		c.bad(at.At("last_edge"), CodeContradiction, "there are no edges",
			"last_edge goes with edges, or with from, to and width")
	}
	if d.LastEdge == "included" && d.Every != "" {
		c.bad(at.At("last_edge"), CodeContradiction, "calendar cells do not include their upper edge", "remove last_edge")
	}
	if len(d.Fold) > 0 && !c.has(at.At("values")) && d.ValuesFrom == nil && d.Keys == "" {
		c.bad(at.At("fold"), CodeContradiction, "there are no texts to compare",
			"fold goes with values, values_from and keys: discover")
	}
	c.unique(at.At("fold"), d.Fold, "difference")
	c.values(at, d)
	c.edges(at.At("edges"), d.Edges)
	c.width(at, d)
	c.geography(at, d)
	if d.ValuesFrom != nil {
		c.file(at.At("values_from").At("file"), d.ValuesFrom.File)
	}
	c.levels(at, d)
}

// formsWith returns the forms of a dimension that have a key, and the first such key of each.
func formsWith(has func(key string) bool) (names, keys []string) {
	for _, f := range forms {
		if i := slices.IndexFunc(f.keys, has); i >= 0 {
			names, keys = append(names, f.name), append(keys, f.keys[i])
		}
	}
	return names, keys
}

// levels checks the levels of a dimension.
func (c *checker) levels(at *yamltree.Path, d *Dimension) {
	if !c.has(at.At("levels")) || !c.isValid(at.At("levels")) {
		return
	}
	inside := at.At("levels")
	c.unique(inside, d.Levels, "level")
	last := ""
	if len(d.Levels) > 0 {
		last = d.Levels[len(d.Levels)-1]
	}
	switch {
	case d.ValuesFrom == nil && d.Every == "":
		c.bad(inside, CodeContradiction, "levels group the cells of a public file or of a calendar",
			"use values_from: {file: places.csv, column: NAME}, or from, to and every")
	case len(d.Levels) < 2:
		c.bad(inside, CodeBadValue, "one level groups nothing", "name two or more, from the coarsest to the cells")
	// The decoder reports an absent column.
	case d.ValuesFrom != nil && d.ValuesFrom.Column != "" && last != d.ValuesFrom.Column:
		c.bad(inside, CodeContradiction, "the last level is not the column of the cells", "end with "+d.ValuesFrom.Column)
	case d.ValuesFrom == nil && last != d.Every:
		c.bad(inside, CodeContradiction, "the last level is not the step of the cells", "end with "+d.Every)
	}
	for i, name := range d.Levels {
		if d.Every != "" && !slices.Contains([]string{"day", "week", "month", "quarter", "year"}, name) {
			c.bad(inside.Item(i), CodeBadValue, c.Show(inside.Item(i), name)+" is not a calendar step",
				"steps: day, week, month, quarter, year")
		}
	}
	for _, policy := range [][2]string{{"null", d.Null}, {"other", d.Other}} {
		if policy[1] == "bin" {
			c.bad(at.At(policy[0]), CodeContradiction, "a cell for such rows lies in no group of a level", "use drop")
		}
	}
}

// withoutLevels reports dimensions that have levels in a query that allows none.
func (c *checker) withoutLevels(at *yamltree.Path, by []Dimension) {
	for i := range by {
		if len(by[i].Levels) > 0 {
			c.bad(at.Item(i).At("levels"), CodeContradiction, "only the first dimension of crosstabs can have levels",
				"ask crosstabs: {by: [the dimension with levels, the others]}")
		}
	}
}

// dimensionColumn checks that the dimension has a column if its form needs one, and has none otherwise.
func (c *checker) dimensionColumn(at *yamltree.Path, form string) {
	positions := form == "nearest" || form == "grid"
	switch has := c.has(at.At("column")); {
	case positions && has:
		c.bad(at.At("column"), CodeContradiction, form+" names its own columns, lat and lon",
			"remove column; use as to name the key column")
	case !positions && !has:
		c.bad(at, CodeMissing, "the dimension has no column", "add column: NAME")
	}
}

// values checks that the labels differ and that no text belongs to two of them.
func (c *checker) values(at *yamltree.Path, d *Dimension) {
	labels, owner := c.added(d), map[Scalar]Scalar{}
	node, _, _ := yamltree.Find(c.Src.Root, at.At("values").String())
	mapping := node.Kind == yaml.MappingNode
	for i, l := range d.Values {
		p := at.At("values").Item(i)
		if mapping {
			p = at.At("values").At(string(l.Name))
		}
		if c.Troubled(p.String()) {
			continue
		}
		if why, taken := labels[l.Name]; taken {
			c.bad(p, CodeDuplicate, "the cell "+wording.Quote(string(l.Name))+" "+why, "give each cell a label of its own")
			continue
		}
		labels[l.Name] = "is already there"
		for k, m := range l.Members {
			if other, taken := owner[m]; taken {
				c.bad(memberPath(p, mapping, k), CodeDuplicate,
					wording.Quote(string(m))+" already belongs to the cell "+wording.Quote(string(other)),
					"a text belongs to one cell")
				continue
			}
			owner[m] = l.Name
		}
	}
}

func memberPath(label *yamltree.Path, mapping bool, k int) *yamltree.Path {
	if mapping {
		return label.Item(k)
	}
	return label
}

// added returns the labels of the cells that `null: bin` and `other: bin` add to a dimension.
func (c *checker) added(d *Dimension) map[Scalar]string {
	out := map[Scalar]string{}
	if d.Null == "bin" {
		out["null"] = "is what null: bin adds"
	}
	if d.Other == "bin" {
		out["other"] = "is what other: bin adds"
	}
	return out
}

// edges checks that there are at least two edges and that they ascend. Numbers are compared as numbers. Dates are
// compared as texts, which gives the same order.
func (c *checker) edges(at *yamltree.Path, edges []Scalar) {
	if !c.isValid(at) {
		return
	}
	if len(edges) < 2 {
		c.bad(at, CodeBadValue, "one cell needs two edges", "write [lo, hi] or more")
		return
	}
	_, numeric := edges[0].number()
	for i := 1; i < len(edges); i++ {
		_, ok := edges[i].number()
		if ok != numeric {
			c.bad(at.Item(i), CodeBadValue, "numbers and other texts are mixed: "+c.Show(at.Item(i), string(edges[i])),
				"edges are all numbers, or all dates or times such as 2013-01-31")
			return
		}
		if !below2(edges[i-1], edges[i]) {
			c.bad(at.Item(i), CodeBadValue,
				wording.Quote(string(edges[i]))+" does not come after "+wording.Quote(string(edges[i-1])),
				"list the edges in ascending order, each once")
			return
		}
	}
}

func below2(a, b Scalar) bool {
	x, ok1 := a.number()
	y, ok2 := b.number()
	if ok1 && ok2 {
		return x.Cmp(y) < 0
	}
	return a < b
}

// width checks the cells between from and to, of equal width or by the calendar.
func (c *checker) width(at *yamltree.Path, d *Dimension) {
	if d.From == nil && d.To == nil && d.Width == nil && d.Every == "" {
		return
	}
	step := "width"
	if c.has(at.At("every")) {
		step = "every"
	}
	if step == "every" && d.Width != nil {
		c.bad(at.At("width"), CodeContradiction, "the cells have a width and a calendar step",
			"keep width for numbers, or every for dates")
		return
	}
	sound := true
	for _, k := range []string{"from", "to", step} {
		if !c.has(at.At(k)) {
			c.bad(at, CodeMissing, "cells between two edges need from, to, and width or every; "+k+" is absent", "add "+k)
			sound = false
		} else if c.Troubled(at.At(k).String()) {
			sound = false
		}
	}
	if !sound || d.From == nil || d.To == nil {
		return
	}
	if _, p := d.computed(); p != nil {
		c.bad(at.At(p.Key), CodeBadValue, p.Text, p.Hint)
	}
}

func (c *checker) geography(at *yamltree.Path, d *Dimension) {
	if d.Nearest != nil {
		c.positive(at.At("nearest").At("within_m"), d.Nearest.WithinM)
		c.file(at.At("nearest").At("points"), d.Nearest.Points)
		c.kernel(at, d)
	}
	if g := d.Grid; g != nil {
		c.box(at.At("grid").At("north"), g.South, g.North)
		c.box(at.At("grid").At("east"), g.West, g.East)
		if cells := int64(g.Rows) * int64(g.Cols); g.Rows > maxCells || g.Cols > maxCells || cells > maxCells {
			c.bad(at.At("grid"), CodeBadValue, fmt.Sprintf("the grid has more than %d cells", maxCells),
				"use fewer rows or cols")
		}
	}
}

func (c *checker) kernel(at *yamltree.Path, d *Dimension) {
	k := d.Nearest.Kernel
	if k == nil {
		return
	}
	c.positive(at.At("nearest").At("kernel").At("bandwidth_m"), k.BandwidthM)
	for _, policy := range [][2]string{{"null", d.Null}, {"other", d.Other}} {
		if policy[1] == "bin" {
			c.bad(at.At(policy[0]), CodeContradiction,
				"rows without a point cannot be spread, and a cell of their own would raise the norm of a row to 1",
				"use drop with a kernel")
		}
	}
}

func (c *checker) box(at *yamltree.Path, low, high Decimal) {
	l, ok1 := low.rat()
	h, ok2 := high.rat()
	if ok1 && ok2 && l.Cmp(h) >= 0 {
		c.bad(at, CodeBadValue, "the box is empty", "north lies above south, and east above west")
	}
}
