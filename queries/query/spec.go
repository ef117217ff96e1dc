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

// The kinds of queries.
const (
	Count     Kind = "count"
	Histogram Kind = "histogram"
	Crosstab  Kind = "crosstabs"
	Sum       Kind = "sum"
	Mean      Kind = "mean"
	Variance  Kind = "variance"
	// OverBound counts units that have more rows than Bounds allow. In a job it is a measure of a count.
	OverBound Kind = "units_over_bound"
)

// kindFacts is what the checks, the statements and the page need to know of a kind.
type kindFacts struct {
	// adds is set if the query adds up the values of a column, which may be negative. Otherwise it counts.
	adds bool
	// quotient is set if its sums are divided by private numbers of rows, unless the job states these numbers.
	quotient bool
	// words begin the description of the query, before the name of its column; "" if it has no column.
	words string
}

// kinds holds the kinds of queries. Add a new kind here.
var kinds = map[Kind]kindFacts{
	Count: {}, Histogram: {}, Crosstab: {}, OverBound: {},
	Sum:      {adds: true, words: "Sums of "},
	Mean:     {adds: true, quotient: true, words: "Means of "},
	Variance: {adds: true, quotient: true, words: "Variances of "},
}

// Known reports whether k is a kind of query.
func (k Kind) Known() bool {
	_, ok := kinds[k]
	return ok
}

// AddsUp reports whether the query adds up the values of a column, which may be negative. Otherwise it counts.
func (k Kind) AddsUp() bool { return kinds[k].adds }

// IsQuotient reports whether the query divides sums by numbers of rows.
func (k Kind) IsQuotient() bool { return kinds[k].quotient }

// Words returns the beginning of the query's description, before the name of its column; "" if it has no column.
func (k Kind) Words() string { return kinds[k].words }

// Spec is all public facts about a query.
type Spec struct {
	Name string
	Kind Kind
	// FloatUnit allows columns of floating-point numbers in Unit.
	FloatUnit bool
	// Unit is the names of the privacy unit's columns. If it is empty, each row is a unit, unless Upstream is set.
	Unit []string
	// Called are the names of the unit's columns in messages, such as "driver" for a joined column trips.driver. nil if
	// they are the names in Unit.
	Called []string
	// Upstream describes the unit of a table whose producer bounded its contribution; nil if the program does.
	Upstream *Upstream
	// Counts describes the column that holds the number of rows that a row stands for; nil if each row counts once.
	Counts *quantize.Value
	Bounds Bounds
	// SampleBy names the columns that choose, with the unit, which rows of a unit count; nil if cells and values do.
	SampleBy []string
	// RowsShare is set if the bound on the rows of a unit is chosen privately, at most Bounds.MaxRows. It is the fraction
	// of the query's mu² that the choice costs; 0 if Bounds.MaxRows is the bound.
	RowsShare float64
	// Value describes the values that a sum or mean adds up, or the weight of a row in a weighted count or histogram; nil
	// for other queries.
	Value *quantize.Value
	// By is the dimensions of a histogram, or the groups of a sum or mean.
	By []domain.Dimension
	// Read describes tables that are computed from a histogram's noisy counts: quantiles, and cumulative counts.
	Read Read
	// Crosstabs describes which tables are made; nil unless the kind is Crosstab.
	Crosstabs *Crosstabs
	// CommonNoise is the adjacency, if the cells of a histogram may have common noise, otherwise "".
	CommonNoise Adjacency
	// Filtered is set if filters may drop rows, so that the number of rows in the query is private.
	Filtered bool
	// Declared is the L2 sensitivity that the job declares; 0 if it declares none.
	Declared float64
	// MinUnits is the pre-threshold of a histogram that discovers keys: keys with fewer units are dropped before noise is
	// added; 0 means 1.
	MinUnits int64
	// ByWeights is set if a histogram selects its keys by totals of weights; see [KeyWeigher].
	ByWeights bool
	// Leader describes the query that selects the keys by which this query adds values up; nil if its cells are listed.
	Leader *Leader
	// Location is the time zone of labels and edges without an offset, and of time fields, if the column holds
	// instants; UTC if it is nil.
	Location *time.Location
}

