package queries

import (
	"fmt"
	"math"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/mechanism"
	"github.com/dprelease/dprelease/queries/bounding"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/internal/accumulate"
	"github.com/dprelease/dprelease/queries/problem"
	"github.com/dprelease/dprelease/queries/quantize"
	"github.com/dprelease/dprelease/queries/sensitivity"
	"github.com/dprelease/dprelease/queries/tally"
)

// Queries that add values up
//
// A sum, a mean and a variance all add up, in each cell of their groups, a vector of quantized values. They differ in what they add up beside
// it and in what they make of the noisy vectors. Each states that once, as a [summary] in a file of its own; this file has what they share.

// summing is a query that adds values up.
type summing struct {
	counting
	quantizer *quantize.Quantizer
	kind      summary
}

// summary is what a kind of query makes of sums: see sum.go, mean.go and variance.go.
type summary interface {
	// extra says what is added up beside the values.
	extra() extraVectors
	// components states the mechanisms, that of the sums first, or what is wrong under an adjacency.
	components(q *summing, adj Adjacency) ([]Component, error)
	// answer makes the answer of the noisy vectors of the components, before and after denoising.
	answer(q *summing, noisy, estimate []mechanism.Noisy) Answer
	// readBack is Query.Recover: the inverse of answer.
	readBack(q *summing, c Columns, grids []float64) (Recovered, error)
	// looksEmpty is [Nothing].
	looksEmpty(q *summing, noisy []mechanism.Noisy) bool
}

// extraVectors are the exact vectors beside that of the sums, each with one number a group.
type extraVectors struct {
	second *accumulate.Second // the sums of a second number of each row, nil if there is none
	rows   bool               // the numbers of rows
}

// count is the number of vectors.
func (x extraVectors) count() int {
	n := 0
	if x.second != nil {
		n++
	}
	if x.rows {
		n++
	}
	return n
}

// facts is what a kind of query that adds values up needs to be checked and read.
type facts struct {
	// quantizer says how values become integers.
	quantizer quantize.Options
	// columns are those of the answer beside those of every answer and the keys.
	columns []string
	// check reports what the kind cannot have; nil if it can have everything.
	check func(Spec, *problem.Problems)
	// summary makes the kind of a value that was checked.
	summary func(*quantize.Quantizer) summary
}

// summaries are the kinds of query that add values up. This table names the files that know this one, as [New] does for all kinds: they are
// the places at which a new kind is entered.
var summaries = map[Kind]facts{Sum: sumFacts, Mean: meanFacts, Variance: varianceFacts}

// The columns of an answer that hold the noisy vectors of which it was made.
const (
	noisySum     = "noisy_centred_sum"
	noisyCount   = "noisy_count"
	noisySquares = "noisy_centred_squares"
)

// newQuantizer checks the value of a spec and returns its quantizer, or reports what is wrong and returns nil.
func newQuantizer(s Spec, p *problem.Problems) *quantize.Quantizer {
	o := summaries[s.Kind].quantizer
	o.Field = string(s.Kind)
	before := len(p.List)
	checkRows(s, p)
	q := quantize.New(s.Value, o, p)
	if len(p.List) > before {
		return nil
	}
	return q
}

// newSumming makes the query of a counting whose values are quantized.
func newSumming(c counting, v *quantize.Quantizer) *summing {
	c.reach = sensitivity.ReachOf(v)
	return &summing{counting: c, quantizer: v, kind: summaries[c.spec.Kind].summary(v)}
}

// Cells returns the length of the answer: components of groups.
func (q *summing) Cells() int { return q.cells * q.quantizer.Dims }

func (q *summing) directions() []domain.Direction {
	axes := domain.Directions(q.axes)
	if q.spec.Value.IsVector() {
		axes = append(axes, domain.Direction{By: -1, Size: q.quantizer.Dims})
	}
	return axes
}

func (q *summing) looksEmpty(noisy []mechanism.Noisy) bool { return q.kind.looksEmpty(q, noisy) }

