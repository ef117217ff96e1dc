// Package configs reads job files. Load reads a file, Parse its text; both return a Job, or all problems of the file
// with their places. The Go structs define what a job may contain: the strict decoder, the JSON Schema and the
// reference page are all made from them.
//
// Their tags: yaml gives the key (omitempty: optional), default the value if the key is absent, enum the known values
// (separated by |), min the smallest integer, example a sample value. The tag empty:"ok" allows an empty list.
package configs

import "github.com/dprelease/dprelease/configs/internal/yamltree"

//go:generate go test ./gen -run TestGeneratedFilesAreCurrent -update

// Job is one release: the input, the queries, the budget and the place of publication.
type Job struct {
	// Version of the job file's format; this program reads version 1.
	Version int `yaml:"version" example:"1"`
	// Name of the release, as its manifest shows it.
	Name string `yaml:"name" example:"taxi-heatmap"`
	// Title of the release for readers. The page and the pictures show it in place of the name.
	Title string `yaml:"title,omitempty" example:"Loans of the city library, 2024"`
	// Columns describe columns of the table for readers, by the columns' names.
	Columns map[string]ColumnTexts `yaml:"columns,omitempty" example:"{Fee: {title: Late fee, unit: EUR}}"`
	// Params are values that `--param NAME=VALUE` replaces. Any text of the job can refer to a value as ${NAME}.
	Params map[string]Param `yaml:"params,omitempty" example:"{hour: \"00\", day: {type: date, every: day}}" order:"first"`
	// Privacy is the guarantee of the whole release.
	Privacy Privacy `yaml:"privacy" example:"{epsilon: 1, delta: 1e-6, unit: [cab_id], per_unit: {max_rows: 5}}"`
	// Input is the private table.
	Input Input `yaml:"input" example:"{files: [\"trips-*.parquet\"]}"`
	// Engine is the program that adds up the rows of an input.sql; `auto` if it is absent. With `database` the database
	// adds them up, and only sums and counts leave it. With `local` this program reads the rows. `auto` takes the
	// cheaper one, which release plan names; the rows of a server stay there. The answers are the same. Files are
	// always read by this program.
	Engine string `yaml:"engine,omitempty" enum:"auto|database|local" example:"local"`
	// Units are the columns of a table with one row for each privacy unit, for queries with `over: units`. Each column
	// summarizes the rows of one unit that `input.where` keeps.
	Units map[string]UnitColumn `yaml:"units,omitempty" example:"{trips: {count: {}}, last: {max: pickup}}"`
	// Queries share the release's epsilon and delta.
	Queries []Query `yaml:"queries" example:"[{name: total, count: {}}]"`
	// Output is where the release is published.
	Output Output `yaml:"output" example:"{dir: out}"`
	// Ledger is where the spend is recorded, and what the data may cost in all.
	Ledger Ledger `yaml:"ledger" example:"{store: \"sqlite:ledger.db\", dataset: taxi, budget: {epsilon: 10, delta: 1e-5}}"`
	// Deployment holds facts that readers of the release should know and the program cannot know.
	Deployment *Deployment `yaml:"deployment,omitempty" example:"{curators: [City of New York], unit_is_person: no}"`
	// MemoryLimit is how much memory a run may use, such as 1GiB or 500MB; half of the memory of the machine or
	// container if it is absent. Rows of units that do not fit go to an encrypted file. The limit does not change the
	// answers.
	MemoryLimit Scalar `yaml:"memory_limit,omitempty" example:"1GiB"`

	// DataChecks is `refuse` if a run must fail on an unusable column: fewer than one row in twenty is usable by a
	// query, or half of the texts are no values of the column's type. With `refuse` such a run ends before any noise
	// and costs nothing. A published release then tells its readers that no column was unusable: an exact answer, which
	// epsilon does not cover, and which the page states. With `off`, which is the default, nothing depends on the
	// check, and the budget also pays for a release in which an unusable column left nothing but noise.
	DataChecks string `yaml:"data_checks,omitempty" enum:"refuse|off" example:"refuse"`

	file string
	src  *yamltree.Source // the parsed file; nil if the job was not parsed

	// In the job that Of returns for one table: the table's name, and the job with all tables.
	table string
	whole *Job
}

// ColumnTexts describes a column for readers. It is public, and does not change the answers.
type ColumnTexts struct {
	// Title of the column for readers.
	Title string `yaml:"title,omitempty" example:"Late fee"`
	// Description of the column in a sentence.
	Description string `yaml:"description,omitempty" example:"What a member paid for a late return."`
	// Unit of the column's values.
	Unit string `yaml:"unit,omitempty" example:"EUR"`
}

