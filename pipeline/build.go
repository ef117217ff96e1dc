package pipeline

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/configs"
	"github.com/dprelease/dprelease/denoise"

	"github.com/dprelease/dprelease/internal/spelling"
	"github.com/dprelease/dprelease/pipeline/manifest"
	"github.com/dprelease/dprelease/queries"
	"github.com/dprelease/dprelease/queries/derived"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/query"
)

// ReadColumn reads a column of a public file of the job: its values in the order of the rows. Nulls are omitted or, if
// aligned is set, become empty strings.
type ReadColumn func(path, column string, aligned bool) ([]string, error)

// New makes the plan of a job. It reads the job's public files through read, and no private data. It reports all
// problems at once, each at its place in the job file.
func New(job *configs.Job, read ReadColumn) (*Plan, configs.Diagnostics) {
	b := &builder{job: job, read: read, gathered: &gathered{}}
	p := b.plan()
	if len(b.diags) > 0 {
		return nil, b.diags
	}
	return p, nil
}

// builder makes a plan from a job and collects the problems that it finds in the job.
type builder struct {
	job  *configs.Job
	read ReadColumn
	*gathered

	location *time.Location
	derived  *derived.Set
	// called holds the job's names of the privacy unit's columns. It is set in the builder of one of several tables,
	// because the table's own names can differ.
	called []string
	joins  []Join
	tables []*builder // tables has a builder for each table of a job with several tables
}

// gathered holds the problems, and the facts, that the builders of all tables of a job collect together.
type gathered struct {
	diags  configs.Diagnostics
	public []publicFile
	inputs []os.FileInfo // the result of inputFiles; nil before its first call
	// presents is set while public files are read for a denoising step, which affects the rendering and not the noisy
	// values.
	presents bool
	unread   int // the number of public files or columns that could not be read
	// told holds the faults of public files that were reported: the path of the mapping that names the file, the file, and
	// the fault. A mapping can name several columns of a file.
	told [][3]string
}

func (b *builder) plan() *Plan {
	p := &Plan{job: b.job, adjacency: query.Adjacency(b.job.Privacy.Adjacency)}
	b.input(&p.input)
	b.derive()
	p.input.units = b.units()
	b.ofTables(p)
	b.queries(p)
	b.margins(p)
	b.rates(p)
	if len(b.diags) > 0 {
		return nil
	}
	p.input.rows = b.rows()
	b.views(p)
	b.calibrate(p)
	if len(b.diags) > 0 {
		return nil
	}
	if err := b.identity(p); err != nil {
		b.report("", "job", err.Error(), "")
	}
	return p
}

// identity stores the job as it is run in p, for the manifest, and computes the run fingerprint of p.
func (b *builder) identity(p *Plan) (err error) {
	if p.effective, err = b.job.Effective(); err != nil {
		return err
	}
	asked, err := b.job.Identity()
	if err != nil {
		return err
	}
	p.identity, err = identify(asked, b.public, b.job.Ledger.Dataset, p.Params())
	return err
}

func (b *builder) report(path, code, message, hint string) {
	b.diags = append(b.diags, b.job.Diagnose(path, code, message, hint))
}

// draft is a query that was read from the job and is completed later, because it may depend on a query after it.
type draft struct {
	Planned
	spec   query.Spec
	steps  []*denoise.Step
	unread bool // a public file that the query needs could not be read
}