// Read describes tables that are computed from the noisy counts of a histogram with edges, at no cost. For each group,
// which is a combination of the other dimensions' cells, they describe how rows are distributed between the edges. Rows
// in other cells, and dropped rows, do not count.
type Read struct {
	// Quantiles are decimal numbers above 0 and below 1, such as "0.5".
	Quantiles []string
	// CDF requests the fraction of rows below each edge except the first.
	CDF bool
	// Sums is set if the job needs cumulative counts: the noise is designed so that these have the least error.
	Sums bool
}

// Crosstabs describes which tables are made of a query's dimensions.
type Crosstabs struct {
	// Ways requests all k-way marginals for each k in it.
	Ways []int
	// Tables lists further tables, and weights of tables.
	Tables []CrosstabTable
	// Loss describes which error is minimized.
	Loss strategy.Loss
	// Nonnegative makes the estimates of all tables non-negative, so that the tables still agree.
	Nonnegative bool
	// RoundTo rounds the estimates to multiples of this number (1 for integers), so that the tables still agree; 0 does
	// not round.
	RoundTo int64
	// Known holds public totals, which are integers: Known[l][g] is the total of group g of level l over all cells of the
	// other dimensions. The totals of a level determine those of the levels above.
	Known map[int][]float64
}

// Adjusted reports whether estimates differ from the noisy values.
func (x *Crosstabs) Adjusted() bool { return x.Nonnegative || x.RoundTo > 0 }

// CrosstabTable is a table by some dimensions, which are named as their key columns are.
type CrosstabTable struct {
	By []string
	// Weight is how much the table's error counts relative to other tables; 0 means 1.
	Weight float64
}

// Leader is a histogram that selects keys by which other queries add values up.
type Leader struct {
	Name string
	// Dims is the number of the histogram's dimensions. They are also the first dimensions of the other query.
	Dims int
	// MinUnits is the pre-threshold of the histogram.
	MinUnits int64
}

// Upstream describes a privacy unit that the table has no column for. The table's producer promises a bound on how much
// one unit changes, and the program relies on it.
type Upstream struct {
	// Name is the name of the unit, for messages.
	Name string
	// Rows is the largest number of rows of a unit. In a table of counts, it is the largest number of rows whose count the
	// unit changes, each by at most Change. Change is 1 in other tables.
	Rows, Change int64
	// Sum is the largest amount by which a unit changes all counts together; 0 if there is no such bound. If Sum is set,
	// Rows and Change are not bounds.
	Sum int64
	// Distinct are columns in which any two rows of a unit differ; empty if rows of a unit may be equal.
	Distinct []string
}

// PerRow reports whether each row is a privacy unit of its own.
func (s Spec) PerRow() bool { return len(s.Unit) == 0 && s.Upstream == nil }

// BoundsUnits reports whether the program itself bounds the rows of units.
func (s Spec) BoundsUnits() bool { return len(s.Unit) > 0 }

// OnceACell reports whether a unit has at most one row in each cell, because the dimensions have a separate cell for
// each value of the Distinct columns.
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

// UnitName returns the privacy unit as messages name it: "row", "cab_id" or "(cab_id, hour)".
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

// EachUnit returns the words with which the reason for a sensitivity begins: "each cab_id" or, if the table's producer
// promises the bound, "as the table's producer promises, each …".
func (s Spec) EachUnit() string {
	if s.Upstream != nil {
		return "as the table's producer promises, each " + s.Upstream.Name
	}
	return "each " + s.UnitName()
}

// ByField returns the path of the dimensions, relative to the query.
func (s Spec) ByField() string { return string(s.Kind) + ".by" }

// DimensionField returns the path of dimension i, relative to the query.
func (s Spec) DimensionField(i int) string { return fmt.Sprintf("%s[%d]", s.ByField(), i) }

// Discovers reports whether some dimension discovers its keys.
func (s Spec) Discovers() bool {
	return slices.ContainsFunc(s.By, func(d domain.Dimension) bool { return d.Discover })
}