// New compiles the query.
func (q *summing) New(s table.Schema, spill bounding.Spill) (Accumulator, error) {
	p := &problem.Problems{Query: q.spec.Name}
	l := q.layout(s, p)
	of := q.sums()
	of.Groups, of.Values = domain.NewGrouping(q.axes, l), q.quantizer.Compile(l)
	u := q.compileUnits(s, p)
	if err := p.Err(); err != nil {
		return nil, err
	}
	return q.gather(q, accumulate.NewSums(of), u, bounding.CellBytes, q.quantizer.Dims, spill), nil
}

// sums is what is added up.
func (q *summing) sums() accumulate.SumsOf {
	x := q.kind.extra()
	of := accumulate.SumsOf{Quantizer: q.quantizer, Cells: q.cells, Second: x.second, CountRows: x.rows}
	if q.quantizer.Value.Rows > 0 {
		of.Check = q.checkKnownRows
	}
	return of
}

func (q *summing) bytes(workers int, _ int64) int64 {
	n := 16*int64(q.Cells()) + 8*int64(q.cells)
	of := q.sums()
	if of.Second != nil {
		n += 16 * int64(q.cells)
	}
	if q.spec.perRow() && of.HoldPlain() {
		n += 16 * int64(q.cells)
		if of.Second != nil {
			n += 16 * int64(q.cells)
		}
	}
	return n * q.copies(workers)
}

// Tally also counts the rows by their value.
func (q *summing) Tally(s table.Schema) (*tally.Tally, error) {
	t, err := q.counting.Tally(s)
	if err != nil {
		return nil, err
	}
	p := &problem.Problems{Query: q.spec.Name}
	t.AddValue(q.quantizer, q.layout(s, p))
	if err := p.Err(); err != nil {
		return nil, err
	}
	return t, nil
}

// Components states the mechanisms of the query's kind.
func (q *summing) Components(adj Adjacency) ([]Component, error) {
	p := &problem.Problems{Query: q.spec.Name}
	adj.Check(p)
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
		Name: "sum", Sens: sens, Cells: q.Cells(), Quantum: math.Ldexp(1, q.quantizer.Exponent),
		RowBound: q.quantizer.Real(q.reach.More), Scale: 1, Weight: 1,
	}
}

// whySum is the one-line argument for the sensitivity of the sums, without its value.
func (q *summing) whySum(adj Adjacency) string {
	if q.quantizer.Value.Rows > 0 {
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
	norm := domain.Shortest(q.reach.OfRow())
	if v.Clip || v.Dims > 1 {
		return "a vector of norm at most " + norm
	}
	return fmt.Sprintf("a value in [%s, %s]", domain.Shortest(v.Real(v.Min-v.Centre)), domain.Shortest(v.Real(v.Max-v.Centre)))
}

// Finish makes the answer of the noisy vectors of the query's kind.
func (q *summing) Finish(noisy, estimate []mechanism.Noisy) (Answer, error) {
	lengths := []int{q.Cells()}
	for range q.kind.extra().count() {
		lengths = append(lengths, q.cells)
	}
	if err := checkComponents(q.Name(), noisy, estimate, lengths...); err != nil {
		return Answer{}, err
	}
	a := q.kind.answer(q, noisy, estimate)
	a.Cells, a.Keys = q.Cells(), q.keys()
	return a, nil
}

// Recover reads the noisy sums back and what the query's kind has beside them.
func (q *summing) Recover(c Columns, grids []float64) (Recovered, error) {
	return q.kind.readBack(q, c, grids)
}

// keys are those of the groups, with the components of each group next to each other.
func (q *summing) keys() []domain.KeyColumn {
	keys := domain.KeyColumns(q.axes)
	for i := range keys {
		keys[i].Stride *= q.quantizer.Dims
	}
	if v := q.spec.Value; v.IsVector() {
		keys = append(keys, domain.KeyColumn{Name: componentKey, Stride: 1, Labels: v.ComponentLabels()})
	}
	return keys
}
