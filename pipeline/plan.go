package pipeline

import (
	"fmt"
	"slices"
	"time"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/configs"
	"github.com/dprelease/dprelease/denoise"
	"github.com/dprelease/dprelease/pipeline/clampsearch"

	"github.com/dprelease/dprelease/queries/derived"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/perunit"
	"github.com/dprelease/dprelease/queries/query"
)

// Plan holds everything that is decided before a row is read: public and pure. It never changes after it was built. The
// private choices of a run are a value of the run: see [RunPlan].
type Plan struct {
	job       *configs.Job
	effective []byte
	guarantee calibrate.Guarantee
	noise     calibrate.Guarantee // guarantee without the share of delta that may fail
	mu        calibrate.Mu
	adjacency query.Adjacency
	queries   []Planned
	input     input        // the input of the only table
	tables    []tableInput // the inputs of several tables; input is empty then
	identity  Identity
	failure   failure
	targets   *Targets // nil if no query has a target
}

// input is the plan of the input, common to all queries.
type input struct {
	filters  domain.Filters
	location *time.Location
	views    views
	derived  *derived.Set   // the definitions that views name
	units    *perunit.Table // nil if no query is over units
	joins    []Join         // the joins whose columns are needed; set when the needed columns are known
	rows     int64
}

// Planned is one query of a plan with its cost and its accuracy.
type Planned struct {
	Query query.Query
	Kind  query.Kind
	// Components and Mechanisms run in parallel: one mechanism a component.
	Components []query.Component
	Mechanisms []calibrate.Mechanism
	Steps      []*denoise.Step
	// Selection describes how private keys are selected; nil if keys are listed.
	Selection *calibrate.KeySelection
	// Search describes how the query's clamp is found; nil if it is fixed. Before the choice, Components and Mechanisms
	// are for the public range.
	Search *clampsearch.Search
	// Strategy describes how the query's tables are computed from components that are not their cells; nil if the
	// components are the answer.
	Strategy *query.Strategy
	// Filters are the conditions of this query alone, on logical columns or on columns of the table of units.
	Filters domain.Filters
	// MaxError is the largest 95 % half-width that the job accepts; 0 if it sets none.
	MaxError float64
	Sparse   bool
	inside
}

// inside holds the fields of a planned query that only this package uses.
type inside struct {
	// margins are the queries whose estimates are made to agree with this one's.
	margins []margin
	// shared are the components that other queries measure too.
	shared []sharedVector
	// rates are the quotients of its cells that are published as well.
	rates []rate
	// places are the positions of the cells; nil if they are not points.
	places *Places
	// path is the query's path in the job, for diagnostics.
	path string
	// adjusted: the estimates of crosstabs are made non-negative or integers.
	adjusted bool
	// target is the accuracy that the job asks for.
	target target
	// leader is the index of the query that selects the keys, or noLeader.
	leader int
	// overUnits: the query's rows are the privacy units.
	overUnits bool
	// table is the table that the query reads; "" if there is one only.
	table string
	// rule describes which cells are published.
	rule publishRule
	// names are the mechanisms' names in the ledger, if the charge was adopted; otherwise the mechanisms' own names.
	names []string
}

// margin is a query of the plan whose cells are sums of another query's cells over all dimensions except axes.
type margin struct {
	query int
	axes  []int
}

// target is the required accuracy of a query.
type target struct {
	// half the width of the 95 % interval, times the number of rows if overRows is set; 0 if there is none
	half  float64
	table string // the only table to which the target applies; "" for all
}

// Targets holds the epsilon that the job's accuracy targets need.
type Targets struct {
	// Epsilon is the least epsilon that meets all targets, with the job's delta. Text is a decimal above it by less
	// than one part in 10^11, and never below.
	Epsilon calibrate.Epsilon
	Text    string
	// Auto is set if the weights are computed from the targets.
	Auto bool
	// Spare is the ratio of the targets to the half-widths at the job's epsilon: the same for all if Auto is set; below
	// 1 if a target is missed.
	Spare float64
}

// failure is the part of delta for the selection of private keys: it bounds the probability that a key is published
// which only one unit has. It is subtracted from delta before the noise is calibrated.
type failure struct {
	share string          // decimal text; "" if nothing is selected
	each  calibrate.Delta // the delta of each query that selects keys
}

