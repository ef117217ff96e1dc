package query

import (
	"math"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/queries/strategy"
)

// Strategic is a query whose noise is not simply added to the cells of its answer: its tables are computed from noisy
// numbers that are not these cells.
type Strategic interface {
	// Strategy describes where the query adds noise and how large the errors of its tables are, if its components have
	// these mechanisms.
	Strategy(Adjacency, []calibrate.Mechanism) (Strategy, error)
}

// The names of the designs that a crosstabs query can have: one for levels that add up, one for other tables.
const (
	StrategyNested    = "levels"
	StrategyResiduals = "residuals"
)

// Strategy describes where the noise of a query is added, and the errors of the designs that were compared.
type Strategy struct {
	Name string `json:"name"`
	// Loss names the mean squared error that the design minimizes. Error is the square root of that mean, for the given
	// mechanisms. Bound is a lower bound on Error for any Gaussian design with the same mu; 0 if no bound is known.
	Loss  strategy.Loss `json:"optimize"`
	Error float64       `json:"rmse"`
	Bound float64       `json:"lower_bound,omitempty"`
	// Cell is the largest standard deviation of a noisy cell of the query's answer; 0 if the answer has no cells that
	// count rows. Tables may hold other numbers, such as cumulative counts, with other deviations.
	Cell float64 `json:"cell_standard_deviation,omitempty"`
	// Others are the errors of other designs with the same mu.
	Others []strategy.Candidate `json:"others"`
	Tables []StrategyTable      `json:"tables"`
	// Known are the names of the levels whose totals are public; estimates keep these totals exactly.
	Known []string `json:"known_totals,omitempty"`
	// Sums describes how the errors of cells add up; nil if they are independent, or if sums are a table of their own.
	Sums *SumsOfCells `json:"sums_of_cells,omitempty"`
}

// How the keys nonnegative and integers affect the estimates of crosstabs. These numbers were measured over random
// tables with many empty cells; `go test ./queries/kinds -v -run NonnegativeTablesHaveNoBias` prints them.
const (
	// MarginBias is the largest bias of a margin's cell, in standard deviations of its noise; the total has no bias. The
	// exception is rare values: a value with fewer rows than two standard deviations is too large by up to RareValueBias,
	// because an estimate that is never negative cannot have the mean 0. The other values of the column are too small by
	// as much in total: by more than RareValueBias each if a column has dozens of rare values (TestMarginsOfRareValues).
	MarginBias    = 0.1
	RareValueBias = 0.4
	// EmptyCellError is the largest error of an estimate in a cell without rows, in standard deviations of its noise:
	// cutting noise at 0 leaves sqrt(1/2) of its error. FullCellError is the error of all other cells together.
	EmptyCellError = 0.72
	FullCellError  = 1.1
	// LargeCellBias is the largest bias of a cell of a table by two columns, divided by the root of the number of values
	// of the shorter column, in standard deviations of the cell's noise. Empty cells are never negative, so they are too
	// large on average. The margins keep their sums, so a large cell beside them is too small.
	LargeCellBias = 0.7
)

// SumsOfCells describes the noise of sums of cells. Each is the variance of the noise that a cell has alone, Common the
// variance of the noise that all cells share. The sum of k noisy cells has the variance k·Each + k²·Common; the
// difference of two cells has 2·Each.
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
	Deviation float64  `json:"standard_deviation"` // of the noisiest cell
	// Factors[c] is the factor of component c's noise variance in the variance of the cell with the largest deviation;
	// nil if that variance is not a sum of multiples of the components' variances.
	Factors map[string]float64 `json:"-"`
}