// Param is one parameter: its default value, or a mapping with its type.
type Param struct {
	// Type of the value. A date is checked: YYYY-MM-DD, with `every: month` also YYYY-MM, with `every: year` also
	// YYYY-MM and YYYY.
	Type string `yaml:"type,omitempty" enum:"text|date" default:"text"`
	// Every is the step between two releases of a dated job.
	Every string `yaml:"every,omitempty" enum:"day|month|year" example:"day"`
	// Default is the value if `--param` gives none. A parameter without a default must be given.
	Default *Scalar `yaml:"default,omitempty" example:"\"00\""`
}

// Privacy is the guarantee: (epsilon, delta)-differential privacy of one privacy unit, for all queries together.
type Privacy struct {
	// Epsilon bounds the privacy loss; zero or more. It is rounded down to a float64, never up. There is no default.
	Epsilon Decimal `yaml:"epsilon" example:"1"`
	// Delta is the additive term of the guarantee, P(output) <= exp(epsilon) * P'(output) + delta for neighbouring
	// tables; zero or more, less than 1. There is no default; choose it far below 1 / number of units. 0 asks for pure
	// epsilon-differential privacy: noise is then two-sided geometric or Laplace, and epsilon is split over the queries
	// so that the sum of their squared errors is least. `release plan` shows when Gaussian noise would be smaller.
	Delta Decimal `yaml:"delta" example:"1e-6"`
	// DeltaFailure is the part of delta for `keys: discover`: it bounds the probability that a key is published which
	// only one unit has. It is subtracted from delta before the noise is calibrated. If it is absent, it is a tenth of
	// delta if keys are discovered, and otherwise 0.
	DeltaFailure Decimal `yaml:"delta_failure,omitempty" example:"1e-7"`
	// Weights: auto splits epsilon so that every query beats its `accuracy` target by the same factor. Every query then
	// needs accuracy. If it is absent, epsilon is split by the queries' weights.
	Weights string `yaml:"weights,omitempty" enum:"auto" example:"auto"`
	// Unit is whom the guarantee protects: `row`, or the list of columns that together identify one privacy unit. Two
	// different values are two units. In these columns, a decimal that is not an integer of up to 18 digits is read as
	// a text, and a date in milliseconds as a time, in all queries. If the table has no such columns because its
	// producer bounded each unit, it is a mapping: `{upstream: device-day, max_rows: 10}`.
	Unit Unit `yaml:"unit" example:"[cab_id]"`
	// FloatUnit is `allow` if the columns of unit may hold floating-point numbers; `refuse` if it is absent. Equal
	// numbers are one unit, and NaN is none. Numbers that were rounded when they were stored may have become one unit:
	// store identifiers as integers, decimals or texts.
	FloatUnit string `yaml:"float_unit,omitempty" enum:"refuse|allow" example:"allow"`
	// Adjacency defines which tables are neighbours: one unit added or removed, or one unit replaced by another.
	Adjacency string `yaml:"adjacency,omitempty" enum:"add-remove|replace-one" default:"add-remove"`
	// PerUnit is what one unit may contribute to each query; a query's own per_unit overrides it key by key.
	PerUnit PerUnit `yaml:"per_unit,omitempty" example:"{max_rows: 5}"`
}

// Unit is the privacy unit: `row` (empty here), one or more columns, or a unit that the producer of the table bounded.
type Unit struct {
	Columns  []string
	Upstream *Upstream
}

// Upstream is a privacy unit that the table does not show, and what its producer promises of each unit. The program
// computes noise from the promise. It cannot check it: if the promise is wrong, so is the guarantee.
type Upstream struct {
	// Name of the unit that the producer bounded: `device-day`. The guarantee and the ledger name the unit by it.
	Name string `yaml:"upstream" example:"device-day"`
	// MaxRows is the largest number of rows of one unit. If `input.counts` is set, it is the largest number of rows
	// whose counts one unit changes.
	MaxRows int64 `yaml:"max_rows,omitempty" min:"1" example:"10"`
	// MaxChange is how much one unit adds to the count of a row, at most; it never lowers a count. It goes with
	// `input.counts`.
	MaxChange int64 `yaml:"max_change,omitempty" min:"1" example:"1"`
	// MaxSum is how much one unit adds to all counts together, at most, in place of max_rows and max_change. It goes with
	// `input.counts`.
	MaxSum int64 `yaml:"max_sum,omitempty" min:"1" example:"30"`
	// Distinct names columns in which no two rows of one unit are alike; with `input.counts`, no two rows of the table.
	// A unit then changes a cell of a query by one row at most, if the query lists or discovers the values of all of
	// them. Noise is smaller: sqrt(max_rows) in place of max_rows.
	Distinct []string `yaml:"distinct,omitempty" example:"[country, page]"`
}

