package manifest

import "github.com/dprelease/dprelease/queries/query"

// Query describes one query of a release.
type Query struct {
	Name  string `json:"name"`
	Kind  string `json:"kind"`
	Cells int    `json:"cells"`
	// Mechanisms are the noisy vectors of the query, in the plan's order. A mean, for example, has one of sums and one of
	// counts.
	Mechanisms []Mechanism `json:"mechanisms"`
	// Scale is the factor from the unit of the first mechanism to the unit of the answer; 0 stands for 1.
	Scale float64 `json:"scale,omitempty"`
	// HalfWidth is the half-width of the 95 % interval of a noisy cell, in the unit of the answer; nil if it is
	// unknown. If OverRows is set, it must be divided by the private number of rows.
	HalfWidth *float64   `json:"ci95_half_width,omitempty"`
	OverRows  bool       `json:"over_rows,omitempty"`
	Selection *Selection `json:"selection,omitempty"`
	// KeysOf names the other query that selected this query's keys; "" if there is none.
	KeysOf string `json:"keys_of,omitempty"`
	// Strategy describes how the tables are computed from the mechanisms' noisy vectors; nil if these are the cells of the
	// table.
	Strategy *Strategy `json:"strategy,omitempty"`
	// Search describes how the clamp was found; nil if the job sets it.
	Search *Search `json:"discovered_clamp,omitempty"`
	// RowsSearch describes how max_rows was found; nil if the job sets it.
	RowsSearch *RowsSearch `json:"discovered_max_rows,omitempty"`
	// Publish describes which cells are withheld; nil if none are.
	Publish *Publish `json:"publish,omitempty"`
	Denoise []string `json:"denoise,omitempty"`
	// Biased is set if the expected value of an estimate differs from the exact answer.
	Biased bool `json:"biased"`
	// Notes are public sentences on choices that the denoising steps made, with their reasons.
	Notes []string `json:"denoise_notes,omitempty"`
	// Expected is the expected error of the estimates; nil if there are no denoising steps, or if it is unknown.
	Expected *Error `json:"expected_error,omitempty"`
	// Rates are tables of quotients computed from the noisy cells.
	Rates []Rate `json:"rates,omitempty"`
	Files []File `json:"files"`
}

// Rate describes a table of quotients: the noisy cells of its query, times Times, divided by the noisy cells of the
// query Per, or by the numbers in the column Value of a public file. The interval is Fieller's. Each cell is divided by
// the cell with the same labels. A divisor with fewer dimensions divides all cells that share its labels.
type Rate struct {
	Name         string  `json:"name"`
	Per          string  `json:"per,omitempty"`
	File         string  `json:"file,omitempty"`
	Value        string  `json:"value,omitempty"`
	Times        float64 `json:"times"`
	MaxHalfWidth float64 `json:"max_half_width,omitempty"`
}

// Discovered reports whether the query's keys were selected from the private table.
func (q *Query) Discovered() bool { return q.Selection != nil || q.KeysOf != "" }

// Publish is the rule that decides, from noisy values alone, which cells are withheld. A limit of 0 does not apply.
type Publish struct {
	MinCount         float64 `json:"min_count,omitempty"`
	MaxRelativeError float64 `json:"max_relative_error,omitempty"`
	// Withheld is the number of cells left empty. In the table, the column "withheld" is 1 for these cells.
	// For crosstabs it is the number of cells in the tables that are computed from the answer.
	Withheld int `json:"withheld"`
	// Complementary is the number of these cells that satisfy the rule. If they were shown, a reader could compute
	// cells that do not satisfy it, because tables agree with each other.
	Complementary int `json:"complementary,omitempty"`
}

// Mechanism describes one noisy vector of a query. All numbers are in the vector's own unit; multiplied by the query's
// Scale they are in the answer's unit.
type Mechanism struct {
	// Component distinguishes the mechanisms of a query with several: "sum", "count", "squares", or the dimensions of a
	// table of crosstabs. Otherwise it is "".
	Component string `json:"component,omitempty"`
	// Follows names the component from whose noisy values this mechanism's sensitivity was chosen; "" if the sensitivity
	// is fixed.
	Follows string `json:"follows,omitempty"`
	// Noise names the distribution: "Gaussian", "two-sided geometric" or "Laplace".
	Noise       string      `json:"noise"`
	Sensitivity Sensitivity `json:"sensitivity"`
	// Scale is the scale of geometric or Laplace noise; its epsilon is the L1 sensitivity divided by the scale. Sigma is
	// the standard deviation of Gaussian noise. For other noise, it is the sigma of the Gaussian mechanism that the ledger
	// charges, which reveals at least as much.
	Scale float64 `json:"scale,omitempty"`
	Sigma float64 `json:"sigma"`
	Grid  float64 `json:"grid"`
	// StandardDeviation is the standard deviation of the published noisy values: sqrt(sigma^2 + grid^2/12) for Gaussian
	// noise; for geometric noise, the standard deviation of that noise.
	StandardDeviation float64 `json:"standard_deviation"`
	Mu                float64 `json:"mu"`
}

