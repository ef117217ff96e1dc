package query

import (
	"math"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/queries/strategy"
)

// Strategic is a query whose tables are computed from components that are not their cells.
type Strategic interface {
	// Strategy describes how, for mechanisms of its components.
	Strategy(Adjacency, []calibrate.Mechanism) (Strategy, error)
}

// The names of the strategies of crosstabs: levels that add up, and other tables.
const (
	StrategyNested    = "levels"
	StrategyResiduals = "residuals"
)

// Strategy describes where the noise of a query goes, and the errors of other strategies.
type Strategy struct {
	Name string `json:"name"`
	// Loss is the mean squared error that the strategy minimizes, and Error its root at these mechanisms. Bound is a
	// lower bound on Error for any Gaussian noise of the same mu; 0 if no bound is known.
	Loss  strategy.Loss `json:"optimize"`
	Error float64       `json:"rmse"`
	Bound float64       `json:"lower_bound,omitempty"`
	// Cell is the largest standard deviation of a noisy cell of the query's answer. It differs from the deviations of
	// Tables if these hold other numbers, such as sums below edges; 0 if the answer has no cells that count rows.
	Cell float64 `json:"cell_standard_deviation,omitempty"`
	// Others are the errors of other strategies at the same mu.
	Others []strategy.Candidate `json:"others"`
	Tables []StrategyTable      `json:"tables"`
	// Known names the levels whose totals are public and kept exactly.
	Known []string `json:"known_totals,omitempty"`
	// Sums describes how the errors of cells add up; nil if they are independent, or if sums are a table of their own.
	Sums *SumsOfCells `json:"sums_of_cells,omitempty"`
}

// What `nonnegative` and `integers` do to the estimates of crosstabs, whatever the table: measured over random tables
// with many empty cells, whose test states how often it fails by chance. `go test ./queries/kinds -v -run
// NonnegativeTablesHaveNoBias` prints the numbers.
const (
	// MarginBias is the largest bias of a margin, in its standard deviations; the total has none. A value of a column
	// with less than two standard deviations of rows is too large by up to RareValueBias, since no estimate that is
	// never negative has the mean 0. The other values are too small by as much as all of these together: by more than
	// RareValueBias each if a column has dozens of such values (TestMarginsOfRareValues).
	MarginBias    = 0.1
	RareValueBias = 0.4
	// EmptyCellError is the largest error of an estimate in a cell without rows, in standard deviations of its noise:
	// noise that is cut at 0 has sqrt(1/2) of its error. FullCellError is the error of the other cells together.
	EmptyCellError = 0.72
	FullCellError  = 1.1
	// LargeCellBias is the largest bias of a cell by two columns, in standard deviations of its noise, for each root of
	// the number of values of the column that has fewer. A large cell beside cells without rows is too small: these are
	// not negative and are thus too large on average, and the margins keep the sum.
	LargeCellBias = 0.7
)

// SumsOfCells holds the variances of two kinds of noise: Each is the noise of each cell alone, Common the noise that
// all cells have in common. The variance of the sum of k noisy cells is k times the first plus k² times the second; the
// variance of the difference of two cells is twice the first.
type SumsOfCells struct {
	Each   float64 `json:"variance_of_each"`
	Common float64 `json:"variance_in_common"`
}

// Deviation returns the standard deviation of the sum of k noisy cells.
func (s *SumsOfCells) Deviation(k int) float64 {
	n := float64(k)
	return math.Sqrt(n*s.Each + n*n*s.Common)
}

// StrategyTable is a table that is computed from a query's components.
type StrategyTable struct {
	Name      string   `json:"name"`
	By        []string `json:"by"`
	Cells     int      `json:"cells"`
	Deviation float64  `json:"standard_deviation"` // of the noisy cell that has the largest
	// Factors describe which multiple of the variance of each component's noise is in the variance of that cell; nil if
	// it is not linear in them.
	Factors map[string]float64 `json:"-"`
}
