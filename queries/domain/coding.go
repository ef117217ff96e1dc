package domain

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/internal/columnar"
	"github.com/dprelease/dprelease/queries/problem"
)

// Codings: which code a value has, as plain data
//
// A dimension or a filter and the type of its column make a [Coding]. The local engine evaluates it by the coder that
// [Coding.Coder] makes, a database by an expression (pipeline/sqlpush). Both are made of the coding and of nothing
// else: a new form of dimension is a field of the coding with one evaluation in each of them.

// Coding gives each value of a column, or each place of two columns, a code: a cell of an axis, or [Dropped] if the row
// is left out. A null has the code Null, and so has NaN. Exactly one of the fields from Ints on is set, but for texts
// that are read as numbers: these have both steps or both ranges, of which the first is for whole numbers without point
// and exponent in int64's range, and the second for all others that [ParseFloat] reads.
//
// Unsigned integers are held as [table.Values] holds them in Ints. Steps and ranges of them have the sign bit flipped,
// so that their order is that of the values.
type Coding struct {
	Column string
	Type   table.Type
	// Null and Other are the codes of nulls, and of values that are in no cell.
	Null, Other int32
	// Ints, Floats and Texts are the codes of listed values. Numbers are in their order; texts are folded, in the job's
	// order, and may be there twice with one code.
	Ints   []Listed[int64]
	Floats []Listed[float64]
	Texts  []Listed[string]
	// Fold is how a text is folded before it is looked up in Texts.
	Fold Fold
	// IntSteps and FloatSteps give the value the number of the last step that is not above it.
	IntSteps   *Steps[int64]
	FloatSteps *Steps[float64]
	// IntRange and FloatRange give the code 0 to the numbers from Least to Most, and Other to all others.
	IntRange   *Span[int64]
	FloatRange *Span[float64]
	// NotNull gives the code 0 to all values.
	NotNull bool
	// TimeField is the name of a time field, read on the clocks of Zone if the column holds instants.
	TimeField string
	Zone      string
	// Grid is a grid of two columns, Nearest are points near places of two columns.
	Grid    *GridCells
	Nearest *NearestPoints

	// What evaluations derive from the fields above, once for all of them.
	zone    *time.Location
	offsets func() *Offsets
	table   func() *FoldTable
}

// Dropped is the code of a row that is in no cell.
const Dropped = columnar.Dropped

// Listed is a listed value and its code.
type Listed[T cmp.Ordered] struct {
	Value T
	Code  int32
}

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

// Span is the numbers from Least to Most; there are none if Least is above Most.
type Span[T int64 | float64] struct{ Least, Most T }

// GridCells is a grid: the edges of its rows and columns. A place is in row i if it is from edge i to before edge i+1,
// the last row is closed.
type GridCells struct {
	Lat, Lon   string
	Rows, Cols []float64
}

// Columns are the names of the columns that codes are of: one, or a latitude and a longitude.
func (c *Coding) Columns() []string {
	switch {
	case c.Grid != nil:
		return []string{c.Grid.Lat, c.Grid.Lon}
	case c.Nearest != nil:
		return []string{c.Nearest.Lat, c.Nearest.Lon}
	}
	return []string{c.Column}
}

// Numerals reports whether texts are read as numbers.
func (c *Coding) Numerals() bool {
	return c.Type.Kind == table.String && (c.IntSteps != nil || c.IntRange != nil)
}

// Offsets are those of the clocks of a time field; nil if there is none.
func (c *Coding) Offsets() *Offsets {
	if c.offsets == nil {
		return nil
	}
	return c.offsets()
}

