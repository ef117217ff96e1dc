package domain

import (
	"math"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/dprelease/dprelease/io/table"

	"github.com/dprelease/dprelease/queries/internal/columnar"
)

// Rule says which code a value of a column has, in plain numbers and texts, so that another engine can be told what a
// coder does. Codes are cells of an axis; [RuleDropped] is a row that is left out. A null has the code Null and so has
// NaN. Exactly one of the fields from Ints on is set, but for texts that are read as numbers: IntSteps and FloatSteps,
// or both ranges, of which the first is for whole numbers without point and exponent in int64's range, and the second
// for what else [ParseFloat] reads.
type Rule struct {
	Column string
	Type   table.Type
	// Null and Other are the codes of nulls, and of values that are in no cell.
	Null, Other int32
	// Ints, Floats and Texts give the codes of listed values. Ints are as [table.Values] holds them.
	Ints   map[int64]int32
	Floats map[float64]int32
	Texts  map[string]int32
	// Fold says what is done to a text before it is looked up in Texts; nil if nothing is.
	Fold *FoldRule
	// IntSteps and FloatSteps give the value the number of the last step that is not above it.
	IntSteps   *Steps[int64]
	FloatSteps *Steps[float64]
	// IntRange and FloatRange give the code 0 to what is from Least to Most, and Other to all else.
	IntRange   *Span[int64]
	FloatRange *Span[float64]
	// NotNull gives the code 0 to all values.
	NotNull bool
	// Field is the name of a time field, read on a clock with these offsets.
	Field   string
	Offsets *Offsets
	// Grid is a grid of two columns, Nearest are points near places of two columns.
	Grid    *GridRule
	Nearest *NearestRule
}

// Columns are the names of the columns that codes are of: one, or a latitude and a longitude.
func (r *Rule) Columns() []string {
	switch {
	case r.Grid != nil:
		return []string{r.Grid.Lat, r.Grid.Lon}
	case r.Nearest != nil:
		return []string{r.Nearest.Lat, r.Nearest.Lon}
	}
	return []string{r.Column}
}

// RuleDropped is the code of a row that is in no cell.
const RuleDropped = columnar.Dropped

// Steps are ascending. A value from step i to before step i+1 has the code i, one from the last step on has Beyond; one
// below the first step has Below. One that equals Last has the code LastCode, if Closed is set.
type Steps[T int64 | float64] struct {
	At       []T
	Cells    int32
	Below    int32
	Beyond   int32
	Closed   bool
	Last     T
	LastCode int32
}

// FoldRule says how texts are folded that become equal to listed ones: each character of From becomes the one at the
// same place of To; then, if Space is set, spaces are taken off both ends and one is made of several.
type FoldRule struct {
	From, To string
	Space    bool
}

// rule lists the characters that become those of listed texts, which are folded, and the characters of these that
// become others. What other characters become makes no text equal to a listed one.
func (f Fold) rule(listed map[string]int32) *FoldRule {
	used := map[rune]bool{}
	for text := range listed {
		for _, r := range text {
			used[r] = true
		}
	}
	var from, to strings.Builder
	for r := rune(1); r <= unicode.MaxRune; r++ {
		if !utf8.ValidRune(r) {
			continue
		}
		into := r
		switch {
		case f.Space && unicode.IsSpace(r):
			into = ' '
		case f.Case:
			into = unicode.ToLower(unicode.ToUpper(r))
		}
		if into != r && (used[r] || used[into] || into == ' ') {
			from.WriteRune(r)
			to.WriteRune(into)
		}
	}
	return &FoldRule{From: from.String(), To: to.String(), Space: f.Space}
}

// Span is the numbers from Least to Most; there are none if Least is above Most.
type Span[T int64 | float64] struct{ Least, Most T }

// GridRule is a grid: the edges of its rows and columns. A place is in row i if it is from edge i to before edge i+1,
// the last row is closed.
type GridRule struct {
	Lat, Lon   string
	Rows, Cols []float64
}