// Output is the release folder.
type Output struct {
	// Dir is the release folder itself, relative to the job file. It is written whole or not at all.
	Dir string `yaml:"dir" example:"out/${hour}"`
	// Formats of the tables. Each query gets one table in each format.
	Formats []string `yaml:"formats,omitempty" enum:"parquet|csv|arrow|json" default:"parquet" example:"[parquet, csv]"`
	// CSV is how CSV tables are written.
	CSV OutputCSV `yaml:"csv,omitempty" example:"{raw: true}"`
	// Report adds files for people and catalogues: index.html, a page with the guarantee in words and pictures of every
	// query; README.md, CITATION.cff, and descriptions of the tables (datapackage.json, csv-metadata.json, dcat.jsonld,
	// croissant.json). It costs no budget.
	Report *bool `yaml:"report,omitempty" default:"true" example:"false"`
	// Publish is the rule by which the tables show cells, for every query that has no publish of its own.
	Publish *Publish `yaml:"publish,omitempty" example:"{min_count: 20}"`
}

// OutputCSV is how CSV tables are written.
type OutputCSV struct {
	// Raw writes the texts of keys and headers unchanged. Otherwise an apostrophe is put before a text that begins with
	// an apostrophe, and before a text that a spreadsheet would run as a formula. Such a text begins with one of `= + -
	// @`, a tab or a carriage return, and is not a number. A program gets the text back if it removes one leading
	// apostrophe. The manifest marks tables that were written unchanged as `raw`: do not open them in a spreadsheet.
	Raw bool `yaml:"raw,omitempty" default:"false"`
}

// Presented reports whether the release has the files for people and catalogues.
func (o *Output) Presented() bool { return o.Report == nil || *o.Report }

// Ledger is where the spend is recorded, and what the data may cost in all.
type Ledger struct {
	// Store of the ledger: `sqlite:` and a file, relative to the job file, which only its owner can read;
	// `sqlite+group:` and a file that the group of its folder shares; or `postgres://` and a connection string,
	// preferably from `${env:NAME}`. It never appears in a release. A parameter in it is a word of letters, digits, `_`
	// and `-`.
	Store string `yaml:"store" example:"sqlite:ledger.db"`
	// Dataset names the private data. Jobs on the same data must use the same name, because they share its budget.
	Dataset string `yaml:"dataset" example:"taxi"`
	// Budget is what the dataset may cost over all releases.
	Budget Budget `yaml:"budget" example:"{epsilon: 10, delta: 1e-5}"`
}

// Budget is the cap of a dataset. The first release of the dataset sets it. After that only the owner of the ledger
// changes it, with `release ledger budget set`.
type Budget struct {
	// Epsilon of all releases together, or of those in one period; zero or more, rounded down.
	Epsilon Decimal `yaml:"epsilon" example:"10"`
	// Delta of all releases together, or of those in one period; greater than 0, less than 1, rounded down.
	Delta Decimal `yaml:"delta" example:"1e-5"`
	// Per is the period to which epsilon and delta apply. total is the lifetime of the data. The others are calendar
	// periods in UTC by the clock of the ledger, and they also need a lifetime.
	Per string `yaml:"per,omitempty" enum:"total|day|month|year" default:"total"`
	// Lifetime is the cap of all releases together, if per is not total.
	Lifetime *Lifetime `yaml:"lifetime,omitempty" example:"{epsilon: 50, delta: 1e-5}"`
	// DeltaCap is the share of delta that is reserved for failure probabilities, in a period and in the lifetime.
	// Failure probabilities are added up separately and cannot pay for noise. If it is absent, it is 0; if the job
	// discovers keys, it is a tenth of delta, or the failure probability of the release if that is more.
	DeltaCap Decimal `yaml:"delta_cap,omitempty" example:"1e-6"`
}

// Lifetime is the cap over all time.
type Lifetime struct {
	// Epsilon of all releases together; zero or more, rounded down.
	Epsilon Decimal `yaml:"epsilon" example:"50"`
	// Delta of all releases together; greater than 0, less than 1, rounded down.
	Delta Decimal `yaml:"delta" example:"1e-5"`
}

// Total returns the lifetime's epsilon and delta.
func (b *Budget) Total() (epsilon, delta Decimal) {
	if b.Lifetime != nil {
		return b.Lifetime.Epsilon, b.Lifetime.Delta
	}
	return b.Epsilon, b.Delta
}

// PublishRule returns the rule of a query: its own, or the rule of output.
func (j *Job) PublishRule(q *Query) *Publish {
	if q.Publish != nil {
		return q.Publish
	}
	return j.Output.Publish
}
