package manifest

import "github.com/dprelease/dprelease/queries/query"

// Query describes one query of a release.
type Query struct {
	Name  string `json:"name"`
	Kind  string `json:"kind"`
	Cells int    `json:"cells"`
	// Mechanisms are the noisy vectors of the query; a mean has one of sums and one of counts. They are in the job's
	// order.
	Mechanisms []Mechanism `json:"mechanisms"`
	// Scale converts the unit of the first mechanism to the unit of the answer; 0 stands for 1.
	Scale float64 `json:"scale,omitempty"`
	// HalfWidth is half the width of the 95 % interval of a noisy cell, in the unit of the answer; nil if it is not
	// known. If OverRows is set, divide it by the private number of rows.
	HalfWidth *float64   `json:"ci95_half_width,omitempty"`
	OverRows  bool       `json:"over_rows,omitempty"`
	Selection *Selection `json:"selection,omitempty"`
	// KeysOf names the query that selected the keys; "" if they are listed, or if this query selects them itself.
	KeysOf string `json:"keys_of,omitempty"`
	// Strategy describes how tables are put together from mechanisms that are not their cells; nil if the cells have
	// the noise.
	Strategy *Strategy `json:"strategy,omitempty"`
	// Search describes how the clamp was found; nil if the job has it.
	Search *Search `json:"discovered_clamp,omitempty"`
	// RowsSearch describes how max_rows was found; nil if the job has it.
	RowsSearch *RowsSearch `json:"discovered_max_rows,omitempty"`
	// Publish describes which cells are left empty; nil if all are shown.
	Publish *Publish `json:"publish,omitempty"`
	Denoise []string `json:"denoise,omitempty"`
	// Biased: the mean of an estimate is not the exact answer.
	Biased bool `json:"biased"`
	// Notes describe the choices of the denoising steps, and their reasons, in public words.
	Notes []string `json:"denoise_notes,omitempty"`
	// Expected is the expected error of the estimates; nil if there are no steps, or if it is not known.
	Expected *Error `json:"expected_error,omitempty"`
	// Rates are the tables of quotients that were computed from the noisy cells.
	Rates []Rate `json:"rates,omitempty"`
	Files []File `json:"files"`
}

// Rate describes a table of quotients: the noisy cells of its query, times Times, divided by the noisy cells of the
// query Per, or by the numbers in the column Value of a public file. The interval is Fieller's. Each cell is divided by
// the cell with the same labels; a table by fewer dimensions divides all cells with its labels.
type Rate struct {
	Name         string  `json:"name"`
	Per          string  `json:"per,omitempty"`
	File         string  `json:"file,omitempty"`
	Value        string  `json:"value,omitempty"`
	Times        float64 `json:"times"`
	MaxHalfWidth float64 `json:"max_half_width,omitempty"`
}

// Discovered reports whether the keys come from the private table.
func (q *Query) Discovered() bool { return q.Selection != nil || q.KeysOf != "" }

// Publish is a rule by which cells are left empty, by noisy values alone. A limit of 0 does not apply.
type Publish struct {
	MinCount         float64 `json:"min_count,omitempty"`
	MaxRelativeError float64 `json:"max_relative_error,omitempty"`
	// Withheld is the number of cells that are left empty. They have a 1 in the column of that name.
	Withheld int `json:"withheld"`
}

// Mechanism is one noisy vector of a query. All numbers are in its own unit; the answer's is that times the query's
// Scale.
type Mechanism struct {
	// Component is "sum", "count" or "squares", or names the dimensions of a residual, if the query has several
	// mechanisms; else "".
	Component string `json:"component,omitempty"`
	// Follows names the component whose noisy values decided the sensitivity; "" if it is fixed.
	Follows string `json:"follows,omitempty"`
	// Noise names the distribution: "Gaussian", "two-sided geometric" or "Laplace".
	Noise       string      `json:"noise"`
	Sensitivity Sensitivity `json:"sensitivity"`
	// Scale is the scale of geometric or Laplace noise, whose epsilon is the L1 sensitivity over the scale. Sigma is
	// the standard deviation of Gaussian noise. If the noise is not Gaussian, it is the sigma of the Gaussian mechanism
	// that the ledger charges, which reveals at least as much.
	Scale float64 `json:"scale,omitempty"`
	Sigma float64 `json:"sigma"`
	Grid  float64 `json:"grid"`
	// StandardDeviation is the standard deviation of the published noisy values, sqrt(sigma^2 + grid^2/12); for
	// geometric noise, of the noise itself.
	StandardDeviation float64 `json:"standard_deviation"`
	Mu                float64 `json:"mu"`
}