// queries makes the queries of the plan. The order of the public files that it lists is part of the run fingerprint:
// they follow the queries, and a query's own files come before the files of its denoising steps.
func (b *builder) queries(p *Plan) {
	drafts := make([]draft, len(b.job.Queries))
	specs := make([]*query.Spec, len(drafts))
	public := make([][]publicFile, len(drafts))
	before := b.public
	for i := range drafts {
		b.public = nil
		drafts[i] = b.builderFor(&b.job.Queries[i]).draft(i)
		specs[i], public[i] = &drafts[i].spec, b.public
	}
	for i, leader := range findLeaders(specs, b.job.Queries) {
		b.public = nil
		drafts[i].leader = leader
		if leader != noLeader && drafts[leader].overUnits != drafts[i].overUnits {
			b.report(drafts[i].path, "contradiction", "query "+drafts[leader].spec.Name+" selects the keys, and one of the two "+
				"queries is over units", "write over: units in both, or name the column of units otherwise")
		}
		p.queries = append(p.queries, b.query(i, &drafts[i]))
		public[i] = append(public[i], b.public...)
	}
	b.public = slices.Concat(append([][]publicFile{before}, public...)...)
}

// draft reads query i of the job.
func (b *builder) draft(i int) draft {
	jq := &b.job.Queries[i]
	q := Planned{Sparse: jq.Sparse, inside: inside{path: fmt.Sprintf("queries[%d]", i)}}
	unread := b.unread
	spec := b.spec(jq, q.path)
	q.Kind, q.overUnits, q.table = spec.Kind, jq.OverUnits(), jq.From
	q.adjusted = spec.Crosstabs != nil && spec.Crosstabs.Adjusted()
	q.keepPlaces(spec.By)
	var err error
	if q.Filters, err = domain.NewFilters(q.path+".where", filterSpecs(jq.Where)); err != nil {
		b.diags = append(b.diags, diagnose(b.job, "", err)...)
	}
	steps := b.steps(jq, q.path)
	q.MaxError = b.number(jq.MaxError, q.path+".max_error")
	q.target = b.target(jq, q.path)
	q.rule = b.rule(jq, q.path, steps)
	if slices.ContainsFunc(spec.By, func(d domain.Dimension) bool { return d.Discover }) {
		b.discovered(jq, q.path)
	}
	return draft{q, spec, steps, b.unread > unread}
}

// query completes a draft.
func (b *builder) query(i int, d *draft) Planned {
	q := d.Planned
	if d.unread {
		return q // the missing public file was already reported
	}
	asked, err := queries.New(d.spec)
	if err != nil {
		b.diags = append(b.diags, diagnose(b.job, q.path, err)...)
		return q
	}
	q.Query = asked
	q.Components, err = asked.Components(query.Adjacency(b.job.Privacy.Adjacency))
	if err != nil {
		b.diags = append(b.diags, diagnose(b.job, q.path, err)...)
	}
	if slices.ContainsFunc(q.Components, outOfRange) {
		b.report(q.path+"."+string(d.spec.Kind), "bad-value", "the bounds are so small or so large that the noise, or its "+
			"square, is no number in float64's range", "write values and weights in a unit in which their clamps are nearer "+
			"to 1")
	}
	b.search(&q, i)
	q.Steps = b.bind(d.steps, &b.job.Queries[i], &q)
	return q
}

// outOfRange reports whether a number that calibrates a component's noise became 0 or infinite.
func outOfRange(c query.Component) bool {
	for _, x := range []float64{c.Sens.L2, c.Quantum, c.RowBound, c.Weight} {
		if !(x > 0) || math.IsInf(x, 0) {
			return true
		}
	}
	return math.IsInf(c.L1, 0) || math.IsInf(c.Cost, 0) || c.L1 > 0 && !(c.Cost > 0)
}

// keepPlaces stores the public points of the query's first dimension whose cells are points.
func (q *Planned) keepPlaces(by []domain.Dimension) {
	for i := range by {
		if by[i].Nearest != nil {
			q.places = &Places{By: i, Points: by[i].Nearest.Points}
			return
		}
	}
}

// rule returns the query's publish rule, which decides which cells are published.
func (b *builder) rule(jq *configs.Query, path string, steps []*denoise.Step) (r publishRule) {
	p := b.job.PublishRule(jq)
	if p == nil {
		return r
	}
	r = publishRule{MinCount: b.number(p.MinCount, path+".publish.min_count"),
		MaxRelative: b.number(p.MaxRelativeError, path+".publish.max_relative_error")}
	if message, hint := r.Problem(jq, b.job, steps); message != "" {
		b.report(path, "contradiction", "publish: "+message, hint)
	}
	return r
}

