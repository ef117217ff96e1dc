// Package configs reads job files. The Go structs here are the single source of truth for what a job may say: the strict
// decoder, the JSON Schema and the reference page are all made from them.
//
// Their tags: yaml gives the key (omitempty: optional), default the value if the key is absent, enum the values that are
// known (separated by |), min the least whole number, example a sample value, empty:"ok" allows an empty list.
package configs

//go:generate go test ./gen -run TestGeneratedFilesAreCurrent -update

// Job is one release: what to read, what to ask, what to spend and where to publish.
type Job struct {
	// Version of the job file's format; this program reads version 1.
	Version int `yaml:"version" example:"1"`
	// Name of the release, as its manifest shows it.
	Name string `yaml:"name" example:"taxi-heatmap"`
	// Params are values that `--param NAME=VALUE` replaces. ${NAME} stands for the value in any text of the job.
	Params map[string]Param `yaml:"params,omitempty" example:"{hour: \"00\", day: {type: date, every: day}}" order:"first"`
	// Privacy is the guarantee of the whole release.
	Privacy Privacy `yaml:"privacy" example:"{epsilon: 1, delta: 1e-6, unit: [cab_id], per_unit: {max_rows: 5}}"`
	// Input is the private table.
	Input Input `yaml:"input" example:"{files: [\"trips-*.parquet\"]}"`
	// Queries are the questions; they share the release's epsilon and delta.
	Queries []Query `yaml:"queries" example:"[{name: total, count: {}}]"`
	// Output is where the release is published.
	Output Output `yaml:"output" example:"{dir: out}"`
	// Ledger is where the spend is recorded, and what the data may cost in all.
	Ledger Ledger `yaml:"ledger" example:"{store: \"sqlite:ledger.db\", dataset: taxi, budget: {epsilon: 10, delta: 1e-5}}"`
	// Deployment is what a reader of the release should know and the program cannot.
	Deployment *Deployment `yaml:"deployment,omitempty" example:"{curators: [City of New York], unit_is_person: no}"`
	// MemoryLimit is how much memory a run may use, such as 1GiB or 500MB; absent: half of what the machine or its container has. Rows of
	// units that do not fit go to an encrypted file. It is no part of the question: answers do not depend on it.
	MemoryLimit Scalar `yaml:"memory_limit,omitempty" example:"1GiB"`

	src source
}

// Param is one parameter: its default value, or a mapping with its type.
type Param struct {
	// Type of the value. A date is checked: YYYY-MM-DD, with `every: month` also YYYY-MM, with `every: year` also YYYY-MM and YYYY.
	Type string `yaml:"type,omitempty" enum:"text|date" default:"text"`
	// Every is the step between two releases of a dated job.
	Every string `yaml:"every,omitempty" enum:"day|month|year" example:"day"`
	// Default is the value where `--param` gives none. A parameter without a default must be given.
	Default *Scalar `yaml:"default,omitempty" example:"\"00\""`
}

// Privacy is the guarantee: (epsilon, delta)-differential privacy of one privacy unit, for all queries together.
type Privacy struct {
	// Epsilon bounds the privacy loss; zero or more. It is rounded down to a float64, never up. There is no default.
	Epsilon Decimal `yaml:"epsilon" example:"1"`
	// Delta is the additive slack of the guarantee, P(output) <= exp(epsilon) * P'(output) + delta for neighbouring tables; greater than 0, less than 1. There is no default; choose it far below 1 / number of units.
	Delta Decimal `yaml:"delta" example:"1e-6"`
	// DeltaFailure is the part of delta for `keys: discover`: the probability that a key is published which one unit alone has. It comes off delta before noise is calibrated. Default: a tenth of delta if keys are discovered, else nothing.
	DeltaFailure Decimal `yaml:"delta_failure,omitempty" example:"1e-7"`
	// Unit is whom the guarantee protects: `row`, or the list of columns that together identify one privacy unit.
	Unit Unit `yaml:"unit" example:"[cab_id]"`
	// Adjacency says which tables are neighbours: one unit added or removed, or one unit replaced by another.
	Adjacency string `yaml:"adjacency,omitempty" enum:"add-remove|replace-one" default:"add-remove"`
	// PerUnit is what one unit may contribute to each query; a query's own per_unit overrides it key by key.
	PerUnit PerUnit `yaml:"per_unit,omitempty" example:"{max_rows: 5}"`
}

