package pipeline

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/configs"

	"github.com/dprelease/dprelease/internal/spelling"
	"github.com/dprelease/dprelease/queries/query"
)

// Targets
//
// A job may state how accurate its queries must be, instead of an epsilon. The half-width of a query's interval is
// inversely proportional to its mu, except for the rounding to the grid of the noisy values. So each target determines
// the smallest mu_q of its query, whatever the other queries are. All queries together need
//
//	mu² = sum_q mu_q²                 if weights are computed from the targets,
//	mu² = max_q mu_q²·sum(w)/w_q      with given weights w.
//
// The smallest epsilon that suffices is the epsilon of this mu at the job's delta. No data is read.

// Targets returns the mu and epsilon that the job's accuracy needs; nil if the job has no targets.
func (p *Plan) Targets() *Targets { return p.targets }

// target reads the accuracy that the job requires of a query.
func (b *builder) target(jq *configs.Query, path string) target {
	a := jq.Accuracy
	if a == nil {
		return target{}
	}
	t := target{half: b.number(a.HalfWidth, path+`.accuracy["95%"]`)}
	if a.At != "" {
		t.half *= b.number(a.At, path+".accuracy.at")
	}
	if a.Rows > 0 {
		t.half *= float64(a.Rows)
	}
	return t
}

// checkTarget reports an accuracy target that does not suit the kind of its query.
func (b *builder) checkTarget(q *Planned, a *configs.Accuracy) {
	if a == nil {
		return
	}
	path := q.path + ".accuracy"
	switch _, perRow := q.HalfWidth(); {
	case perRow && a.Rows == 0:
		b.report(path, "contradiction", "the error of this query depends on the private number of rows",
			"add rows: N, a public size of a group for which the half-width is to hold")
	case !perRow && a.Rows > 0:
		b.report(path+".rows", "contradiction", "the error of this query does not depend on a number of rows",
			"remove rows; at: SIZE makes a half-width relative")
	}
	if len(a.Table) == 0 {
		return
	}
	if q.Strategy != nil {
		for _, t := range q.Strategy.Tables {
			if slices.Equal(slices.Sorted(slices.Values(t.By)), slices.Sorted(slices.Values(a.Table))) {
				q.target.table = t.Name
				return
			}
		}
	}
	b.report(path+".table", "contradiction", "the query has no such table",
		"name the dimensions of one of its tables, or leave table out: then all reach the half-width")
}

// plannedHalf returns the half-width that the plan gives the query, for comparison with its target.
func (q *Planned) plannedHalf() float64 {
	if q.target.table != "" {
		for _, t := range q.Strategy.Tables {
			if t.Name == q.target.table {
				return calibrate.Z95 * t.Deviation
			}
		}
	}
	half, _ := q.HalfWidth()
	return half
}

// withMu returns the query with mechanisms whose composition has the given mu: component i has sigma =
// L2·sqrt(sum(w)/w_i)/mu, and its own grid.
func (q *Planned) withMu(mu float64, adj query.Adjacency) (*Planned, error) {
	total := 0.0
	for _, c := range q.Components {
		total += c.Weight
	}
	out := *q
	out.Mechanisms = make([]calibrate.Mechanism, len(q.Components))
	for i, c := range q.Components {
		sigma := calibrate.Sigma(c.Sens.L2 * math.Sqrt(total/c.Weight) / mu)
		grid, err := calibrate.Grid(sigma, c.Quantum, c.RowBound)
		if err != nil {
			return nil, err
		}
		out.Mechanisms[i] = calibrate.Mechanism{Sens: c.Sens, Sigma: sigma, Grid: grid}
	}
	return &out, out.describe(adj)
}

// errTarget means that a target needs noise out of the sampler's range.
var errTarget = errors.New("no noise that this program draws gives that half-width")

