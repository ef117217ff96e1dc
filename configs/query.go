package configs

import "maps"

// Query has a name and exactly one of count, histogram, crosstabs, sum, mean and variance.
type Query struct {
	// Name of the query and of its files: lower-case letters, digits, _ and -, at most 64.
	Name string `yaml:"name" example:"pickups"`
	// Title of the query for readers. The page and the pictures show it in place of the name.
	Title string `yaml:"title,omitempty" example:"Loans by branch and month"`
	// Description of the query in a sentence or two.
	Description string `yaml:"description,omitempty" example:"Loans of books, films, music and games."`
	// Unit is what the query's numbers count or measure, for readers: loans, EUR.
	Unit string `yaml:"unit,omitempty" example:"loans"`
	// From is the table of `input.tables` that the query reads.
	From string `yaml:"from,omitempty" example:"visits"`
	// Over is `units` if the query's rows are the privacy units with the columns of `units`: each unit is one row. It
	// is `rows` if it is absent.
	Over string `yaml:"over,omitempty" enum:"rows|units" example:"units"`
	// Where keeps the rows that meet every condition, for this query alone. With `over: units` the columns are the
	// columns of `units`.
	Where []Filter `yaml:"where,omitempty" empty:"ok" example:"[{column: status, in: [unemployed]}]"`
	// Count counts all rows: one number.
	Count *Count `yaml:"count,omitempty" example:"{}"`
	// Histogram counts rows by one or more public dimensions.
	Histogram *Histogram `yaml:"histogram,omitempty" example:"{by: [{column: sex, values: [Male, Female]}]}"`
	// Crosstabs counts the same rows in many marginals at once: the noise is placed so that it serves all tables, and
	// the tables agree.
	Crosstabs *Crosstabs `yaml:"crosstabs,omitempty" example:"{by: [{column: sex, values: [Male, Female]}, {column: race, values: [White, Black, Other]}], ways: [1, 2]}"`
	// Sum adds up the values of a column.
	Sum *Aggregate `yaml:"sum,omitempty" example:"{column: hours, clamp: [0, 99]}"`
	// Mean averages the values of a column, or of each component of a vector.
	Mean *Aggregate `yaml:"mean,omitempty" example:"{column: age, clamp: [17, 90]}"`
	// Variance is the mean square of the differences of a column's values from their mean.
	Variance *Aggregate `yaml:"variance,omitempty" example:"{column: age, clamp: [17, 90]}"`
	// PerUnit overrides privacy.per_unit for this query, key by key.
	PerUnit *PerUnit `yaml:"per_unit,omitempty" example:"{max_rows: 5, max_groups: 5, max_rows_per_group: 1}"`
	// Sensitivity declares the L2 sensitivity, in the query's unit. A value below the one that the bounds imply is an
	// error. A larger value is used.
	Sensitivity Decimal `yaml:"sensitivity,omitempty" example:"5"`
	// Weight is the query's share of the release's budget: mu squared is split in proportion to the weights.
	Weight Decimal `yaml:"weight,omitempty" default:"1" example:"2"`
	// MaxError is the largest allowed half-width of the 95 % interval, in the query's unit. If the plan expects a
	// larger one, it is an error.
	MaxError Decimal `yaml:"max_error,omitempty" example:"40"`
	// Accuracy is the error that the query may have. release plan then shows the least epsilon for all queries
	// together, release suggest prints the job with it, and `privacy.weights: auto` splits epsilon by it.
	Accuracy *Accuracy `yaml:"accuracy,omitempty" example:"{95%: 40}"`
	// Sparse writes only the cells whose estimate is not zero. All cells get noise nevertheless.
	Sparse bool `yaml:"sparse,omitempty" default:"false"`
	// Publish is the rule by which the tables show cells. Withheld cells are empty and marked in the column withheld;
	// only noisy values decide. It costs no budget. If tables agree, further cells are empty, so that no withheld cell
	// can be computed. If it is absent, output.publish applies; `{}` shows all cells.
	Publish *Publish `yaml:"publish,omitempty" empty:"ok" example:"{min_count: 20, max_relative_error: 0.2}"`
	// Denoise are the steps that turn noisy values into estimates, in order; they cost no budget.
	Denoise []Denoise `yaml:"denoise,omitempty" empty:"ok" example:"[{method: james-stein}, {method: nonnegative}]"`
	// Margins name other queries of the job that this histogram's cells add up to: histograms by some of its
	// dimensions, or a count of the same rows. After their steps all estimates are made consistent by weighted least
	// squares.
	Margins []string `yaml:"margins,omitempty" example:"[by_hour, total]"`
	// Rates divide the noisy cells of a count, a histogram or a sum by the noisy cells of another query, or by public
	// numbers. They are computed from released values, at no cost.
	Rates []Rate `yaml:"rates,omitempty" example:"[{name: unemployment, per: labour_force, times: 100}]"`
}