// number reads a decimal of the job that is no budget. It returns 0 if the job lacks the key.
func (b *builder) number(d configs.Decimal, path string) float64 {
	if d == "" {
		return 0
	}
	x, err := calibrate.ParseNearest(string(d))
	if err != nil {
		b.report(path, "bad-value", "not a number in float64's range", "")
	}
	return x
}

// calibrate splits the guarantee over the components of all queries.
func (b *builder) calibrate(p *Plan) {
	b.guarantee(p)
	if len(b.diags) > 0 {
		return
	}
	weights := b.weights(p)
	needed := b.prepareTargets(p)
	if len(b.diags) > 0 {
		return
	}
	if b.job.Privacy.Weights == "auto" {
		for i, mu := range needed {
			weights[i] = mu * mu
		}
	}
	mechanisms, err := b.split(p, weights)
	if len(b.diags) > 0 {
		return
	}
	if err != nil {
		b.report("privacy", "calibration", err.Error(), "see docs/KNOWN_LIMITATIONS.md for the range of budgets and bounds")
		return
	}
	for i := range p.queries {
		q := &p.queries[i]
		n := len(q.Components)
		if q.Mechanisms, mechanisms = mechanisms[:n:n], mechanisms[n:]; q.Search != nil {
			q.Search.Mechanism, mechanisms = mechanisms[0], mechanisms[1:]
		}
		if err := q.describe(p.adjacency); err != nil {
			b.report(q.path, "calibration", err.Error(), "")
			return
		}
		b.checkNoise(q)
		b.checkRounding(q, b.job.Queries[i].Crosstabs)
		if _, perRow := q.HalfWidth(); perRow && q.MaxError > 0 {
			b.report(q.path+".max_error", "contradiction", "the error of this query depends on the private number of rows",
				"remove max_error, or declare a public number of rows of a mean (input.rows)")
		}
	}
	b.findEpsilon(p, needed, weights)
	b.selections(p)
	if len(b.diags) == 0 {
		b.shareRows(p)
	}
}

// Standard deviations of noise must lie in this range, so that their squares and the sums of their squares neither
// overflow nor underflow.
const (
	minDeviation = 0x1p-500
	maxDeviation = 0x1p+500
)

// checkNoise reports noise of a query whose standard deviation is out of the range of float64 arithmetic.
func (b *builder) checkNoise(q *Planned) {
	for _, m := range q.Mechanisms {
		if d := m.Deviation(); !(d >= minDeviation && d <= maxDeviation) {
			b.report(q.path, "calibration", fmt.Sprintf("its noise has a standard deviation of %s, which is out of range",
				spelling.Short(d, 3)),
				"choose another epsilon, or write values in a unit in which their clamps are nearer to 1")
			return
		}
	}
}

// maxNoise is the largest standard deviation of noise for crosstabs that are rounded to integers that add up, in units
// of the rounding. Sums of larger float64 values are wrong by whole units, and the rounding would correct these one at
// a time.
const maxNoise = 1 << 40

// checkRounding reports crosstabs that are to be rounded to a unit far smaller than their noise; see maxNoise.
func (b *builder) checkRounding(q *Planned, x *configs.Crosstabs) {
	if x == nil || x.RoundTo == 0 && (x.Integers == nil || !*x.Integers) {
		return
	}
	for _, m := range q.Mechanisms {
		if m.Deviation() > maxNoise*float64(max(x.RoundTo, 1)) {
			b.report(q.path+".crosstabs", "contradiction", "the noise is more than 2^40 times the multiples to which "+
				"estimates are rounded",
				"remove integers or round_to, or ask for less noise")
			return
		}
	}
}

