package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"regexp"
	"slices"
	"strings"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/configs"
	"github.com/dprelease/dprelease/pipeline/manifest"
	"github.com/dprelease/dprelease/queries/query"
)

// Only this file knows the layout of the manifest. The rest of the package reads the type facts.

// facts holds what the manifest states about a release.
type facts struct {
	name       string
	title      string // the release's title for readers; its name if the job has none
	params     [][2]string
	unit       []string
	upstream   *manifest.Upstream // the producer's bounds on the rows of units; nil if the program bounds them
	replaced   bool               // the adjacency is replace-one
	epsilon    float64
	delta      float64
	guarantee  guarantee
	statement  string
	deployment configs.Deployment
	// Texts about the guarantee, for the page.
	notProtected, unprotected []string
	stated                    [][2]string // headings and texts of the job's section deployment
	budget                    *budget
	queries                   []queryFacts
	columns                   map[string]described // columns that the job describes, by name
	program                   string
	madeFrom                  string
	synthetic, prefix         string // the banner of a preview, and the prefix of its file names
}

// budget is the state of the dataset's budget after this release: the cap, and the part of it that is charged.
type budget struct {
	dataset, cap string
	capMu2       *big.Rat
	chargedMu2   *big.Rat
	period       string
}

// queryFacts holds what the manifest states about a query.
type queryFacts struct {
	stated     *manifest.Query
	name, kind string
	title      string   // title of the query; its name if the job has no title
	about      string   // the job's description of the query; may be empty
	counted    string   // what the numbers count or measure, as the job states it; "" if it does not
	units      bool     // a privacy unit adds at most 1 to a cell
	sampleBy   []string // the columns that decide which rows of a unit count
	overUnits  bool     // the query reads the table of units, with one row per unit
	columns    map[string]described
	conditions string          // the query's conditions in words; "" if all rows count
	weight     string          // the column of row weights; "" if all rows weigh the same
	whole      map[string]bool // columns that hold integers
	cells      int
	mu         float64
	l2         float64
	why        string
	deviation  float64
	noise      calibrate.Mechanism   // the query's first mechanism
	half       float64               // half-width of the 95 % interval of a noisy value
	overRows   bool                  // half is for a cell of one row: divide it by the number of rows in the cell
	laidOut    bool                  // the cells are ordered, and half is for sums of the first cells, not for one cell
	nested     bool                  // the tables are nested levels, which add up
	known      []string              // names of levels with public totals, and the files of the totals
	sums       *manifest.SumsOfCells // nil if the noise of cells is independent
	steps      []string
	cutAtZero  bool // negative estimates of crosstabs become 0
	notes      []string
	expected   *manifest.Error
	publish    *manifest.Publish
	threshold  float64 // the smallest noisy count with which a key is published
	minUnits   int64   // min_units; 0 or 1 if no key is dropped before the noise
	maxKeys    int64   // if keys have weights, the maximum number of keys of a unit; otherwise 0
	discovered string
	keysOf     string  // name of the query that selected the keys; "" for this query, or without selection
	clamp      string  // sentence about how the clamp was found; "" if the job states the clamp
	clampRisk  string  // sentence about the risk that the clamp cut off more than the interval covers
	gridStep   float64 // the noisy values are multiples of gridStep
	files      []manifest.File
	axes       []dimension
	value      string // the column that is summed or averaged
}

// dimension is a dimension of a query in the manifest's copy of the job.
type dimension struct {
	Column  string          `json:"column"`
	As      string          `json:"as"`
	Edges   []any           `json:"edges"`
	From    json.RawMessage `json:"from"`
	Part    string          `json:"part"`
	Keys    string          `json:"keys"`
	Nearest *struct {
		ID     string          `json:"id"`
		Kernel json.RawMessage `json:"kernel"`
	} `json:"nearest"`
	Grid *struct {
		Rows  int         `json:"rows"`
		Cols  int         `json:"cols"`
		South json.Number `json:"south"`
		West  json.Number `json:"west"`
		North json.Number `json:"north"`
		East  json.Number `json:"east"`
	} `json:"grid"`
	Null  string `json:"null"`
	Other string `json:"other"`

	LastEdge string `json:"last_edge"`

	texts described // titles of the column's values
	whole bool      // the column holds integers
}

// jobQuery holds the keys of a query, in the manifest's copy of the job, that the page needs.
type jobQuery struct {
	Name, Title, Description, Unit, Over, From string
	PerUnit                                    jobBounds `json:"per_unit"`
	kind                                       jobKind
}

// UnmarshalJSON reads the keys of the query, and the mapping under the key of its kind. It ignores keys that cannot be
// read.
func (j *jobQuery) UnmarshalJSON(text []byte) error {
	type fields jobQuery
	var keys map[string]json.RawMessage
	_, _ = json.Unmarshal(text, (*fields)(j)), json.Unmarshal(text, &keys)
	for _, kind := range configs.Kinds {
		if keys[kind] != nil {
			_ = json.Unmarshal(keys[kind], &j.kind)
		}
	}
	return nil
}