// Rate is a table of quotients in files QUERY.NAME, with their 95 % intervals by Fieller's method. A rate is empty if
// noise alone could explain the number to divide by. Either Per or File is set.
type Rate struct {
	// Name of the table: lower-case letters, digits, _ and -, at most 64.
	Name string `yaml:"name" example:"unemployment"`
	// Per is the query to divide by: a count, a histogram or a sum of this job, with all or some of this query's
	// dimensions, of the same cells and names. A mean of groups is a sum per a histogram.
	Per string `yaml:"per,omitempty" example:"labour_force"`
	// File is a public file with the numbers to divide by: CSV with a header, Parquet or Arrow. A cell that it does not
	// have gets no rate.
	File string `yaml:"file,omitempty" example:"population.csv"`
	// Value is the column of the file with the numbers, which are above 0.
	Value string `yaml:"value,omitempty" example:"inhabitants"`
	// On are the columns of the file that name the cell. They have the names and labels of key columns of the release.
	On []string `yaml:"on,omitempty" example:"[region]"`
	// Times multiplies the quotients: 100 for per cent.
	Times Decimal `yaml:"times,omitempty" default:"1" example:"100000"`
	// MaxHalfWidth leaves a rate empty if its 95 % interval is wider than twice this number.
	MaxHalfWidth Decimal `yaml:"max_half_width,omitempty" example:"10"`
}

// Kinds are the keys that give a query its kind. The kinds sum, mean and variance, which have an [Aggregate], are
// in [Query.Aggregates] too.
var Kinds = []string{"count", "histogram", "crosstabs", "sum", "mean", "variance"}

// Aggregates returns the query's sum, mean or variance, by its key ("sum", "mean" or "variance"). A valid query has at
// most one; a query that counts rows has none.
func (q *Query) Aggregates() map[string]*Aggregate {
	all := map[string]*Aggregate{"sum": q.Sum, "mean": q.Mean, "variance": q.Variance}
	maps.DeleteFunc(all, func(_ string, a *Aggregate) bool { return a == nil })
	return all
}

// Dimensions returns the dimensions of the query, by the key of its kind, such as "histogram".
func (q *Query) Dimensions() map[string][]Dimension {
	all := map[string][]Dimension{}
	if q.Histogram != nil {
		all["histogram"] = q.Histogram.By
	}
	if q.Crosstabs != nil {
		all["crosstabs"] = q.Crosstabs.By
	}
	for kind, a := range q.Aggregates() {
		all[kind] = a.By
	}
	return all
}

// RowWeight returns the weights of rows that the query uses, and the key of its kind. w is nil if all rows weigh the
// same.
func (q *Query) RowWeight() (w *RowWeight, kind string) {
	switch {
	case q.Count != nil:
		return q.Count.Weight, "count"
	case q.Histogram != nil:
		return q.Histogram.Weight, "histogram"
	}
	for kind, a := range q.Aggregates() {
		return a.Weight, kind
	}
	return nil, ""
}

// OverUnits reports whether the query reads one row for each privacy unit, instead of the input's rows.
func (q *Query) OverUnits() bool { return q.Over == "units" }

// Publish holds the conditions under which a cell is shown. It keeps readers from numbers that are mostly noise. It
// protects nobody: the noise does.
type Publish struct {
	// MinCount is the smallest noisy count at which a cell is shown: the cell's own count, or the count behind a mean
	// or a variance. A sum has no count.
	MinCount Decimal `yaml:"min_count,omitempty" example:"20"`
	// MaxRelativeError is how far the 95 % interval may reach to each side, as a fraction of the noisy value.
	MaxRelativeError Decimal `yaml:"max_relative_error,omitempty" example:"0.2"`
}

