package queries

import (
	"fmt"
	"math"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/bounding"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/problem"
)

// summing is a sum or a mean: of each group, a vector of sums of the rows' values and, for means, the number of rows.
//
// A mean adds up x - centre, the centre of the range of x. It is one mechanism where the number of terms is public, else
// two, of the sums and of the counts: what one row adds to a centred sum is half of what it might add at most, and noise in
// the count hurts least where the mean is near the centre.
type summing struct {
	counting
	quantizer *quantizer
}

// The names of a mean's parts, and of their columns in its answer.
const (
	sumComponent   = "sum"
	countComponent = "count"
	noisySum       = "noisy_sum"
	noisyCount     = "noisy_count"
	// and of a variance's third one
	squaresComponent = "squares"
	noisySquares     = "noisy_squares"
)

// Cells returns the length of the answer: components of groups.
func (q *summing) Cells() int { return q.cells * q.quantizer.dims }

// ratio says that the query is a mean of two parts.
func (q *summing) ratio() bool { return q.spec.Kind == Mean && q.quantizer.rows == 0 }

// New compiles the query.
func (q *summing) New(s table.Schema, spill bounding.Spill) (Accumulator, error) {
	p := &problem.Problems{Query: q.spec.Name}
	groups := q.compile(s, p)
	values := q.compileVectors(q.layout(s, p))
	u := q.compileUnits(s, p)
	if err := p.Err(); err != nil {
		return nil, err
	}
	a := sums{query: q, groups: groups, values: values, quantized: make([]int64, q.quantizer.dims)}
	if q.spec.perRow() {
		return &rowSums{sums: a, plain: newPlainSums(q)}, nil
	}
	return &unitSums{sums: a, rows: bounding.NewRows(u, bounding.CellBytes, q.quantizer.dims, spill)}, nil
}

// Components states the mechanism of a sum, or the one or two of a mean.
func (q *summing) Components(adj Adjacency) ([]Component, error) {
	p := &problem.Problems{Query: q.spec.Name}
	adj.check(p)
	q.checkMean(adj, p)
	if err := p.Err(); err != nil {
		return nil, err
	}
	switch {
	case q.squared():
		return q.varianceComponents(adj), nil
	case q.ratio():
		return q.ratioComponents(adj), nil
	case q.spec.Kind == Mean:
		return q.meanComponent(adj)
	}
	sens, err := q.declared(adj, q.sumSensitivity(adj))
	if err != nil {
		return nil, err
	}
	part := q.componentOfSum(sens)
	part.Name = ""
	return []Component{part}, nil
}

// checkMean reports what a mean cannot have under an adjacency.
func (q *summing) checkMean(adj Adjacency, p *problem.Problems) {
	switch {
	case q.quantizer.rows > 0 && adj != ReplaceOne:
		p.Add(q.quantizer.field+".rows", problem.CodeBadSpec, "the number of terms is public only under replace-one", "leave rows out, or use adjacency replace-one")
	case q.ratio() && q.spec.Declared != 0:
		p.Add(problem.FieldSensitivity, problem.CodeBadSpec, "a mean made of a noisy sum and a noisy count has two sensitivities", "leave the declaration out")
	}
}

func (q *summing) sumSensitivity(adj Adjacency) calibrate.Sensitivity {
	l2 := q.norm(q.limits, adj)
	return calibrate.Sensitivity{L2: l2, Why: q.whySum(adj) + ": " + domain.Shortest(l2)}
}

func (q *summing) componentOfSum(sens calibrate.Sensitivity) Component {
	return Component{
		Name: sumComponent, Sens: sens, Cells: q.Cells(), Quantum: math.Ldexp(1, q.quantizer.unit),
		RowBound: q.quantizer.size(q.reach.more), Scale: 1, Weight: 1,
	}
}

// meanComponent states the mechanism of a mean of a public number of terms: a sum, of which the answer is the n-th part. The range
// itself bounds what one row changes: hi - lo in each component, or twice the norm.
func (q *summing) meanComponent(adj Adjacency) ([]Component, error) {
	n := float64(q.quantizer.rows) // exact
	sum := q.sumSensitivity(adj)
	mean, err := q.declared(adj, calibrate.Sensitivity{
		L2: math.Nextafter(sum.L2/n, math.Inf(1)), Why: fmt.Sprintf("%s, of %d terms; rows without a value count as the centre of the range", sum.Why, q.quantizer.rows),
	})
	if err != nil {
		return nil, err
	}
	if q.spec.Declared != 0 {
		sum.L2 = max(sum.L2, math.Nextafter(mean.L2*n, math.Inf(1)))
	}
	part := q.componentOfSum(calibrate.Sensitivity{L2: sum.L2, Why: mean.Why})
	part.Scale = 1 / n
	return []Component{part}, nil
}

// ratioComponents states the two mechanisms of other means.
//
// With sigma_s, sigma_c the noise of the sums and the count and n rows, the squared error of a mean of d components is about
// (d·sigma_s² + ‖mean - centre‖²·sigma_c²)/n². For the worst mean, at the norm ρ of half the range, it is least where the shares of
// mu² are as sqrt(d)·Delta_s to ρ·Delta_c, since sigma² = Delta²/share.
func (q *summing) ratioComponents(adj Adjacency) []Component {
	sum := q.componentOfSum(q.sumSensitivity(adj))
	squared := squaredNorm(q.limits, adj, q.cells)
	count := Component{
		Name: countComponent, Sens: calibrate.Sensitivity{L2: rootUp(squared), Why: q.why(adj, squared)},
		Cells: q.cells, Quantum: 1, RowBound: 1, Scale: 1,
	}
	sum.Weight = math.Sqrt(float64(q.quantizer.dims)) * sum.Sens.L2
	count.Weight = q.reach.ofRow() * count.Sens.L2
	return []Component{sum, count}
}

// whySum is the one-line argument for the sensitivity of the sums, without its value.
func (q *summing) whySum(adj Adjacency) string {
	if q.quantizer.rows > 0 {
		return "replacing a row changes the sum by the range of its value"
	}
	what := q.sizeText()
	switch {
	case q.spec.perRow() && adj == AddRemove:
		return "each row adds " + what + " to at most one group"
	case q.spec.perRow():
		return "replacing a row takes " + what + " from one group and adds another to one group, either of which may be left out"
	case adj == AddRemove:
		return "each " + q.spec.unitName() + " adds " + limitsText(q.limits, q.cells) + ", each " + what
	}
	return "each " + q.spec.unitName() + " can change from one to another contribution of " + limitsText(q.limits, q.cells) + ", each " + what
}

// sizeText describes the value of a row: "a value in [0, 99]", less the centre for means.
func (q *summing) sizeText() string {
	v := q.quantizer
	norm := domain.Shortest(q.reach.ofRow())
	if v.clip || v.dims > 1 {
		return "a vector of norm at most " + norm
	}
	return fmt.Sprintf("a value in [%s, %s]", domain.Shortest(v.size(v.low-v.centre)), domain.Shortest(v.size(v.high-v.centre)))
}