// Unit is the privacy unit: `row` (empty here), or one or more columns.
type Unit []string

// PerUnit is what one privacy unit may contribute to a query; rows beyond a bound are left out. At least max_rows, or max_groups
// together with max_rows_per_group, is needed if the unit is made of columns.
type PerUnit struct {
	// MaxRows is the most rows of one unit that count.
	MaxRows int64 `yaml:"max_rows,omitempty" min:"1" example:"5"`
	// MaxGroups is the most cells of the query in which one unit counts.
	MaxGroups int64 `yaml:"max_groups,omitempty" min:"1" example:"5"`
	// MaxRowsPerGroup is the most rows of one unit that count in one cell.
	MaxRowsPerGroup int64 `yaml:"max_rows_per_group,omitempty" min:"1" example:"1"`
}

// Output is the release folder.
type Output struct {
	// Dir is the release folder itself, relative to the job file. It is written whole or not at all.
	Dir string `yaml:"dir" example:"out/${hour}"`
	// Formats of the tables, one table a query and format.
	Formats []string `yaml:"formats,omitempty" enum:"parquet|csv|arrow|json" default:"parquet" example:"[parquet, csv]"`
	// CSV says how CSV tables are written.
	CSV OutputCSV `yaml:"csv,omitempty" example:"{raw: true}"`
	// Report adds what people and catalogues read: index.html, a page with the guarantee in words and pictures of every query; README.md, CITATION.cff, and descriptions of the tables (datapackage.json, csv-metadata.json, dcat.jsonld, croissant.json). It costs no budget.
	Report *bool `yaml:"report,omitempty" default:"true" example:"false"`
}

// OutputCSV is how CSV tables are written.
type OutputCSV struct {
	// Raw writes texts of keys and headers as they are. Without it a text that a spreadsheet would run as a formula (it begins with one of `= + - @`, a tab or a carriage return, and is no number), or that begins with an apostrophe, gets an apostrophe before it; a program has the text back by taking one leading apostrophe away. The manifest says `raw` of tables that were written so: open them in no spreadsheet.
	Raw bool `yaml:"raw,omitempty" default:"false"`
}

// Presented says whether the release has the files for people and catalogues.
func (o *Output) Presented() bool { return o.Report == nil || *o.Report }

// Ledger says where the spend is recorded and what the data may cost in all.
type Ledger struct {
	// Store is the ledger: `sqlite:` and a file, relative to the job file, which is its owner's alone; `sqlite+group:` and a file that the group of its folder shares; or `postgres://` and a connection string, best from `${env:NAME}`. It never appears in a release.
	Store string `yaml:"store" example:"sqlite:ledger.db"`
	// Dataset names the private data. Jobs on the same data must use the same name: they share its budget.
	Dataset string `yaml:"dataset" example:"taxi"`
	// Budget is what the dataset may cost over all releases.
	Budget Budget `yaml:"budget" example:"{epsilon: 10, delta: 1e-5}"`
}

// Budget is the cap of a dataset. It is fixed when the dataset is first used; then only its owner changes it, with
// `release ledger budget set`.
type Budget struct {
	// Epsilon of all releases together, or of a period's; zero or more, rounded down.
	Epsilon Decimal `yaml:"epsilon" example:"10"`
	// Delta of all releases together, or of a period's; greater than 0, less than 1, rounded down.
	Delta Decimal `yaml:"delta" example:"1e-5"`
	// Per is the period for which epsilon and delta hold: total is the lifetime of the data; the others are those of the ledger's clock, in UTC, and need a lifetime as well.
	Per string `yaml:"per,omitempty" enum:"total|day|month|year" default:"total"`
	// Lifetime is the cap of all releases together, if per is a period.
	Lifetime *Lifetime `yaml:"lifetime,omitempty" example:"{epsilon: 50, delta: 1e-5}"`
	// DeltaCap is the part of delta, the lifetime's and a period's, that is kept for probabilities of failure; these add up by themselves and are never traded for noise. The default is none; if the job discovers keys, a tenth of delta, or what the release takes if that is more.
	DeltaCap Decimal `yaml:"delta_cap,omitempty" example:"1e-6"`
}

// Lifetime is the cap of a dataset for ever.
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