// Coding returns the coding of an axis for the columns of a layout, or reports what is wrong with them.
func (a *Axis) Coding(l Layout) (c Coding, ok bool) {
	before := len(l.Problems.List)
	switch d := a.Domain.(type) {
	case pointDomain:
		c = d.coding()
		lat, lon, field := d.places()
		l.coordinates(lat, a.Field+field+".lat")
		l.coordinates(lon, a.Field+field+".lon")
	case columnDomain:
		_, t, found := l.Find(a.Column, a.Field+".column")
		if !found {
			return c, false
		}
		var errs []*problem.Error
		c, errs = d.coding(t, a.Extra)
		for _, e := range errs {
			l.Problems.Add(a.Field+e.Field, e.Code, e.Message, e.Hint)
		}
		c.Column, c.Type = a.Column, t
	}
	c.Null, c.Other = a.Extra.Null, a.Extra.Other
	return c, len(l.Problems.List) == before
}

// Coder makes the local evaluation of a coding, for batches of a layout whose columns fit.
func (c *Coding) Coder(l Layout) RowCoder {
	switch {
	case c.Grid != nil:
		return newPointCoder(c, c.Grid.locator(c.Other), l)
	case c.Nearest != nil:
		return newPointCoder(c, nearestCells{c.Nearest.index, c.Other}, l)
	}
	return c.axisCoder(l)
}

// axisCoder is Coder for one column.
func (c *Coding) axisCoder(l Layout) *AxisCoder {
	return &AxisCoder{At: slices.Index(l.Columns, c.Column), Kind: c.Type, Values: c.valueCoder(), Null: c.Null}
}

// valueCoder makes the coder of the values of one column; nil if the coding is empty.
func (c *Coding) valueCoder() valueCoder {
	ints := integers{Unsigned: c.Type.Kind == table.Uint}
	switch {
	case c.Texts != nil:
		return newTextLabels(c)
	case c.Ints != nil:
		return newIntLabels(c)
	case c.Floats != nil:
		return newFloatLabels(c)
	case c.Numerals() && c.IntSteps != nil:
		return &textEdges{ints: newIntEdges(c, ints), floats: newFloatEdges(c.FloatSteps, c.extra())}
	case c.IntSteps != nil:
		return newIntEdges(c, ints)
	case c.FloatSteps != nil:
		return newFloatEdges(c.FloatSteps, c.extra())
	case c.Numerals():
		return textRange{intRange{ints, *c.IntRange}, floatRange{*c.FloatRange}}
	case c.IntRange != nil:
		return intRange{ints, *c.IntRange}
	case c.FloatRange != nil:
		return floatRange{*c.FloatRange}
	case c.NotNull:
		return notNull{c.Type.Kind == table.Float}
	case c.TimeField != "":
		return newTimeFieldCoder(c)
	}
	return nil
}

func (c *Coding) extra() ExtraCells { return ExtraCells{Null: c.Null, Other: c.Other} }

// list makes a list of values and their codes, in the order of the values.
func list[T cmp.Ordered](codes map[T]int32) []Listed[T] {
	out := make([]Listed[T], 0, len(codes))
	for _, v := range slices.Sorted(maps.Keys(codes)) {
		out = append(out, Listed[T]{v, codes[v]})
	}
	return out
}

// FoldTable replaces characters of texts that become equal to listed ones: each character of From becomes the one at
// the same place of To; then, if Space is set, spaces are taken off both ends and one is made of several.
type FoldTable struct {
	From, To string
	Space    bool
}

// FoldTable is how the texts of a coding are folded by a table; nil if they are not folded. Accents are taken off by no
// table, since other engines may have Unicode in another version.
func (c *Coding) FoldTable() *FoldTable {
	if c.table == nil {
		return nil
	}
	return c.table()
}

// newFoldTable lists the characters that become those of listed texts, which are folded, and the characters of these
// that become others. What other characters become makes no text equal to a listed one.
func newFoldTable(f Fold, listed []Listed[string]) *FoldTable {
	used := map[rune]bool{}
	for _, text := range listed {
		for _, r := range text.Value {
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
	return &FoldTable{From: from.String(), To: to.String(), Space: f.Space}
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
