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

// Codings: the code of each value, as plain data
//
// A dimension or a filter and the type of its column make a [Coding]. The local engine evaluates it by the coder that
// [Coding.Coder] makes, a database by an expression (pipeline/sqlpush). Both are derived from the coding alone: a new
// form of dimension is one field of the coding and one evaluation in each engine.

// Coding gives each value of a column, or each place of two columns, a code: a cell of an axis, or [Dropped] if the row
// is left out. Nulls and NaN have the code Null. Exactly one of the fields from Ints on is set, with one exception:
// texts that are read as numbers have both steps or both ranges. The integer version then applies to integers in
// int64's range without point and exponent, the float version to all other numbers that [ParseFloat] reads.
//
// Unsigned integers are held as [table.Values] holds them in Ints. In steps and ranges their sign bit is flipped, so
// that signed comparison orders them correctly.
type Coding struct {
	Column string
	Type   table.Type
	// Null is the code of nulls and NaN, Other the code of values that are in no cell.
	Null, Other int32
	// Ints, Floats and Texts hold the listed values and their codes. Numbers are in ascending order. Texts are folded,
	// in the job's order, and may occur twice with the same code.
	Ints   []Listed[int64]
	Floats []Listed[float64]
	Texts  []Listed[string]
	// Fold is how a text is folded before it is looked up in Texts.
	Fold Fold
	// IntSteps and FloatSteps give a value the number of the last step that is at most the value.
	IntSteps   *Steps[int64]
	FloatSteps *Steps[float64]
	// IntRange and FloatRange give the numbers from Least to Most the code 0, and all others Other.
	IntRange   *Span[int64]
	FloatRange *Span[float64]
	// NotNull gives the code 0 to all values.
	NotNull bool
	// TimeField is the name of a time field. Instants are converted to local time in Zone first.
	TimeField string
	Zone      string
	// Grid is a grid over two columns; Nearest assigns places of two columns to their nearest point.
	Grid    *GridCells
	Nearest *NearestPoints

	// derived from the fields above, once for all evaluations
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

// Steps are ascending. A value from step i to before step i+1 has the code i. A value from the last step on has the
// code Beyond, a value below the first step Below. If Closed is set, a value equal to Last has the code LastCode.
type Steps[T int64 | float64] struct {
	At       []T
	Cells    int32
	Below    int32
	Beyond   int32
	Closed   bool
	Last     T
	LastCode int32
}

// Span holds the numbers from Least to Most, inclusive; it is empty if Least is above Most.
type Span[T int64 | float64] struct{ Least, Most T }

// GridCells holds the edges of the rows and columns of a grid. A place is in row i if it is from edge i to before edge
// i+1; the last row includes its upper edge. Columns follow the same rule.
type GridCells struct {
	Lat, Lon   string
	Rows, Cols []float64
}

// Columns returns the names of the columns that the coding reads: one, or a latitude and a longitude.
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

// Offsets returns the zone offsets of a time field; nil if the coding has no time field.
func (c *Coding) Offsets() *Offsets {
	if c.offsets == nil {
		return nil
	}
	return c.offsets()
}

// Coding returns the coding of an axis for the columns of a layout, or reports columns that do not fit.
func (a *Axis) Coding(l BatchColumns) (c Coding, ok bool) {
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
func (c *Coding) Coder(l BatchColumns) RowCoder {
	switch {
	case c.Grid != nil:
		return newPointCoder(c, c.Grid.locator(c.Other), l)
	case c.Nearest != nil:
		return newPointCoder(c, nearestCells{c.Nearest.index, c.Other}, l)
	}
	return c.axisCoder(l)
}

// axisCoder is Coder for a coding of one column.
func (c *Coding) axisCoder(l BatchColumns) *AxisCoder {
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

// list converts a map to a list of values with their codes, sorted by value.
func list[T cmp.Ordered](codes map[T]int32) []Listed[T] {
	out := make([]Listed[T], 0, len(codes))
	for _, v := range slices.Sorted(maps.Keys(codes)) {
		out = append(out, Listed[T]{v, codes[v]})
	}
	return out
}

// FoldTable replaces each character of From by the character at the same index of To. If Space is set, it then trims
// spaces at both ends and collapses inner runs of spaces to one.
type FoldTable struct {
	From, To string
	Space    bool
}

// FoldTable returns the table by which a database folds texts; nil if texts are not folded or accents are folded, since
// a database may have another version of Unicode.
func (c *Coding) FoldTable() *FoldTable {
	if c.table == nil {
		return nil
	}
	return c.table()
}

// newFoldTable lists every character that folding changes, if the character or its image occurs in a listed text or the
// image is a space: other changes cannot make a text equal to a listed one.
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

// InfiniteCode returns the code of an infinite value among float steps: the first or the last cell, unless the last
// cell is open.
func (s *Steps[T]) InfiniteCode(sign int) int32 {
	switch {
	case !s.Closed:
		return s.Beyond
	case math.Signbit(float64(sign)):
		return 0
	}
	return s.LastCode
}
