package domain

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/internal/columnar"
	"github.com/dprelease/dprelease/queries/problem"
)

// Codings: the code of each value, as plain data
//
// A dimension or a filter, together with the type of its column, becomes a [Coding]. The local engine evaluates a
// coding with the coder that [Coding.Coder] returns, a database with an SQL expression (pipeline/sqlpush). So a new
// form of dimension needs a field in Coding and an evaluation in each engine.

// Coding maps each value of a column, or each place (a latitude and a longitude in two columns), to a code. The code is
// the cell of an axis, or [Dropped] if the row is not counted. Nulls and NaN have the code Null.
//
// Exactly one of the fields from Ints on is set, with one exception: for a text column that is read as numbers, both
// steps or both ranges are set. Then IntSteps or IntRange applies to integers in int64's range that are written without
// a point or exponent. FloatSteps or FloatRange applies to all other numbers that [ParseFloat] reads.
//
// Unsigned integers are held as in the Ints of [table.Values]. In steps and ranges their sign bit is flipped, so that
// signed comparison orders them correctly.
type Coding struct {
	Column string
	Type   table.Type
	// Null is the code of nulls and NaN. Other is the code of values that belong to no cell.
	Null, Other int32
	// Ints, Floats and Texts hold the listed values and their codes. Numbers are in ascending order. Texts are folded (see
	// Fold), in the order of the job, and may occur twice with the same code.
	Ints   []Listed[int64]
	Floats []Listed[float64]
	Texts  []Listed[string]
	// Fold is the folding of a text before it is looked up in Texts.
	Fold Fold
	// IntSteps and FloatSteps map a value to the index of the last step that is not above the value.
	IntSteps   *Steps[int64]
	FloatSteps *Steps[float64]
	// IntRange and FloatRange map numbers in the range to 0, and all other numbers to Other.
	IntRange   *Span[int64]
	FloatRange *Span[float64]
	// NotNull is set if every value has the code 0. Nulls and NaN have the code Null.
	NotNull bool
	// TimeField is the name of a time field, such as hour_of_day. Instants are first converted to local time in Zone, a
	// time zone.
	TimeField string
	Zone      string
	// Grid maps a place to its cell in a grid. Nearest maps a place to its nearest point.
	Grid    *GridCells
	Nearest *NearestPoints

	// zone, offsets, table and values follow from the fields above and are computed once. values returns the coder for
	// single values; it is nil if each AxisCoder needs its own.
	zone    *time.Location
	offsets func() *Offsets
	table   func() *FoldTable
	values  func() valueCoder
}

// Dropped is the code of a row that is not counted.
const Dropped = columnar.Dropped

// Listed is a listed value and its code.
type Listed[T cmp.Ordered] struct {
	Value T
	Code  int32
}

// Steps maps numbers to codes by the ascending steps At. A value v with At[i] ≤ v < At[i+1] has the code i. A value
// below the first step has the code Below, a value from the last step on the code Beyond. If Closed is set, a value
// equal to Last has the code LastCode.
type Steps[T int64 | float64] struct {
	At       []T
	Cells    int32
	Below    int32
	Beyond   int32
	Closed   bool
	Last     T
	LastCode int32
}

// Span holds the numbers from Least to Most, inclusive. It is empty if Least is above Most.
type Span[T int64 | float64] struct{ Least, Most T }

// GridCells holds the edges of a grid's rows and columns. A latitude from edge i to below edge i+1 is in row i; the
// last row includes its upper edge. Longitudes are divided into columns in the same way.
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

// Numerals reports whether the column holds texts that are read as numbers.
func (c *Coding) Numerals() bool {
	return c.Type.Kind == table.String && (c.IntSteps != nil || c.IntRange != nil)
}

// Offsets returns the offsets from UTC that the coding of a time field needs. It returns nil for other codings.
func (c *Coding) Offsets() *Offsets {
	if c.offsets == nil {
		return nil
	}
	return c.offsets()
}

// Coding returns the coding of an axis for the columns that l describes. If a column does not fit, ok is false and
// l.Problems has the reason.
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
	c.shareValues()
	return c, len(l.Problems.List) == before
}

// Coder returns a RowCoder that computes the coding in this program, not in a database. It is for batches with the
// columns of l, which must have been checked.
func (c *Coding) Coder(l BatchColumns) RowCoder {
	switch {
	case c.Grid != nil:
		return newPointCoder(c, c.Grid.locator(c.Other), l)
	case c.Nearest != nil:
		return newPointCoder(c, nearestCells{c.Nearest.index, c.Other}, l)
	}
	return c.axisCoder(l)
}

// axisCoder returns the local evaluation of a coding of one column.
func (c *Coding) axisCoder(l BatchColumns) *AxisCoder {
	values := c.values
	if values == nil {
		values = c.valueCoder
	}
	return &AxisCoder{At: slices.Index(l.Columns, c.Column), Kind: c.Type, Values: values(), Null: c.Null}
}

// shareValues makes all workers use one coder for single values, since its tables can be large. It is called when the
// other fields of c are set. A coder of time fields has buffers, so that it cannot be shared.
func (c *Coding) shareValues() {
	if c.TimeField == "" {
		own := *c
		c.values = sync.OnceValue(own.valueCoder)
	}
}

// valueCoder returns the coder for single values of the column, or nil if the coding has no cells.
func (c *Coding) valueCoder() valueCoder {
	ints := integers{Unsigned: c.Type.Kind == table.Uint}
	switch {
	case c.Texts != nil:
		return newTextLabels(c)
	case c.Ints != nil:
		return newIntLabels(c)
	case c.Floats != nil:
		return floatLabels{codesOf(c.Floats), c.extra()}
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

// FoldTable describes folding for a database. It replaces each character of From by the character at the same index of
// To. If Space is set, it then removes spaces at both ends and replaces inner runs of spaces by one space.
type FoldTable struct {
	From, To string
	Space    bool
}

// FoldTable returns how a database must fold texts so that they match listed ones. It returns nil if texts are not
// folded. It also returns nil if accents are folded, because a database may have another version of Unicode.
func (c *Coding) FoldTable() *FoldTable {
	if c.table == nil {
		return nil
	}
	return c.table()
}

// newFoldTable lists the characters that folding changes. It omits a change if neither the character nor its
// replacement occurs in a listed text and the replacement is not a space: such a change makes no text equal to a listed
// one.
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

// InfiniteCode returns the code of positive or negative infinity, by the sign: the last or the first cell. If the last
// cell does not include its upper edge, positive infinity belongs to no cell.
func (s *Steps[T]) InfiniteCode(sign int) int32 {
	switch {
	case !s.Closed:
		return s.Beyond
	case math.Signbit(float64(sign)):
		return 0
	}
	return s.LastCode
}