// Accuracy is half the width of the 95 % interval of a noisy cell, at most.
type Accuracy struct {
	// HalfWidth is in the query's unit, or a fraction if At is set.
	HalfWidth Decimal `yaml:"95%" example:"40"`
	// At is a public size of which the half-width is a fraction: 0.1 at 400 means 40.
	At Decimal `yaml:"at,omitempty" example:"400"`
	// Rows is a public number of rows of a group for which the half-width of a mean or variance is to hold; needed if
	// their number is private, and only then.
	Rows int64 `yaml:"rows,omitempty" min:"1" example:"1000"`
	// Table names the dimensions of the one table of crosstabs that must reach the half-width. If it is absent, all
	// tables must.
	Table []string `yaml:"table,omitempty" example:"[sex, race]"`
}

// Count counts rows, or the units that a bound cuts.
type Count struct {
	// Measure is what is counted in place of rows. `units_over_bound` is the number of privacy units with more rows
	// than per_unit lets this query count. It shows how much a bound leaves out, and takes its share of the budget as
	// any query. All rows that `input.where` keeps count towards the bound.
	Measure string `yaml:"measure,omitempty" enum:"units_over_bound" example:"units_over_bound"`
	// Weight makes the count the sum of the weights of its rows.
	Weight *RowWeight `yaml:"weight,omitempty" example:"{column: weight, clamp: [0, 500]}"`
}

// RowWeight is how much each row counts: in a survey, how many people it stands for. A row without a weight (null, NaN
// or no number) is left out.
type RowWeight struct {
	// Column of the weights.
	Column string `yaml:"column" example:"weight"`
	// Clamp is the range [lo, hi], from 0 on, onto which each weight is clamped. The noise grows with hi. Take it from
	// what you know about the survey's design, never from the data.
	Clamp []Decimal `yaml:"clamp" example:"[0, 500]"`
}

// CountsUnits reports whether the query counts the units that have more rows than the bound lets count.
func (q *Query) CountsUnits() bool { return q.Count != nil && q.Count.Measure == "units_over_bound" }

// Histogram counts rows by one or more dimensions; every combination of their cells is a cell of the answer.
type Histogram struct {
	// By are the dimensions.
	By []Dimension `yaml:"by" example:"[{column: age, edges: [0, 18, 30, 65]}]"`
	// MinUnits is a pre-threshold for `keys: discover`: a key with fewer units, as counted after per_unit, is left out
	// before noise is added, exactly. The threshold on noisy counts then rises by min_units - 1. A value of 2 or more
	// lets a database add up by such keys. If it is absent, it is 1, and every key gets noise.
	MinUnits int64 `yaml:"min_units,omitempty" min:"1" example:"5"`
	// Weight makes each cell the sum of the weights of its rows, also for quantiles and cdf.
	Weight *RowWeight `yaml:"weight,omitempty" example:"{column: weight, clamp: [0, 500]}"`
	// Quantiles are computed from the released counts, at no cost, if one dimension has edges that are numbers. For
	// each group of the other dimensions they are the values below which these fractions of its rows lie. They are
	// published in files NAME.quantiles.
	Quantiles []Decimal `yaml:"quantiles,omitempty" example:"[0.25, 0.5, 0.75]"`
	// CDF computes the fraction of the rows below each edge in the same way, into files NAME.cdf.
	CDF *bool `yaml:"cdf,omitempty" example:"true"`
	// Optimize is what the histogram is optimized for; `cells` if it is absent. `cdf` minimizes the error of the row
	// counts below each edge of the dimension with numeric edges, and thereby of quantiles, fractions and sums over
	// ranges of cells. These counts are a file of their own, NAME.sums; a single cell has about twice the error. `keys`
	// finds more keys with `keys: discover`, for sums, means and variances of the job by the same keys: a unit with few
	// keys weighs more in each of them. The release then has the noisy sum of these weights for each key, which is not
	// a number of units; a mean by the same keys has counts.
	Optimize string `yaml:"optimize,omitempty" enum:"cells|cdf|keys" example:"cdf"`
	// Noise is `independent` if each cell has its own noise (`independent` if it is absent). With `auto`, cells share
	// common noise, the noise of the number of units, if that makes the error of a cell smaller. It does if a unit may
	// be in many of the cells: 24 hours with up to 24 groups need 0.60 of the noise. The sum of many cells then has a
	// larger error.
	Noise string `yaml:"noise,omitempty" enum:"independent|auto" example:"auto"`
}

