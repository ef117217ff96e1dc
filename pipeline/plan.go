package pipeline

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/configs"
	"github.com/dprelease/dprelease/denoise"
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/ledger"
	"github.com/dprelease/dprelease/pipeline/clampsearch"
	"github.com/dprelease/dprelease/pipeline/internal/decimals"
	"github.com/dprelease/dprelease/pipeline/internal/question"
	"github.com/dprelease/dprelease/pipeline/internal/withhold"
	"github.com/dprelease/dprelease/queries"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/problem"
)

// Plan is everything that is decided before a row is read: public and pure.
type Plan struct {
	job       *configs.Job
	effective []byte
	guarantee calibrate.Guarantee
	noise     calibrate.Guarantee // guarantee without the share of delta that may fail
	mu        calibrate.Mu
	adjacency queries.Adjacency
	queries   []Planned
	input     input
	identity  question.Identity
	failure   failure
	targets   *Targets // nil if no query has a target
}

// input is what the plan says of the input, for all queries alike.
type input struct {
	filters  domain.Filters
	location *time.Location
	views    views
	rows     int64
}

// Planned is one query of a plan with what it costs and how accurate it will be.
type Planned struct {
	Query queries.Query
	Kind  queries.Kind
	// Components and Mechanisms run in parallel: one mechanism a part.
	Components []queries.Component
	Mechanisms []calibrate.Mechanism
	Steps      []denoise.Step
	// Selection is how private keys are selected; nil if keys are listed.
	Selection *calibrate.KeySelection
	// Search is how the query's clamp is found; nil if it is fixed. Components and Mechanisms are then those for the public range until it is found.
	Search *clampsearch.Search
	// Strategy is how the query's tables are put together from components that are not their cells; nil if these are its answer.
	Strategy *queries.Strategy
	// MaxError is the largest 95 % half-width that the job accepts; 0 if it sets none.
	MaxError float64
	Sparse   bool
	inside
}

// inside is what of a planned query is nobody else's.
type inside struct {
	// margins are the queries whose estimates are made to agree with this one's.
	margins []margin
	// radius is half the range of the values of a mean or variance.
	radius float64
	// places are where the cells lie; nil if they are no points.
	places *Places
	// path is the query's place in the job, for diagnostics.
	path string
	// adjusted: the estimates of crosstabs are made non-negative or whole.
	adjusted bool
	// target is the accuracy that the job asks for.
	target target
	// rule says which cells are published.
	rule withhold.Rule
	// names are those of the mechanisms in the ledger, if the charge was adopted; else they are the mechanisms' own.
	names []string
}

// ReadStrings reads a column of a public file of the job, values in order.
type ReadStrings func(path, column string) ([]string, error)

// New makes the plan of a job. It reads the job's public files through read and no private data. All problems are
// reported at once, at their place in the job file.
func New(job *configs.Job, read ReadStrings) (*Plan, configs.Diagnostics) {
	b := &builder{job: job, read: read}
	p := b.plan()
	if len(b.diags) > 0 {
		return nil, b.diags
	}
	return p, nil
}

// Name returns the release's name.
func (p *Plan) Name() string { return p.job.Name }

// Job returns the job the plan was made of.
func (p *Plan) Job() *configs.Job { return p.job }

// Guarantee returns what the whole release promises.
func (p *Plan) Guarantee() calibrate.Guarantee { return p.guarantee }

// Mu returns the release's Gaussian-DP parameter: the mechanisms' composed mu never exceeds it.
func (p *Plan) Mu() calibrate.Mu { return p.mu }

// Adjacency returns which tables are neighbours.
func (p *Plan) Adjacency() queries.Adjacency { return p.adjacency }

// Filters returns the conditions that a row must fulfil to be in any query.
func (p *Plan) Filters() domain.Filters { return p.input.filters }

// Location returns the time zone in which times are read and taken apart.
func (p *Plan) Location() *time.Location { return p.input.location }

// Rows returns the public number of rows of the input that the job declares; 0 if it is private.
func (p *Plan) Rows() int64 { return p.input.rows }

// Queries returns the planned queries in the job's order.
func (p *Plan) Queries() []Planned { return p.queries }

// Mechanisms returns the mechanisms of all queries, in order.
func (p *Plan) Mechanisms() []calibrate.Mechanism {
	var ms []calibrate.Mechanism
	for i := range p.queries {
		ms = append(ms, p.queries[i].All()...)
	}
	return ms
}

