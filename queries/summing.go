package queries

import (
	"fmt"
	"math"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/mechanism"
	"github.com/dprelease/dprelease/queries/bounding"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/problem"
)

// summing is a query that adds values up: of each group, a vector of sums of the rows' values and what its kind needs beside it.
type summing struct {
	counting
	quantizer *quantizer
	kind      summary
}

// summary is what a kind of query makes of sums: see sum.go, mean.go and variance.go.
type summary interface {
	// extra says what is added up beside the values.
	extra() extraVectors
	// components states the mechanisms, the one of the sums first, or what is wrong under an adjacency.
	components(q *summing, adj Adjacency) ([]Component, error)
	// answer makes the answer of the noisy vectors of the components, before and after denoising.
	answer(q *summing, noisy, estimate []mechanism.Noisy) Answer
	// readBack is Query.Recover: the inverse of answer.
	readBack(q *summing, c Columns, grids []float64) (Recovered, error)
}

// extraVectors are the exact vectors beside that of the sums, each with one number a group.
type extraVectors struct {
	squares bool // the sums of the squares
	rows    bool // the numbers of rows
}

// facts is what a kind of query that adds values up needs to be checked and read.
type facts struct {
	// centred: the values are added up less the centre of their range. What one row adds is then half of what it might add at most.
	centred bool
	// valueBits is how many bits a value has, in units of the quantum.
	valueBits int
	// columns are those of the answer beside those of every answer and the keys.
	columns []string
	// check reports what the kind cannot have.
	check func(Spec, *problem.Problems)
	// summary makes the kind of a value that was checked.
	summary func(*quantizer) summary
}

// summaries are the kinds of query that add values up.
var summaries = map[Kind]facts{Sum: sumFacts, Mean: meanFacts, Variance: varianceFacts}

// The columns of an answer that hold the noisy vectors of which it was made.
const (
	noisySum     = "noisy_centred_sum"
	noisyCount   = "noisy_count"
	noisySquares = "noisy_centred_squares"
)

// newSumming makes the query of a counting whose values are quantized.
func newSumming(c counting, v *quantizer) *summing {
	c.reach = v.reach()
	return &summing{counting: c, quantizer: v, kind: summaries[c.spec.Kind].summary(v)}
}

// Cells returns the length of the answer: components of groups.
func (q *summing) Cells() int { return q.cells * q.quantizer.dims }

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

// Components states the mechanisms of the query's kind.
func (q *summing) Components(adj Adjacency) ([]Component, error) {
	p := &problem.Problems{Query: q.spec.Name}
	adj.check(p)
	if err := p.Err(); err != nil {
		return nil, err
	}
	return q.kind.components(q, adj)
}

// sumSensitivity is that of the sums.
func (q *summing) sumSensitivity(adj Adjacency) calibrate.Sensitivity {
	l2 := q.norm(q.limits, adj)
	return calibrate.Sensitivity{L2: l2, Why: q.whySum(adj) + ": " + domain.Shortest(l2)}
}

// componentOfSum is the mechanism of the sums with some sensitivity.
func (q *summing) componentOfSum(sens calibrate.Sensitivity) Component {
	return Component{
		Name: "sum", Sens: sens, Cells: q.Cells(), Quantum: math.Ldexp(1, q.quantizer.unit),
		RowBound: q.quantizer.size(q.reach.more), Scale: 1, Weight: 1,
	}
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

// Finish makes the answer of the noisy vectors of the query's kind.
func (q *summing) Finish(noisy, estimate []mechanism.Noisy) (Answer, error) {
	lengths, beside := []int{q.Cells()}, q.kind.extra()
	if beside.squares {
		lengths = append(lengths, q.cells)
	}
	if beside.rows {
		lengths = append(lengths, q.cells)
	}
	if err := checkComponents(q.Name(), noisy, estimate, lengths...); err != nil {
		return Answer{}, err
	}
	a := q.kind.answer(q, noisy, estimate)
	a.Cells, a.Keys = q.Cells(), q.keys()
	return a, nil
}

// keys are those of the groups, with the components of each group next to each other.
func (q *summing) keys() []domain.KeyColumn {
	keys := domain.KeyColumns(q.axes)
	for i := range keys {
		keys[i].Stride *= q.quantizer.dims
	}
	if v := q.spec.Value; v.vector() {
		keys = append(keys, domain.KeyColumn{Name: componentKey, Stride: 1, Labels: v.components()})
	}
	return keys
}
