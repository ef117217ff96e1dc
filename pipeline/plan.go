package pipeline

import (
	"fmt"
	"slices"
	"time"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/configs"
	"github.com/dprelease/dprelease/denoise"
	"github.com/dprelease/dprelease/internal/spelling"
	"github.com/dprelease/dprelease/pipeline/clampsearch"

	"github.com/dprelease/dprelease/queries/derived"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/perunit"
	"github.com/dprelease/dprelease/queries/query"
)

// Plan holds everything that is decided before a row is read. All of it is public. A plan is immutable: choices that a
// run makes from noisy values are in its [RunPlan].
type Plan struct {
	job       *configs.Job
	effective []byte
	guarantee calibrate.Guarantee
	noise     calibrate.Guarantee // what the noise must meet: the guarantee, minus the part of delta for key selection
	mu        calibrate.Mu
	adjacency query.Adjacency
	queries   []Planned
	input     input        // the input, if the plan has one table
	tables    []tableInput // the inputs of several tables; input is empty then
	identity  Identity
	failure   failure
	targets   *Targets // nil if no query has a target
}

// input describes a table's input: what all its queries share.
type input struct {
	filters  domain.Filters
	location *time.Location
	views    views
	derived  *derived.Set   // the definitions of the derived columns, which are views.columns[base:]
	units    *perunit.Table // nil if no query is over units
	joins    []Join         // the joins whose columns are needed; set when the needed columns are known
	rows     int64
}

// Planned is one query of a plan with its noise and its planned accuracy.
type Planned struct {
	Query query.Query
	Kind  query.Kind
	// Components are the noisy vectors of the query, such as the sum and the count of a mean. Mechanisms[i] describes the
	// noise of Components[i].
	Components []query.Component
	Mechanisms []calibrate.Mechanism
	Steps      []*denoise.Step
	// Selection describes how private keys are selected; nil if keys are listed.
	Selection *calibrate.KeySelection
	// Search describes how the query's clamp or row bound is found; nil if it is fixed. Before the choice, Components and
	// Mechanisms are for the widest public range.
	Search *clampsearch.Search
	// Strategy describes how the query's tables are computed from its components; nil if the components are the answer.
	Strategy *query.Strategy
	// Filters are the conditions of this query alone, in addition to the table's. They name logical columns or columns of
	// the table of units.
	Filters domain.Filters
	// MaxError is the largest half-width of a 95 % interval that the job accepts; 0 if it sets none.
	MaxError float64
	Sparse   bool
	inside
}

// inside holds the fields of a planned query that only this package uses.
type inside struct {
	// margins are the queries whose cells are sums of this query's cells, and whose estimates are made to agree with it.
	margins []margin
	// isMargin: the query is a margin of another one.
	isMargin bool
	// shared are the components that vectors of other queries measure too.
	shared []sharedVector
	// rates are the quotients with this query's cells as numerators, which are published as well.
	rates []rate
	// places are the geographic positions of the cells; nil if the cells are not points.
	places *Places
	// path is the query's path in the job, for diagnostics.
	path string
	// adjusted is set if the estimates of crosstabs are made nonnegative or integers.
	adjusted bool
	// target is the accuracy that the job asks for.
	target target
	// leader is the index of the query that selects this query's keys, or noLeader.
	leader int
	// overUnits is set if the query reads the table of units, which has one row for each privacy unit.
	overUnits bool
	// table is the name of the table that the query reads; "" if there is only one.
	table string
	// rule decides which cells are published.
	rule publishRule
	// names are the mechanisms' names in the ledger, if an earlier charge was adopted; otherwise nil, and the mechanisms'
	// own names hold.
	names []string
}

// margin is a query whose cells are sums of another query's cells over all dimensions except axes. It is stored with
// the other query.
type margin struct {
	query int
	axes  []int
}

// target is the accuracy that the job requires of a query.
type target struct {
	// half-width of the 95 % interval, times the number of rows if overRows is set (a mean); 0 if there is no target
	half  float64
	table string // the only table of crosstabs to which the target applies; "" for all
}

// Targets holds the epsilon that the job's accuracy targets require.
type Targets struct {
	// Epsilon is the smallest epsilon that meets all targets, with the job's delta. Text is that epsilon as a decimal,
	// rounded up by less than one part in 10^11.
	Epsilon calibrate.Epsilon
	Text    string
	// Auto is set if the queries' weights are computed from the targets.
	Auto bool
	// Spare is the smallest ratio, over the queries, of the target to the half-width at the job's epsilon. If Auto is
	// set, all queries have the same ratio. It is below 1 if a target is missed.
	Spare float64
}