// Check reports everything in the job that the input's schema does not support.
func (p *Plan) Check(schema table.Schema) configs.Diagnostics {
	logical, diags := p.LogicalSchema(schema)
	for i := range p.queries {
		if _, err := p.queries[i].Query.New(logical, nil); err != nil {
			diags = append(diags, diagnose(p.job, p.queries[i].path, err)...)
		}
	}
	diags = append(diags, p.checkNumbers(logical)...)
	if _, err := p.input.filters.Compile(logical, p.input.location); err != nil {
		diags = append(diags, diagnose(p.job, "", err)...)
	}
	return unique(p.hideHeader(schema, diags))
}

// fromCSV says whether the input has CSV files.
func (p *Plan) fromCSV() bool {
	return slices.ContainsFunc(p.job.Input.Files, func(f string) bool {
		return strings.Contains(strings.ToLower(filepath.Base(f)), ".csv")
	})
}

// hideHeader takes the names of a CSV header out of hints: if the file has no header, they are a row of the data.
func (p *Plan) hideHeader(s table.Schema, diags configs.Diagnostics) configs.Diagnostics {
	var names []string
	for _, f := range s.Fields {
		names = append(names, f.Name)
	}
	fromHeader := len(p.job.Input.CSV.Columns) == 0 && p.fromCSV()
	for i := range diags {
		if fromHeader && diags[i].Code == problem.CodeUnknownColumn {
			diags[i].Hint = table.HeaderAdvice(names, strings.TrimPrefix(diags[i].Message, "the input has no column "))
		}
	}
	return diags
}

// unique drops the repetitions: several queries may miss the same column at the same place.
func unique(diags configs.Diagnostics) configs.Diagnostics {
	seen := map[configs.Diagnostic]bool{}
	return slices.DeleteFunc(diags, func(d configs.Diagnostic) bool {
		again := seen[d]
		seen[d] = true
		return again
	})
}

// Accurate returns an error that holds what Missed found; nil if the job's targets are met.
func (p *Plan) Accurate() error {
	missed := p.Missed()
	if len(missed) == 0 {
		return nil
	}
	return &Error{Cause: CauseCheck, Code: "max-error", Message: "the release would be less accurate than the job accepts", Err: missed}
}

// Missed returns one line for each query whose 95 % half-width is larger than the job accepts.
func (p *Plan) Missed() configs.Diagnostics {
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

// Mu returns the root sum of squares of the parts' mu, rounded up.
func (q *Planned) Mu() calibrate.Mu { return calibrate.ComposedMu(q.All()) }

// All are the query's mechanisms and, after them, that of the search for its clamp.
func (q *Planned) All() []calibrate.Mechanism {
	if q.Search == nil {
		return q.Mechanisms
	}
	return append(slices.Clone(q.Mechanisms), q.Search.Mechanism)
}

// Charge is what a release of the plan costs: its number-th, into the folder dir.
func (p *Plan) Charge(dir string, number int) ledger.Charge {
	return ledger.Charge{
		Run: p.Run(), Number: number, Job: p.Name(), Params: p.Params(), Dir: dir, Account: p.Account(), Mechanisms: p.Mechanisms(),
		Budget: p.Budget(), Delta: p.guarantee.Delta, DeltaShare: p.failure.share,
	}
}

// Budget returns what the job says that its dataset may cost. If the job discovers keys and names no delta_cap, that is a tenth of the
// budget's delta (a period's, if it has one), or what this release takes if that is more.
func (p *Plan) Budget() ledger.Budget {
	b := BudgetOf(p.job)
	if p.failure.share != "" && b.DeltaCap == "" {
		b.DeltaCap = decimals.Larger(decimals.Tenth(string(p.job.Ledger.Budget.Delta)), p.failure.share)
	}
	return b
}

// BudgetOf returns what a job says that its dataset may cost.
func BudgetOf(job *configs.Job) ledger.Budget {
	b := &job.Ledger.Budget
	epsilon, delta := b.Total()
	out := ledger.Budget{Epsilon: string(epsilon), Delta: string(delta), DeltaCap: string(b.DeltaCap)}
	limit := ledger.Limit{Epsilon: string(b.Epsilon), Delta: string(b.Delta)}
	switch b.Per {
	case "day":
		out.Day = limit
	case "month":
		out.Month = limit
	case "year":
		out.Year = limit
	}
	return out
}

// Account names the budget that the plan draws on.
func (p *Plan) Account() ledger.Account { return AccountOf(p.job) }

// AccountOf names the budget that a job draws on.
func AccountOf(job *configs.Job) ledger.Account {
	return ledger.Account{Dataset: job.Ledger.Dataset, Unit: UnitText(job.Privacy.Unit), Adjacency: job.Privacy.Adjacency}
}