// Rule returns what an axis does with the columns of a layout; ok is false if it cannot be said so.
func (a *Axis) Rule(l Layout) (r Rule, ok bool) {
	if d, is := a.Domain.(gridDomain); is {
		return Rule{
			Null: a.Extra.Null, Other: a.Extra.Other,
			Grid: &GridRule{Lat: d.Lat, Lon: d.Lon, Rows: d.rows, Cols: d.cols},
		}, true
	}
	if d, is := a.Domain.(NearestDomain); is {
		return Rule{Null: a.Extra.Null, Other: a.Extra.Other, Nearest: d.rule()}, true
	}
	c, is := a.Coder(l).(*AxisCoder)
	if !is {
		return Rule{}, false
	}
	r = Rule{Column: a.Column, Type: c.Kind, Null: a.Extra.Null, Other: a.Extra.Other}
	if d, is := a.Domain.(labelDomain); is && c.Kind.Kind == table.String {
		if d.fold.Accents { // takes tables of Unicode that other engines have in other versions
			return r, false
		}
		if r.listTexts(d); d.fold.Any() {
			r.Fold = d.fold.rule(r.Texts)
		}
		return r, true
	}
	if d, is := a.Domain.(timeFieldDomain); is {
		r.Field = d.name
		r.Offsets, ok = offsetsTable(c.Kind, d.zone)
		return r, ok
	}
	return r, r.describe(c.Values)
}

// listTexts lists the texts of labels.
func (r *Rule) listTexts(d labelDomain) {
	r.Texts = map[string]int32{}
	for i, label := range d.labels {
		for _, m := range label.Members {
			r.Texts[d.fold.Text(m)] = int32(i)
		}
	}
}

// Numerals says that texts are read as numbers.
func (r *Rule) Numerals() bool {
	return r.Type.Kind == table.String && (r.IntSteps != nil || r.IntRange != nil)
}

// describe says what a coder of values does.
func (r *Rule) describe(c valueCoder) bool {
	switch c := c.(type) {
	case *intLabels:
		r.Ints = c.cells
		return !unsigned(r.Type)
	case floatLabels:
		r.Floats = c.cells
	case *intEdges:
		r.IntSteps = &Steps[int64]{At: c.starts.all(), Cells: c.cells, Below: c.Other, Beyond: c.Other, Closed: c.closed,
			Last: c.top, LastCode: c.cells - 1}
		return !c.Unsigned
	case *floatEdges:
		r.FloatSteps = &Steps[float64]{At: c.edges.all(), Cells: c.cells, Below: c.Other, Beyond: c.Other, Closed: !c.open,
			Last: c.last, LastCode: c.cells - 1}
	case *textEdges:
		return r.describe(c.ints) && r.describe(c.floats)
	case textRange:
		return r.describe(c.ints) && r.describe(c.floats)
	case notNull:
		r.NotNull = true
	case intRange:
		r.IntRange, r.Other = &Span[int64]{c.first, c.last}, RuleDropped
		return !c.Unsigned
	case floatRange:
		r.FloatRange, r.Other = &Span[float64]{c.least, c.most}, RuleDropped
	default:
		return false
	}
	return true
}

func unsigned(t table.Type) bool { return t.Kind == table.Uint }

// FilterRule is a condition: rows pass that have the code Want.
type FilterRule struct {
	Rule
	Want int32
}

// Rules returns what the filters do with the columns of a schema; ok is false if one of them cannot be said so, or does
// not fit the schema.
func (f Filters) Rules(s table.Schema, zone *time.Location) (rules []FilterRule, ok bool) {
	compiled, err := f.Compile(s, zone)
	if err != nil {
		return nil, false
	}
	columns := f.Columns()
	lists := f.textLists(s)
	for _, c := range compiled.conditions {
		r := FilterRule{Rule{Column: columns[c.At], Type: c.Kind, Null: RuleDropped, Other: unlisted}, c.Want}
		if _, texts := c.Values.(textLabels); texts {
			r.listTexts(labelDomain{labels: []Label{{Members: lists[0]}}})
			lists = lists[1:]
		} else if !r.describe(c.Values) {
			return nil, false
		}
		rules = append(rules, r)
	}
	return rules, true
}

// textLists are the lists of the filters on columns of texts, in the order of their conditions.
func (f Filters) textLists(s table.Schema) (lists [][]string) {
	for _, spec := range f.Specs {
		if c, _ := s.Lookup(spec.Column); c.Type.Kind != table.String {
			continue
		}
		for _, list := range [][]string{spec.In, spec.NotIn} {
			if len(list) > 0 {
				lists = append(lists, list)
			}
		}
	}
	return lists
}

// InfiniteCode returns the code of an infinite value among steps of floats: the first or the last cell, unless the last
// edge is left out.
func (s *Steps[T]) InfiniteCode(sign int) int32 {
	switch {
	case !s.Closed:
		return s.Beyond
	case math.Signbit(float64(sign)):
		return 0
	}
	return s.LastCode
}