// minMu returns the smallest mu at which the query reaches its target, to within 1e-12 of it.
//
// Half-widths are nearly proportional to 1/mu, so the search replaces mu by mu·half/target until mu no longer changes.
// The half-width jumps when the grid doubles. If the target lies within a jump, the search bisects the interval between
// a mu that misses the target and one that meets it.
func (q *Planned) minMu(adj query.Adjacency) (float64, error) {
	half := func(mu float64) (float64, error) {
		at, err := q.withMu(mu, adj)
		if err != nil {
			return 0, errTarget
		}
		return at.plannedHalf(), nil
	}
	missed, met, mu := 0.0, math.Inf(1), 1.0
	for step := range 100 {
		h, err := half(mu)
		if err != nil {
			return 0, err
		}
		if h <= q.target.half {
			if met = min(met, mu); h >= q.target.half*(1-1e-12) {
				break
			}
		} else {
			missed = max(missed, mu)
		}
		if !math.IsInf(met, 1) && met-missed <= 1e-12*met {
			break
		}
		mu *= h / q.target.half * (1 + 2e-13) // the factor exceeds rounding errors, so that the target is met
		if step > 8 && missed > 0 && !math.IsInf(met, 1) {
			mu = (met + missed) / 2
		}
	}
	if math.IsInf(met, 1) {
		return 0, errTarget
	}
	return met, nil
}

// prepareTargets checks the targets of all queries, and returns the mu that each query needs for its own. Mechanisms
// get provisional noise for that.
func (b *builder) prepareTargets(p *Plan) []float64 {
	for i := range p.queries {
		q := &p.queries[i]
		a := b.job.Queries[i].Accuracy
		if a == nil {
			continue
		}
		some, err := q.withMu(1, p.adjacency)
		if err != nil {
			b.report(q.path+".accuracy", "calibration", errTarget.Error(), "")
			continue
		}
		b.checkTarget(some, a)
		q.target = some.target
	}
	if len(b.diags) > 0 {
		return nil
	}
	return b.minMus(p)
}

// minMus returns the smallest mu of each query with a target; 0 for the others.
func (b *builder) minMus(p *Plan) []float64 {
	out := make([]float64, len(p.queries))
	for i := range p.queries {
		q := &p.queries[i]
		if q.target.half == 0 {
			continue
		}
		var err error
		if out[i], err = q.minMu(p.adjacency); err != nil {
			b.report(q.path+".accuracy", "calibration", err.Error(),
				"ask for a half-width of the size of what the query counts or adds up")
		}
	}
	return out
}

// together returns the mu of the whole release. needed holds the smallest mu of each query. If auto is set, the budget
// is split as needed; otherwise by weights.
func together(needed, weights []float64, auto bool) float64 {
	sum, largest, total := 0.0, 0.0, 0.0
	for i, mu := range needed {
		sum += mu * mu
		total += weights[i]
		largest = max(largest, mu*mu/weights[i])
	}
	if auto {
		return math.Sqrt(sum)
	}
	return math.Sqrt(largest * total)
}

// findEpsilon computes the smallest epsilon that meets all targets, and stores it and Targets.Spare in p.targets.
func (b *builder) findEpsilon(p *Plan, needed, weights []float64) {
	auto := b.job.Privacy.Weights == "auto"
	mu := together(needed, weights, auto) * (1 + 1e-12) // the factor exceeds the rounding errors of sums and splits
	if mu == 0 || len(b.diags) > 0 {
		return
	}
	epsilon, err := calibrate.GaussianEpsilon(p.noise.Delta, calibrate.Mu(mu))
	if err != nil {
		b.report("privacy", "calibration",
			"the accuracy that is asked for needs an epsilon beyond what this program works out", "ask for larger half-widths")
		return
	}
	p.targets = &Targets{Epsilon: epsilon, Text: roundedUp(float64(epsilon)), Auto: auto, Spare: float64(p.mu) / mu}
}

// missedTargets returns one diagnostic for each query that misses its accuracy target.
func (p *Plan) missedTargets() configs.Diagnostics {
	var diags configs.Diagnostics
	for i := range p.queries {
		q := &p.queries[i]
		if half := q.plannedHalf(); q.target.half > 0 && half > q.target.half*(1+1e-11) {
			diags = append(diags, p.job.Diagnose(q.path+".accuracy", "max-error",
				fmt.Sprintf("%s: the 95 %% half-width will be %s times what accuracy asks for", q.Query.Name(),
					spelling.Up(half/q.target.half, 6)),
				"set privacy.epsilon to "+p.targets.Text+", the least for all targets (release suggest prints the job with it), "+
					"or ask for less"))
		}
	}
	return diags
}