// Crosstabs counts rows in several marginals by the same dimensions. A row that has no cell in one of the dimensions is
// in none of the tables. max_rows bounds the contribution of a unit. Each table is a file of its own,
// NAME.DIMENSION.DIMENSION; the file NAME holds the noisy numbers from which all tables are made. If the first
// dimension has levels, ways and tables do not choose the tables: each level by all other dimensions is a table,
// NAME.LEVEL, and all levels add up.
type Crosstabs struct {
	// By are the dimensions.
	By []Dimension `yaml:"by" example:"[{column: sex, values: [Male, Female]}, {column: race, values: [White, Black, Other]}]"`
	// Ways adds all k-way marginals for each k listed: 1 for the tables of single dimensions, 2 for the tables of all
	// pairs.
	Ways []int `yaml:"ways,omitempty" min:"1" example:"[1, 2]"`
	// Tables are further tables, or weights of tables.
	Tables []CrosstabTable `yaml:"tables,omitempty" example:"[{by: [sex, race], weight: 2}]"`
	// Optimize is the error to minimize: `cells`, the mean square over all cells; `tables`, over all tables, however
	// many cells they have; `largest`, the largest error of a table. With levels, most cells are in the last one:
	// `cells` is for that one, `tables` is for all levels alike.
	Optimize string `yaml:"optimize,omitempty" enum:"cells|tables|largest" default:"cells"`
	// Nonnegative makes the estimates of all tables the nearest ones that are not negative and still agree, at no cost.
	// `noisy` stays as it is.
	Nonnegative *bool `yaml:"nonnegative,omitempty" example:"true"`
	// Integers makes the estimates integers that still agree, at no cost. Tables of three and more dimensions need
	// `nonnegative` as well, except with levels.
	Integers *bool `yaml:"integers,omitempty" example:"true"`
	// RoundTo makes the estimates multiples of this number that still agree, at no cost, under the conditions of
	// `integers`. A total moves by up to half of it.
	RoundTo int64 `yaml:"round_to,omitempty" min:"1" example:"5"`
	// Known are public totals of the groups of levels, from files that hold nothing private. Estimates keep them
	// exactly.
	Known []KnownTotals `yaml:"known,omitempty" example:"[{level: region, file: totals.csv, column: population}]"`
}

// CrosstabTable is a table by some of the dimensions.
type CrosstabTable struct {
	// By names the dimensions, by the names of their columns in the release.
	By []string `yaml:"by" example:"[sex, race]"`
	// Weight of the table's squared error among all tables.
	Weight Decimal `yaml:"weight,omitempty" default:"1" example:"2"`
}

// KnownTotals are the public numbers of rows of the groups of a level, over all cells of the other dimensions. The file
// has a row for each group: its name, in a column named as the level, and its total.
type KnownTotals struct {
	// Level is one of the levels of the first dimension.
	Level string `yaml:"level" example:"region"`
	// File with the totals, relative to the job file: .parquet, .csv, .csv.gz or .csv.zst. Never from the private
	// table.
	File string `yaml:"file" example:"totals.csv"`
	// Column of the file with the totals, which are integers.
	Column string `yaml:"column" example:"population"`
}

// Clamp is two numbers, or the word discover.
type Clamp []Decimal

// Discover is the word that makes the program find a bound privately.
const Discover = "discover"

// Discovers reports whether the clamp must be found privately.
func (c Clamp) Discovers() bool { return len(c) == 1 && c[0] == Discover }

// Bounds returns the public bounds of the values: the clamp or, if the clamp is found privately, the range within which
// it is found.
func (a *Aggregate) Bounds() []Decimal {
	if a.Clamp.Discovers() {
		return a.Range
	}
	return a.Clamp
}