// Sensitivity is an L2 sensitivity, or an L1 sensitivity if the noise is not Gaussian, and the argument for it.
type Sensitivity struct {
	L1  float64 `json:"l1,omitempty"`
	L2  float64 `json:"l2,omitempty"`
	Why string  `json:"why"`
}

// Error is the expected error of an estimate, over all cells of a query, in the unit of the answer: the root mean
// squared error, and the ends of its 95 % interval, estimated from the noisy values. It is not a confidence interval of
// a cell: the only one is around the noisy value.
type Error struct {
	RMSE float64 `json:"rmse"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// Selection describes how the keys of a query were selected that the job did not list.
type Selection struct {
	// MaxGroups is the number of keys in which one unit counts at most, once in each.
	MaxGroups int64 `json:"max_groups"`
	// MinUnits is the pre-threshold: keys with fewer units were dropped before noise was added; 0 stands for 1.
	MinUnits int64 `json:"min_units,omitempty"`
	// Weighted is set if a unit with d keys adds up to sqrt(max_groups/d) to the noisy number of each, and not 1.
	Weighted bool `json:"weighted,omitempty"`
	// Delta is the query's part of delta_failure.
	Delta float64 `json:"delta"`
	// Threshold is the least noisy count of a key that is published.
	Threshold float64 `json:"threshold"`
}

// Charged is the ledger's charge for a mechanism whose sensitivity was chosen later.
type Charged struct {
	L2    float64 `json:"l2"`
	Sigma float64 `json:"sigma"`
}

// Search describes how the clamp of a query was found: the part of the query's mu² that it took, the mechanism of the
// noisy histogram, its noisy values, and the clamp that was chosen from them alone. The query's mechanisms have the
// sensitivity of that clamp.
type Search struct {
	Share     float64   `json:"share"`
	Mechanism Mechanism `json:"mechanism"`
	// Charged are the query's mechanisms as they were charged, for the whole public range.
	Charged []Charged `json:"charged"`
	query.ClampSearch
}

// RowsSearch describes how max_rows was found: the search's fraction of the budget, its mechanism and its choice.
type RowsSearch struct {
	Share     float64   `json:"share"`
	Mechanism Mechanism `json:"mechanism"`
	// Charged are the query's mechanisms as they were charged, for the largest bound.
	Charged []Charged `json:"charged"`
	// Most[i] is the largest value that a row adds to a cell of the query's mechanism i. The search states the noise
	// relative to it.
	Most []float64 `json:"row_adds_at_most"`
	query.RowsSearch
}

// Strategy describes how the tables of a query are computed from mechanisms that are not their cells.
type Strategy struct {
	Name string `json:"name"`
	// Optimize names the error that is minimized, RMSE is its root. LowerBound is a lower bound on the RMSE of any
	// Gaussian noise of the same mu; 0 if none is known.
	Optimize   string  `json:"optimize"`
	RMSE       float64 `json:"rmse"`
	LowerBound float64 `json:"lower_bound,omitempty"`
	// Others are the RMSE of other strategies at the same mu.
	Others []Candidate `json:"others"`
	Tables []Table     `json:"tables"`
	// SumsOfCells describes how the errors of cells add up; nil if they are independent, or if sums are a table of
	// their own.
	SumsOfCells *SumsOfCells `json:"sums_of_cells,omitempty"`
}

// SumsOfCells holds the variance of each cell's own noise and the variance of the common noise. The sum of k noisy
// cells has the variance k times the first plus k² times the second; a difference of two cells has twice the first.
type SumsOfCells struct {
	Each   float64 `json:"variance_of_each"`
	Common float64 `json:"variance_in_common"`
}

// Candidate is a strategy that was not chosen.
type Candidate struct {
	Name string  `json:"name"`
	RMSE float64 `json:"rmse"`
}

// Table is a table computed from a query. Factors[i] times the variance of component i, summed over i, is the largest
// variance of a noisy cell; without Factors the variance is not linear in the components.
type Table struct {
	Name              string             `json:"name"`
	By                []string           `json:"by"`
	Cells             int                `json:"cells"`
	StandardDeviation float64            `json:"standard_deviation"`
	Factors           map[string]float64 `json:"factors,omitempty"`
}

// File is one file of a release. Path is relative to the folder, Rows is the number of rows; 0 for a document. Holds
// names the table that was computed from the query's answer: quantiles, cdf, or a table of crosstabs; it is empty for
// the answer itself.
type File struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
	Rows   int    `json:"rows"`
	// Raw is set if the texts of a CSV table are unescaped; otherwise remove one leading apostrophe from a text.
	Raw   bool   `json:"raw,omitempty"`
	Holds string `json:"holds,omitempty"`
}