// split divides the budget among the queries and calibrates their mechanisms.
func (b *builder) split(p *Plan, weights []float64) ([]calibrate.Mechanism, error) {
	if p.noise.Delta > 0 {
		return calibrate.SplitBudget(p.noise, asks(p, weights))
	}
	var pure []calibrate.PureAsk
	for i := range p.queries {
		q := &p.queries[i]
		pure = append(pure, pureAsks(q.Query.Name(), weights[i], q.Components)...)
	}
	ms, err := calibrate.SplitPure(p.noise.Epsilon, pure)
	p.mu = calibrate.ComposedMu(ms)
	return ms, err
}

// WithOtherDelta returns the noise at the same epsilon with another delta: 0 if the plan's delta is above 0, else a
// small one. It returns nil if some query cannot have that delta, or if the other noise is out of the range of float64.
func (p *Plan) WithOtherDelta() *Compared {
	b := builder{job: p.job, gathered: &gathered{}}
	if p.noise.Delta > 0 {
		return p.comparePure(b.weights(p))
	}
	components := make([][]query.Component, len(p.queries))
	for i := range p.queries {
		components[i] = p.queries[i].Components
	}
	return compareDelta(p.noise.Epsilon, b.weights(p), components)
}

// checkPure reports the keys of the job that delta 0 excludes.
func (b *builder) checkPure(p *Plan) {
	for i := range p.queries {
		q := &p.queries[i]
		for _, x := range deltaZeroProblems(&b.job.Queries[i], q.Components, q.Steps) {
			b.report(strings.TrimSuffix(q.path+"."+x.Path, "."), "contradiction", x.Message, x.Hint)
		}
	}
	if b.job.Privacy.DeltaFailure != "" {
		b.report("privacy.delta_failure", "contradiction", "is a part of delta, which is 0", "remove delta_failure")
	}
}

// guarantee sets the guarantee of the plan, the rest of it that the noise must meet, and the mu of this rest.
func (b *builder) guarantee(p *Plan) {
	epsilon, err := b.job.Privacy.Epsilon.Down()
	if err != nil {
		b.report("privacy.epsilon", "bad-value", err.Error(), "")
	}
	delta, err := b.job.Privacy.Delta.Down()
	if err != nil {
		b.report("privacy.delta", "bad-value", err.Error(), "")
	}
	p.guarantee = calibrate.Guarantee{Epsilon: calibrate.Epsilon(epsilon), Delta: calibrate.Delta(delta)}
	if len(b.diags) > 0 {
		return
	}
	if delta == 0 {
		p.noise = p.guarantee
		b.checkPure(p)
		return
	}
	p.noise = calibrate.Guarantee{Epsilon: p.guarantee.Epsilon, Delta: calibrate.Delta(b.failures(p, delta))}
	if len(b.diags) > 0 {
		return
	}
	if p.mu, err = calibrate.GaussianMu(p.noise); err != nil {
		b.report("privacy", "bad-value", err.Error(), "")
	}
}

// weights returns the queries' weights in the job.
func (b *builder) weights(p *Plan) []float64 {
	out := make([]float64, len(p.queries))
	for i := range out {
		out[i] = 1
		if w := b.job.Queries[i].Weight; w != "" {
			out[i] = b.number(w, p.queries[i].path+".weight")
		}
	}
	return out
}

// asks returns the budget requests of all components. A query's weight is divided among its components.
func asks(p *Plan, weights []float64) []calibrate.Ask {
	var all []calibrate.Ask
	for i := range p.queries {
		var asks []calibrate.Ask
		q := &p.queries[i]
		total := 0.0
		for _, c := range q.Components {
			total += c.Weight
		}
		for _, c := range q.Components {
			asks = append(asks, calibrate.Ask{
				Query: manifest.MechanismName(q.Query.Name(), c.Name), Sens: c.Sens,
				Weight: weights[i] * c.Weight / total, Quantum: c.Quantum, RowBound: c.RowBound,
			})
		}
		if q.Search != nil {
			asks = q.Search.Ask(asks, weights[i])
		}
		all = append(all, asks...)
	}
	return all
}