// jobInput holds the types that the job states for columns of texts.
type jobInput struct {
	CSV     struct{ Types map[string]string }
	Counts  struct{ Column string }
	JSONL   struct{ Columns map[string]string }
	Folders map[string]string
	Tables  map[string]jobInput
	Join    []struct {
		Table, Prefix string
		Add           []string
	}
}

// jobBounds holds max_rows, the job's bound on the rows of a unit: a number, or the word discover; and sample_by, the
// columns that decide which rows count.
type jobBounds struct {
	MaxRows  json.RawMessage `json:"max_rows"`
	SampleBy []string        `json:"sample_by"`
}

// described is a column's title, description and unit in the job.
type described struct{ Title, Description, Unit string }

type jobKind struct {
	Column  string
	Columns []string
	By      []dimension
	Known   []struct{ Level, File string }
	Weight  struct{ Column string }

	Nonnegative bool // negative estimates of crosstabs become 0
}

// Title returns what readers call a release: the title in its job, or its name.
func Title(m *manifest.Manifest) string { return shown(factsOf(m).title) }

// factsOf returns the facts that a manifest states.
func factsOf(m *manifest.Manifest) *facts {
	p := &m.Privacy
	f := &facts{
		name: m.Name, upstream: p.Upstream, unit: slices.DeleteFunc(slices.Clone(p.Unit),
			func(s string) bool { return s == "row" && len(p.Unit) == 1 }), replaced: p.Adjacency == "replace-one",
		epsilon: p.Epsilon, delta: p.Delta, statement: p.Statement, madeFrom: m.MadeFrom,
		guarantee: guarantee{Mu: p.Mu, Failure: ceilingOf(p.DeltaFailure), Pure: ceilingOf(p.Pure),
			Both: p.Delta == 0}, program: strings.TrimSpace(m.Program.Name + " " + m.Program.Version),
	}
	for k, v := range m.Params {
		f.params = append(f.params, [2]string{k, v})
	}
	slices.SortFunc(f.params, func(a, b [2]string) int { return strings.Compare(a[0], b[0]) })
	if m.Synthetic != "" {
		f.synthetic, f.prefix = m.Synthetic, manifest.SyntheticPrefix
	}
	f.state(m)
	var job struct {
		Title   string
		Columns map[string]described
		Queries []jobQuery
		Input   jobInput
		Privacy struct {
			PerUnit jobBounds `json:"per_unit"`
		}
	}
	_ = json.Unmarshal(m.Job, &job) // errors are ignored: the page does not show keys that cannot be read
	f.title, f.columns = cmp.Or(job.Title, m.Name), job.Columns
	conditions := configs.Conditions(m.Job)
	for i := range m.Queries {
		q := queryOf(&m.Queries[i], m.Privacy.Selected)
		q.title, q.columns, q.conditions = q.name, job.Columns, escaped(conditions[q.name], math.MaxInt)
		if at := slices.IndexFunc(job.Queries, func(j jobQuery) bool { return j.Name == q.name }); at >= 0 {
			q.whole = job.Input.wholeColumns(job.Queries[at].From)
			q.ask(&job.Queries[at])
			if column := job.Input.Counts.Column; column != "" {
				q.counted = cmp.Or(q.counted, job.Columns[column].Title, column)
			}
			rows := job.Queries[at].PerUnit.MaxRows
			if len(rows) == 0 {
				rows = job.Privacy.PerUnit.MaxRows
			}
			q.sampleBy = job.Queries[at].PerUnit.SampleBy
			if len(q.sampleBy) == 0 {
				q.sampleBy = job.Privacy.PerUnit.SampleBy
			}
			q.overUnits = job.Queries[at].Over == "units"
			q.units = (string(rows) == "1" || q.overUnits) && len(f.unit) > 0
		}
		f.queries = append(f.queries, q)
	}
	return f
}

// ceilingOf converts a decimal to float64, rounded up; 0 if text is not a decimal.
func ceilingOf(text string) float64 {
	x, err := calibrate.ParseUp(text)
	if err != nil {
		return 0
	}
	return x
}

// state sets the texts about the guarantee, and the texts of the job's section deployment, in which the data's owner
// describes the release.
func (f *facts) state(m *manifest.Manifest) {
	p, d := &m.Privacy, m.Deployment()
	f.notProtected = slices.Concat(p.NotProtected, d.NotProtected)
	f.unprotected = slices.Concat(p.Unprotected, d.Unprotected)
	f.deployment = d
	for _, x := range [][2]string{
		{"Published by", strings.Join(d.Curators, ", ")}, {"Purpose", d.IntendedUse}, {"Region", d.Region}, {"Sector",
			d.Sector}, {"Which tables are possible", d.DataDomain},
		{"How bounds, keys and budget were chosen", d.HowChosen}, {"What was tuned on private data",
			d.Tuning}, {"Justification", d.Justification},
		{"Who handles the data", d.Actors}, {"Custody", d.Custody}, {"Authors", strings.Join(d.Authors, ", ")}, {"Contact",
			d.Contact},
	} {
		if x[1] != "" {
			f.stated = append(f.stated, x)
		}
	}
	limit, ok := capOf(p.Scope.LedgerCap)
	charged, ok2 := new(big.Rat).SetString(p.Scope.LedgerCharged)
	if ok && ok2 {
		f.budget = &budget{dataset: m.Dataset(), cap: p.Scope.LifetimeCap, capMu2: limit, chargedMu2: charged,
			period: p.Scope.Period}
	}
}