// Aggregate is a sum, a mean or a variance of bounded values: of a column, or (no variance) of several that make a
// vector.
type Aggregate struct {
	// Column of the values: numbers, or lists of numbers for a vector.
	Column string `yaml:"column,omitempty" example:"age"`
	// Length of the lists, if Column holds lists of numbers. A list of another length counts as null.
	Length int `yaml:"length,omitempty" min:"1" example:"300"`
	// Columns that make a vector, one component each.
	Columns []string `yaml:"columns,omitempty" example:"[x1, x2, x3]"`
	// Clamp is the range [lo, hi] onto which each value (or component) is clamped, in the column's unit. `discover`
	// finds it privately within `range`, in the same run, and pays for it with a part of the query's budget.
	Clamp Clamp `yaml:"clamp,omitempty" example:"[17, 90]"`
	// Range is the public range [lo, hi] within which `clamp: discover` looks. It may be generous: what it costs grows
	// with its logarithm at most.
	Range []Decimal `yaml:"range,omitempty" example:"[0, 1e9]"`
	// ClampShare is the part of the query's budget (of its mu squared) that `clamp: discover` spends. Absent: 0.1.
	ClampShare Decimal `yaml:"clamp_share,omitempty" example:"0.1"`
	// Weight is how much each row counts in a mean of one column.
	Weight *RowWeight `yaml:"weight,omitempty" example:"{column: weight, clamp: [0, 500]}"`
	// ClipL2 is the largest L2 norm of a vector, in the columns' unit. Longer vectors are shortened to it.
	ClipL2 Decimal `yaml:"clip_l2,omitempty" example:"1"`
	// By are the dimensions of a grouped sum or mean.
	By []Dimension `yaml:"by,omitempty" example:"[{column: sex, values: [Male, Female]}]"`
	// Rows is the public number of terms of a mean, with `adjacency: replace-one` only. If it is absent, it is
	// input.rows if every row of the input is a term. Rows without a value then count as the centre of the range (null:
	// centre): declare no public number if many values are missing.
	Rows int64 `yaml:"rows,omitempty" min:"1" example:"45222"`
	// Null is what happens to a row whose value is null: `drop` it, or count it as the centre of the range (`centre`). A
	// mean of a public number of terms cannot drop rows: its policy is `centre`. Everywhere else it is `drop`.
	Null string `yaml:"null,omitempty" enum:"drop|centre" example:"drop"`
	// NaN is what happens to a row whose value is NaN: `drop` it, or count it as the centre of the range (`centre`).
	NaN string `yaml:"nan,omitempty" enum:"drop|centre" example:"drop"`
}

// PerUnit is what one privacy unit may contribute to a query; rows beyond a bound are left out. If the unit is made of
// columns, either max_rows, or max_groups together with max_rows_per_group, is required.
type PerUnit struct {
	// MaxRows is the largest number of rows of one unit that count. `discover` finds it privately, at most
	// `max_rows_up_to`, in the same run, and pays for it with a part of the query's budget.
	MaxRows MaxRows `yaml:"max_rows,omitempty" min:"1" example:"5"`
	// MaxRowsUpTo is the public upper limit for `max_rows: discover`. It may be generous: what it costs grows with its
	// logarithm at most.
	MaxRowsUpTo int64 `yaml:"max_rows_up_to,omitempty" min:"2" example:"1000"`
	// MaxRowsShare is the part of the query's budget (of its mu squared) that `max_rows: discover` spends. Absent: 0.1.
	MaxRowsShare Decimal `yaml:"max_rows_share,omitempty" example:"0.1"`
	// MaxGroups is the largest number of the query's cells in which one unit counts.
	MaxGroups int64 `yaml:"max_groups,omitempty" min:"1" example:"5"`
	// MaxRowsPerGroup is the largest number of rows of one unit that count in one cell.
	MaxRowsPerGroup int64 `yaml:"max_rows_per_group,omitempty" min:"1" example:"1"`
	// SampleBy names columns that tell the rows of a unit apart, such as a trip's number or its time. They decide which
	// `max_rows` rows of a unit count, the same rows in all queries with the same filters. Rows that are alike in all of
	// these columns are kept or left out together. A database answers such queries by one statement, in less time.
	SampleBy []string `yaml:"sample_by,omitempty" example:"[trip_id]"`
}

// MaxRows is a bound on the rows of a unit; 0 if there is no bound. A special value means that the bound is found
// privately.
type MaxRows int64

const discoveredRows MaxRows = -1

// Discovers reports whether the bound must be found privately.
func (m MaxRows) Discovers() bool { return m == discoveredRows }

// MostRows returns the largest number of rows of one unit that may count: the bound or, if it is found privately, its
// upper limit; 0 if there is no bound.
func (p *PerUnit) MostRows() int64 {
	if p.MaxRows.Discovers() {
		return p.MaxRowsUpTo
	}
	return int64(p.MaxRows)
}
