package query

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/quantize"
	"github.com/dprelease/dprelease/queries/strategy"
)

// Kind is a kind of query.
type Kind string

// The kinds of this version.
const (
	Count     Kind = "count"
	Histogram Kind = "histogram"
	Sum       Kind = "sum"
	Mean      Kind = "mean"
	Variance  Kind = "variance"
	Crosstab  Kind = "crosstabs"
	// OverBound counts the units with more rows than Bounds allow, instead of rows.
	OverBound Kind = "units_over_bound"
)

// Spec is everything public about a query.
type Spec struct {
	Name string
	Kind Kind
	// FloatUnit allows columns of floating-point numbers in Unit.
	FloatUnit bool
	// Unit is the privacy unit's columns; if there are none, each row is a unit unless Upstream is set.
	Unit []string
	// Called are the names of the unit's columns in messages, such as "driver" for a column that a join adds as
	// trips.driver; nil if they are the names in Unit.
	Called []string
	// Upstream is the unit of a table whose producer bounded it; nil if the program bounds units.
	Upstream *Upstream
	// Counts describes the count in a row of a table of counts; nil if each row counts once.
	Counts *quantize.Value
	Bounds Bounds
	// RowsShare is the fraction of the query's mu² that is spent on finding the bound on the rows of a unit, which is
	// at most Bounds.MaxRows; 0 if that is the bound.
	RowsShare float64
	// Value is the value that a sum or mean adds up, or the weight of a row in a weighted count or histogram; nil in
	// other kinds.
	Value *quantize.Value
	// By is the dimensions of a histogram, or the groups of a sum or mean.
	By []domain.Dimension
	// Read describes the tables that are computed from a histogram's noisy counts: its quantiles, and the rows at or
	// above some edges.
	Read Read
	// Crosstabs describes which tables are made of the dimensions; nil unless the kind is Crosstab.
	Crosstabs *Crosstabs
	// CommonNoise is the adjacency for which the cells of a histogram may have common noise; "" if they may not.
	CommonNoise Adjacency
	// Filtered is set if filters may drop rows, so that the number of rows in the query is private.
	Filtered bool
	// Declared is a declared L2 sensitivity, 0 if none is.
	Declared float64
	// MinUnits is the pre-threshold of a histogram that discovers keys: keys with fewer units are dropped before noise
	// is added; 0 stands for 1.
	MinUnits int64
	// ByWeights is set if a histogram that discovers keys selects them by weights of units, not by their number.
	ByWeights bool
	// Leader describes which query selects the keys of a query that adds values up; nil if its cells are listed.
	Leader *Leader
	// Location is the time zone of labels and edges without an offset, and of time fields, if the column holds
	// instants; UTC if it is nil.
	Location *time.Location
}

// Read describes tables that are computed from the noisy counts of a histogram with edges, at no cost: for each group
// of its other dimensions, how the rows are distributed over the cells between the edges. Rows in other cells, and
// dropped rows, do not count.
type Read struct {
	// Quantiles are decimal numbers above 0 and below 1.
	Quantiles []string
	// CDF is the share of the rows below each edge except the first.
	CDF bool
	// Sums is set if the job needs the numbers of rows below the edges: the noise is placed so that these numbers have
	// the least error.
	Sums bool
}

// Crosstabs describes which tables are made of a query's dimensions.
type Crosstabs struct {
	// Ways: all k-way marginals for each k.
	Ways []int
	// Tables are further tables, and the weights of some.
	Tables []CrosstabTable
	// Loss describes which error is minimized.
	Loss strategy.Loss
	// Nonnegative makes the estimates of all tables non-negative; the tables still agree.
	Nonnegative bool
	// RoundTo rounds the estimates to multiples of this number, 1 for integers; the tables still agree. 0 does not
	// round.
	RoundTo int64
	// Known are the public totals of the groups of levels over all cells of the other dimensions, by the index of the
	// level: integers. The totals of a level determine the totals of the levels above it.
	Known map[int][]float64
}

// Adjusted reports whether estimates differ from the noisy values.
func (x *Crosstabs) Adjusted() bool { return x.Nonnegative || x.RoundTo > 0 }

// CrosstabTable is a table by some dimensions, named as their key columns are.
type CrosstabTable struct {
	By []string
	// Weight is the weight of the table's error relative to the others; 0 stands for 1.
	Weight float64
}

// Leader is a histogram that selects keys, for queries that add values up by the same keys.
type Leader struct {
	Name string
	// Dims is the number of the leader's dimensions. They are the first dimensions of the follower.
	Dims int
	// MinUnits is the least number of units of a key that it selects.
	MinUnits int64
}

// Upstream is a privacy unit that the table does not show: its producer promises a bound on what one unit changes, and
// the program relies on it.
type Upstream struct {
	// Name names the unit.
	Name string
	// Rows is the largest number of rows of a unit, or of rows whose counts it changes, each by at most Change. Change
	// is 1 if rows are not counts.
	Rows, Change int64
	// Sum is the largest change of all counts together by a unit, instead of Rows and Change; else 0.
	Sum int64
	// Distinct are columns in which no two rows of a unit are equal; empty if they may be.
	Distinct []string
}

// PerRow reports whether each row is a privacy unit of its own.
func (s Spec) PerRow() bool { return len(s.Unit) == 0 && s.Upstream == nil }

// BoundsUnits reports whether the program bounds the rows of units.
func (s Spec) BoundsUnits() bool { return len(s.Unit) > 0 }

// OnceACell reports whether no cell has two rows of one unit, because the dimensions have a cell of their own for each
// value of the columns in which rows of a unit differ.
func (s Spec) OnceACell() bool {
	if s.Upstream == nil || len(s.Upstream.Distinct) == 0 {
		return false
	}
	for _, column := range s.Upstream.Distinct {
		if !slices.ContainsFunc(s.By, func(d domain.Dimension) bool { return d.Column == column && d.Separates() }) {
			return false
		}
	}
	return true
}

// CountsWeights reports whether a count or histogram adds up the weights of rows.
func (s Spec) CountsWeights() bool { return s.Value != nil && (s.Kind == Count || s.Kind == Histogram) }

// UnitName names the privacy unit in messages: "row", "cab_id" or "(cab_id, hour)".
func (s Spec) UnitName() string {
	if s.Upstream != nil {
		return s.Upstream.Name
	}
	names := s.Unit
	if s.Called != nil {
		names = s.Called
	}
	switch len(names) {
	case 0:
		return "row"
	case 1:
		return names[0]
	}
	return "(" + strings.Join(names, ", ") + ")"
}

// EachUnit begins the argument for a sensitivity: "each cab_id", or the party that promises the bound.
func (s Spec) EachUnit() string {
	if s.Upstream != nil {
		return "as the table's producer promises, each " + s.Upstream.Name
	}
	return "each " + s.UnitName()
}

// ByField returns the path of the dimensions in the query.
func (s Spec) ByField() string { return string(s.Kind) + ".by" }

// DimensionField returns the path of a dimension in the query.
func (s Spec) DimensionField(i int) string { return fmt.Sprintf("%s[%d]", s.ByField(), i) }

// Discovers reports whether some dimension has no listed keys.
func (s Spec) Discovers() bool {
	return slices.ContainsFunc(s.By, func(d domain.Dimension) bool { return d.Discover })
}