// Sensitivity is an L2 sensitivity, or an L1 sensitivity if the noise is not Gaussian, with a one-line argument for it.
type Sensitivity struct {
	L1  float64 `json:"l1,omitempty"`
	L2  float64 `json:"l2,omitempty"`
	Why string  `json:"why"`
}

// Error is the expected error of an estimate, averaged over all cells of a query, in the unit of the answer: the root
// mean squared error and its 95 % interval, estimated from the noisy values. It is not a confidence interval for a
// cell. Only the noisy value has one.
type Error struct {
	RMSE float64 `json:"rmse"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// Selection describes how the keys of a query were selected, if the job does not list them.
type Selection struct {
	// MaxGroups is the largest number of keys in which one unit counts, once in each.
	MaxGroups int64 `json:"max_groups"`
	// MinUnits is the pre-threshold: keys with fewer units were dropped before noise was added; 0 stands for 1.
	MinUnits int64 `json:"min_units,omitempty"`
	// Weighted is set if a unit with d keys adds up to sqrt(max_groups/d) to the noisy count of each key, instead of 1.
	Weighted bool `json:"weighted,omitempty"`
	// Delta is the part of delta_failure for this query.
	Delta float64 `json:"delta"`
	// Threshold is the smallest noisy count with which a key is published.
	Threshold float64 `json:"threshold"`
}

// Charged is the ledger's charge for a mechanism before a search chose its sensitivity.
type Charged struct {
	L2    float64 `json:"l2"`
	Sigma float64 `json:"sigma"`
}

// Search describes how the clamp of a query was found. Share is the fraction of the query's mu² that the search took.
// The other fields are the mechanism of the noisy histogram, its noisy values, and the clamp that was chosen from these
// values alone. The sensitivities of the query's mechanisms are those under that clamp.
type Search struct {
	Share     float64   `json:"share"`
	Mechanism Mechanism `json:"mechanism"`
	// Charged are the query's mechanisms as they were charged, for the widest public range.
	Charged []Charged `json:"charged"`
	query.ClampSearch
}

// RowsSearch describes how max_rows was found: the search's fraction of the query's mu², its mechanism and its choice.
type RowsSearch struct {
	Share     float64   `json:"share"`
	Mechanism Mechanism `json:"mechanism"`
	// Charged are the query's mechanisms as they were charged, for the largest row bound.
	Charged []Charged `json:"charged"`
	// Most[i] is the largest value that one row adds to a cell of mechanism i. The search gives the noise relative to it.
	Most []float64 `json:"row_adds_at_most"`
	query.RowsSearch
}

// Strategy describes how the tables of a query are computed from its mechanisms' noisy vectors, if the vectors are not
// the cells.
type Strategy struct {
	Name string `json:"name"`
	// Optimize names the error that the strategy minimises; RMSE is its square root. LowerBound is a lower bound on the
	// RMSE of any Gaussian noise with the same mu; 0 if none is known.
	Optimize   string  `json:"optimize"`
	RMSE       float64 `json:"rmse"`
	LowerBound float64 `json:"lower_bound,omitempty"`
	// Others are the RMSEs of other strategies at the same mu.
	Others []Candidate `json:"others"`
	Tables []Table     `json:"tables"`
	// SumsOfCells describes how the errors of cells add up. It is nil if they are independent, or if sums are published as
	// a table of their own.
	SumsOfCells *SumsOfCells `json:"sums_of_cells,omitempty"`
}

// SumsOfCells holds two variances: of the noise that each cell has alone, and of the noise that all cells have in
// common. A sum of k noisy cells has the variance k times the first plus k² times the second; a difference of two cells
// has twice the first.
type SumsOfCells struct {
	Each   float64 `json:"variance_of_each"`
	Common float64 `json:"variance_in_common"`
}

// Candidate is a strategy that was considered but not chosen.
type Candidate struct {
	Name string  `json:"name"`
	RMSE float64 `json:"rmse"`
}

// Table describes a table that is computed from a query's noisy vectors. The largest variance of a noisy cell is Σ
// Factors[i]·(variance of component i). If Factors is empty, the variance is not linear in the components' variances.
type Table struct {
	Name              string             `json:"name"`
	By                []string           `json:"by"`
	Cells             int                `json:"cells"`
	StandardDeviation float64            `json:"standard_deviation"`
	Factors           map[string]float64 `json:"factors,omitempty"`
}

// File is one file of a release. Path is relative to the release folder. Rows is the number of rows; 0 for a document.
// Holds names the table if it was computed from the query's answer (quantiles, cdf, or a table of crosstabs); it is
// empty for the answer itself.
type File struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
	Rows   int    `json:"rows"`
	// Raw is set if the strings of a CSV table are unescaped. Otherwise a reader must remove one leading apostrophe from a
	// string.
	Raw   bool   `json:"raw,omitempty"`
	Holds string `json:"holds,omitempty"`
}