// failure is the part of delta for the selection of private keys. It bounds the probability that a key that only one
// unit has is published. It is subtracted from delta before the noise is calibrated.
type failure struct {
	share string          // the part for all queries, a decimal; "" if no query selects keys
	each  calibrate.Delta // the part for one query that selects keys
}

// views lists the columns of batches and, for each event, which of them are the logical columns; views.go explains
// both.
type views struct {
	logical []string // the columns that queries and filters name
	columns []string // the columns of a batch, each once: first read, then joined, then derived ones
	inputs  int      // number of columns that are read
	base    int      // number of columns that are read or joined
	at      [][]int  // at[e][i] is the index in columns of logical column i for event e
}

// Places holds the public points of a query whose cells are points (a row counts at the nearest one), and the roads
// between them.
type Places struct {
	// By is the index of the query's dimension of points.
	By int
	// Points has one point per cell of the dimension, in the same order.
	Points []domain.Point
	// Roads are pairs of indices of Points: the edges of the graph for denoising, if there is one.
	Roads [][2]int
}

// Adjusts reports whether the estimates of crosstabs are made nonnegative or integers.
func (q *Planned) Adjusts() bool { return q.adjusted }

// Places returns the geographic positions of the query's cells; nil if the cells are not points.
func (q *Planned) Places() *Places { return q.places }

// Upstream returns, as a sentence, what the table's producer promises about the contributions of units; "" if the
// program bounds them itself.
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

// Mu returns the Gaussian-DP parameter that the release may use. The composed mu of its mechanisms never exceeds it.
func (p *Plan) Mu() calibrate.Mu { return p.mu }

// Adjacency returns which tables count as neighbours.
func (p *Plan) Adjacency() query.Adjacency { return p.adjacency }

// Filters returns the conditions that a row must meet to count in any query. A query can have more conditions.
func (p *Plan) Filters() domain.Filters { return p.input.filters }

// Location returns the time zone in which times are parsed, and from which hours and days are computed.
func (p *Plan) Location() *time.Location { return p.input.location }

// Rows returns the public number of rows of the input that the job declares; 0 if it is private.
func (p *Plan) Rows() int64 { return p.input.rows }

// Queries returns the planned queries in the job's order.
func (p *Plan) Queries() []Planned { return p.queries }

// Mechanisms returns the mechanisms of all queries, in order.
func (p *Plan) Mechanisms() []calibrate.Mechanism { return mechanismsOf(p.queries) }

// Accurate returns an error with a diagnostic for each missed accuracy target; nil if all targets are met.
func (p *Plan) Accurate() error {
	missed := p.missed()
	if len(missed) == 0 {
		return nil
	}
	return &Error{Cause: CauseCheck, Code: "max-error", Message: "the release would be less accurate than the job accepts",
		Err: missed}
}

// missed returns a diagnostic for each query whose half-width of a 95 % interval is larger than the job accepts.
func (p *Plan) missed() configs.Diagnostics {
	var diags configs.Diagnostics
	for i := range p.queries {
		q := &p.queries[i]
		if half, _ := q.HalfWidth(); q.MaxError > 0 && half > q.MaxError {
			diags = append(diags, p.job.Diagnose(q.path+".max_error", "max-error",
				fmt.Sprintf("%s: the 95 %% half-width will be %s, more than max_error %s", q.Query.Name(),
					spelling.Up(half, 6), spelling.Exact(q.MaxError)),
				"raise max_error, epsilon or the query's weight, or lower what a unit contributes (per_unit)"))
		}
	}
	return append(diags, p.missedTargets()...)
}

// Mu returns the Gaussian-DP parameter of the query: the square root of the sum of its mechanisms' mu², rounded up.
func (q *Planned) Mu() calibrate.Mu { return calibrate.ComposedMu(q.All()) }

// All returns the query's mechanisms, followed by the mechanism that finds its clamp or row bound, if there is one.
func (q *Planned) All() []calibrate.Mechanism {
	if q.Search == nil {
		return q.Mechanisms
	}
	return append(slices.Clone(q.Mechanisms), q.Search.Mechanism)
}