// views holds the columns of batches and, for each event, which of them are the logical columns (views.go).
type views struct {
	logical []string // the columns that queries and filters name
	columns []string // the columns of a batch, each once: read, joined, derived
	inputs  int      // number of columns that are read
	base    int      // number of columns that are read or joined
	at      [][]int  // at[e][i] is the index in columns of logical column i for event e
}

// Places are the public points and roads of a query whose cells are the points nearest to a row.
type Places struct {
	// By is the index of the dimension in the query.
	By int
	// Points are in the order of the dimension's cells.
	Points []domain.Point
	// Roads join two points, by their indices: the edges of the graph for smoothing the estimates, if there is one.
	Roads [][2]int
}

// Adjusts reports whether the estimates of crosstabs are made non-negative or integers.
func (q *Planned) Adjusts() bool { return q.adjusted }

// Places returns the positions of the query's cells; nil if they are not points.
func (q *Planned) Places() *Places { return q.places }

// Upstream returns the promise of the table's producer about units that the program does not bound, as a sentence; ""
// if the program bounds them.
func (p *Plan) Upstream() string {
	u := upstreamOf(p.job.Privacy.Unit)
	if u == nil {
		return ""
	}
	return u.String()
}

// Name returns the release's name.
func (p *Plan) Name() string { return p.job.Name }

// Job returns the job the plan was made of.
func (p *Plan) Job() *configs.Job { return p.job }

// Guarantee returns the guarantee of the whole release.
func (p *Plan) Guarantee() calibrate.Guarantee { return p.guarantee }

// Mu returns the release's Gaussian-DP parameter: the mechanisms' composed mu never exceeds it.
func (p *Plan) Mu() calibrate.Mu { return p.mu }

// Adjacency returns which tables are neighbours.
func (p *Plan) Adjacency() query.Adjacency { return p.adjacency }

// Filters returns the conditions that a row must meet to count in any query; a query can have more.
func (p *Plan) Filters() domain.Filters { return p.input.filters }

// Location returns the time zone in which times are read and taken apart.
func (p *Plan) Location() *time.Location { return p.input.location }

// Rows returns the public number of rows of the input that the job declares; 0 if it is private.
func (p *Plan) Rows() int64 { return p.input.rows }

// Queries returns the planned queries in the job's order.
func (p *Plan) Queries() []Planned { return p.queries }

// Mechanisms returns the mechanisms of all queries, in order.
func (p *Plan) Mechanisms() []calibrate.Mechanism { return mechanismsOf(p.queries) }

// Accurate returns the diagnostics of Missed as an error; nil if the job's targets are met.
func (p *Plan) Accurate() error {
	missed := p.missed()
	if len(missed) == 0 {
		return nil
	}
	return &Error{Cause: CauseCheck, Code: "max-error", Message: "the release would be less accurate than the job accepts",
		Err: missed}
}

// missed returns one diagnostic for each query whose 95 % half-width is larger than the job accepts.
func (p *Plan) missed() configs.Diagnostics {
	var diags configs.Diagnostics
	for i := range p.queries {
		q := &p.queries[i]
		if half, _ := q.HalfWidth(); q.MaxError > 0 && half > q.MaxError {
			diags = append(diags, p.job.Diagnose(q.path+".max_error", "max-error",
				fmt.Sprintf("%s: the 95 %% half-width will be %.6g, more than max_error %.6g", q.Query.Name(), half, q.MaxError),
				"raise max_error, epsilon or the query's weight, or lower what a unit contributes (per_unit)"))
		}
	}
	return append(diags, p.missedTargets()...)
}

// Mu returns the root sum of squares of the components' mu, rounded up.
func (q *Planned) Mu() calibrate.Mu { return calibrate.ComposedMu(q.All()) }

// All returns the query's mechanisms, followed by the mechanism of the search for its clamp.
func (q *Planned) All() []calibrate.Mechanism {
	if q.Search == nil {
		return q.Mechanisms
	}
	return append(slices.Clone(q.Mechanisms), q.Search.Mechanism)
}