var capText = regexp.MustCompile(`^mu ([0-9.e+-]+): `)

// capOf returns mu² of a budget cap from its text, such as "mu 2: epsilon 10, delta 1e-5". ok is false for other texts.
func capOf(text string) (*big.Rat, bool) {
	found := capText.FindStringSubmatch(text)
	if found == nil {
		return nil, false
	}
	mu, ok := new(big.Rat).SetString(found[1])
	if !ok || mu.Sign() <= 0 {
		return nil, false
	}
	return mu.Mul(mu, mu), true
}

// queryOf returns the facts that the manifest states about a query. selected is the name of the query that selected its
// keys.
func queryOf(q *manifest.Query, selected string) queryFacts {
	out := queryFacts{
		stated: q,
		name:   q.Name, kind: q.Kind, cells: q.Cells, steps: q.Denoise, notes: q.Notes, expected: q.Expected, files: q.Files,
		overRows: q.OverRows,
		mu:       float64(calibrate.ComposedMu(q.Calibrated())), publish: q.Publish,
	}
	if len(q.Mechanisms) > 0 {
		first := &q.Mechanisms[0]
		out.l2, out.why, out.deviation = q.Scaled(first.Sensitivity.Norm()), first.Sensitivity.Why, q.Deviation()
		out.noise = q.Calibrated()[0]
		if len(q.Mechanisms) == 1 {
			out.gridStep = first.Grid * cmp.Or(q.Scale, 1)
		}
	}
	out.half = calibrate.Z95 * out.deviation
	if q.HalfWidth != nil {
		out.half, out.overRows = *q.HalfWidth, q.OverRows
	}
	if s := q.Strategy; s != nil && q.Kind == histogram {
		out.laidOut, out.sums = s.Optimize == "cdf", s.SumsOfCells
		for i := range s.Tables {
			out.deviation = max(out.deviation, s.Tables[i].StandardDeviation)
		}
	}
	out.nested = q.Strategy != nil && q.Strategy.Name == query.StrategyNested
	out.clamp, out.clampRisk = clampWords(q), clampRiskWords(q)
	out.keysOf = q.KeysOf
	if q.Selection != nil {
		out.threshold, out.minUnits, out.discovered = q.Selection.Threshold, q.Selection.MinUnits, selected
		if q.Selection.Weighted {
			out.maxKeys = q.Selection.MaxGroups
		}
	}
	return out
}

// ask adds the facts that the job states about the query, such as title and dimensions.
func (q *queryFacts) ask(j *jobQuery) {
	k := &j.kind
	q.title, q.about, q.counted = cmp.Or(j.Title, q.name), j.Description, j.Unit
	if q.axes, q.value = k.By, k.Column; q.value == "" {
		q.value = strings.Join(k.Columns, ", ")
	}
	q.weight, q.cutAtZero = k.Weight.Column, k.Nonnegative
	for _, t := range k.Known {
		q.known = append(q.known, shown(t.Level)+" ("+shown(t.File)+")")
	}
	for i := range q.axes {
		q.axes[i].texts, q.axes[i].whole = q.columns[q.axes[i].Column], q.whole[q.axes[i].Column]
	}
}

// clampWords describes how the query's clamp, or its bound on rows, was found; "" if the job states both.
func clampWords(q *manifest.Query) string {
	if q.RowsSearch != nil {
		return rowsWords(q.RowsSearch)
	}
	s := q.Search
	if s == nil {
		return ""
	}
	end := func(n int64) string { return short(math.Ldexp(float64(n), s.Exponent)) }
	found := fmt.Sprintf("Values count as if moved into the range from %s to %s.", short(s.Clamp[0]), short(s.Clamp[1]))
	if !s.Found {
		found += " Too few rows have values that stand out of the noise to choose a wider one."
	}
	return found + fmt.Sprintf(" It was chosen between %s and %s from a noisy histogram of the values alone, for which "+
		"%s %% of the query's budget was spent; release.json holds that histogram.",
		end(s.Least), end(s.Most), short(100*s.Share))
}

// rowsWords describes how the bound on the rows of a unit was found with noise.
func rowsWords(s *manifest.RowsSearch) string {
	found := "At most " + short(float64(s.MaxRows)) + " rows of each unit count."
	if s.MaxRows == 1 {
		found = "One row of each unit counts."
	}
	if !s.Found {
		found += " Too few units stand out of the noise to choose a larger bound."
	}
	return found + fmt.Sprintf(" The bound was chosen, up to %s, from a noisy histogram of how many rows units have, "+
		"for which %s %% of the query's budget was spent; release.json holds that histogram.",
		short(float64(s.Steps[len(s.Steps)-1])), short(100*s.Share))
}

// The kinds of queries that the page treats specially.
const (
	crosstabs = "crosstabs"
	histogram = "histogram"
	overBound = "units_over_bound"
)
