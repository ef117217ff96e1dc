package kinds

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/internal/mechanism"
	"github.com/dprelease/dprelease/internal/spelling"
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/aggregation"
	"github.com/dprelease/dprelease/queries/bounding"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/internal/accumulate"
	"github.com/dprelease/dprelease/queries/internal/keyselection"
	"github.com/dprelease/dprelease/queries/internal/privateclamp"
	"github.com/dprelease/dprelease/queries/problem"
	"github.com/dprelease/dprelease/queries/quantize"
	"github.com/dprelease/dprelease/queries/query"
	"github.com/dprelease/dprelease/queries/sensitivity"
	"github.com/dprelease/dprelease/queries/tally"
)

// Queries that add up values
//
// A sum, a mean and a variance all add up quantized values in each group. They differ in their further totals, and in
// how they compute the answer from noisy vectors. Each has a [summary] for this in its own file. This file has what
// they have in common.

// Sums is a query that adds up values: a sum, a mean or a variance.
type Sums struct {
	Base
	Reach     *sensitivity.Reach // bounds on what one row adds to the sums
	Quantizer *quantize.Quantizer
	Kind      summary
	// half is half the length of the clamp. For vectors it is the bound on their norm.
	half float64
	// better holds less noisy versions of the query's vectors, combined from several queries of the release.
	better []Better
	reader *quantileReader // nil if neither quantiles nor cumulative fractions are requested
}

// quotient is a summary whose answer is divided by a noisy number of rows.
type quotient interface {
	// halfWidth implements HalfWidth of [query.Query] for values within half of the centre. deviations are the standard
	// deviations of the components; normal is set if the noise is Gaussian.
	halfWidth(half float64, deviations []float64, normal bool) float64
}

// HalfWidth returns the half-width of the query's summary, if it has one; see [query.Query].
func (q *Sums) HalfWidth(ms []calibrate.Mechanism) (overRows float64, ok bool) {
	k, ok := q.Kind.(quotient)
	if !ok {
		return 0, false
	}
	deviations := deviationsOf(ms)
	for _, b := range q.better {
		deviations[b.Component] = b.Deviation
	}
	return k.halfWidth(q.half, deviations, ms[0].Noise == calibrate.Gaussian), true
}

// summary is what a query computes from the sums of values: a sum, a mean or a variance.
type summary interface {
	// Extra returns the totals that are needed besides the sums of values.
	Extra() extraVectors
	// components returns the query's components, the sums of values first. It returns an error if they have no finite
	// sensitivity under the adjacency.
	components(q *Sums, adj query.Adjacency) ([]query.Component, error)
	// answer returns the answer from the components' noisy vectors. estimate holds the same vectors after denoising.
	answer(q *Sums, noisy, estimate []noisyVector) query.Answer
	// readBack implements Recover of [query.Query]: it is the inverse of answer.
	readBack(q *Sums, c query.Columns, grids []float64) (query.Recovered, error)
	// looksEmpty implements LooksEmpty of [query.Query].
	looksEmpty(q *Sums, noisy []mechanism.Noisy) bool
}

// extraVectors lists the totals besides the sums of values. Each total is a vector with one number for each group.
type extraVectors struct {
	second *aggregation.Second // the sums of a second number of each row, or nil
	Rows   bool                // the row counts
	// Weights is set if each sum of values is followed by a sum of weights.
	Weights bool
}

// count returns the number of vectors.
func (x extraVectors) count() int {
	n := 0
	if x.second != nil {
		n++
	}
	if x.Rows || x.Weights {
		n++
	}
	return n
}

// sumsKind describes one kind of query that adds up values: how its spec is checked, and its summary.
type sumsKind struct {
	// quantizer describes how values become integers.
	quantizer quantize.Options
	// columns are the names of the columns of the answer that only this kind has.
	columns []string
	// check reports parts of a spec that this kind cannot have. It is nil if there are none.
	check func(query.Spec, *problem.Problems)
	// summary returns the summary of the kind, given the quantizer of the values.
	summary func(*quantize.Quantizer) summary
}

// The columns that hold noisy vectors from which an answer was computed.
const (
	noisySum     = "noisy_centred_sum"
	noisyCount   = "noisy_count"
	noisySquares = "noisy_centred_squares"
)

// Cells returns the number of cells of the answer: the number of groups times the number of components of a value.
func (q *Sums) Cells() int { return q.Size * q.Quantizer.Dims }

// Directions returns the directions of the axes and, if values are vectors, of their components.
func (q *Sums) Directions() []domain.Direction {
	axes := domain.Directions(q.Axes)
	if q.Spec.Value.IsVector() {
		axes = append(axes, domain.Direction{By: -1, Size: q.Quantizer.Dims})
	}
	return axes
}

// LooksEmpty reports whether the noisy vectors could be noise alone: see [query.Query].
func (q *Sums) LooksEmpty(noisy []mechanism.Noisy) bool { return q.Kind.looksEmpty(q, noisy) }

// Aggregation describes adding up the values, and the other totals that the query needs.
func (q *Sums) Aggregation(s table.Schema) (*aggregation.Aggregation, error) { return q.sumsOf(s, nil) }

// sumsOf returns the totals by the given keys. If keys is nil, they are by listed cells.
func (q *Sums) sumsOf(s table.Schema, keys *keyselection.Dimensions) (*aggregation.Aggregation, error) {
	p := &problem.Problems{Query: q.Spec.Name}
	a := q.aggregation(s, q.Quantizer, keys, p)
	a.Second, a.CountRows = q.Kind.Extra().second, q.Quantizer.Centred
	return a, p.Err()
}

// Hide returns the exact answers: the sums of values, and the second sums and row counts if the query has them.
func (q *Sums) Hide(t accumulate.Totals) ([]mechanism.Exact, error) {
	if err := q.checkRows(func() int64 { return t.Rows[0] }); err != nil {
		return nil, err
	}
	if q.Quantizer.Factors != nil {
		return hideWeighted(q.Quantizer, t.Sums)
	}
	x := q.Kind.Extra()
	exacts, err := accumulate.HideSums(math.Ldexp(1, q.Quantizer.Exponent), t.Sums)
	var second, rows []mechanism.Exact
	if err == nil && x.second != nil {
		second, err = accumulate.HideSums(math.Ldexp(1, x.second.Exponent), t.Second)
	}
	if err == nil && x.Rows {
		rows, err = accumulate.HideCounts(t.Rows)
	}
	if err != nil {
		return nil, err
	}
	return slices.Concat(exacts, second, rows), nil
}

// Bytes returns the memory of the cells: see [query.Query].
func (q *Sums) Bytes(workers int, _ int64) int64 {
	n := 16*int64(q.Size*q.Quantizer.Numbers()) + 8*int64(q.Size)
	of := accumulate.SumsSpec{Quantizer: q.Quantizer, Cells: q.Size, Second: q.Kind.Extra().second}
	if of.Second != nil {
		n += 16 * int64(q.Size)
	}
	if !q.Spec.BoundsUnits() && of.FitIn64Bits() {
		n += 16 * int64(q.Size)
		if of.Second != nil {
			n += 16 * int64(q.Size)
		}
	}
	return n * q.copies(workers)
}

// Tally counts what the Tally of Base counts, and also counts rows by their value: null, outside of the clamp, and so
// on.
func (q *Sums) Tally(s table.Schema) (*tally.Tally, error) {
	t, err := q.Base.Tally(s)
	if err != nil {
		return nil, err
	}
	p := &problem.Problems{Query: q.Spec.Name}
	if f := q.Quantizer.Factors; f != nil {
		t.AddValue(f.Value, q.BatchColumns(s, p))
		t.AddValue(f.Weight, q.BatchColumns(s, p))
	} else {
		t.AddValue(q.Quantizer, q.BatchColumns(s, p))
	}
	if err := p.Err(); err != nil {
		return nil, err
	}
	return t, nil
}

// Components returns the components of the query's summary.
func (q *Sums) Components(adj query.Adjacency) ([]query.Component, error) {
	if err := q.checkAdjacency(adj); err != nil {
		return nil, err
	}
	return q.Kind.components(q, adj)
}

// norm returns the L2 sensitivity of the sums under limits l.
func (q *Sums) norm(l bounding.Limits, adj query.Adjacency) float64 {
	return q.Reach.Norm(l, adj, q.Size)
}

// sumSensitivity returns the L2 sensitivity of the sums, with a line that explains it.
func (q *Sums) sumSensitivity(adj query.Adjacency) calibrate.Sensitivity {
	l2 := q.norm(q.Limits, adj)
	return calibrate.Sensitivity{L2: l2, Why: q.whySum(adj) + ": " + spelling.Exact(l2)}
}

// componentOfSum returns the component of the sums, which has the given sensitivity.
func (q *Sums) componentOfSum(sens calibrate.Sensitivity, adj query.Adjacency) query.Component {
	bound := q.Quantizer.Real(q.Reach.More)
	l1 := q.Reach.AbsoluteNorm(q.Limits, adj, q.Size)
	return query.Component{
		Name: "sum", Sens: sens, Cells: q.Cells(), Quantum: math.Ldexp(1,
			q.Quantizer.Exponent), RowBound: bound, Scale: 1, Weight: 1,
		L1: l1, WhyL1: q.whySum(adj) + ": " + spelling.Exact(l1), Cost: float64(q.Cells()) / (bound * bound),
	}
}

// whySum returns a line that explains the sensitivity of the sums, without its value.
func (q *Sums) whySum(adj query.Adjacency) string {
	if q.Quantizer.Value.Rows > 0 {
		return "replacing a row changes the sum by the range of its value"
	}
	what := q.sizeText()
	switch {
	case q.Spec.PerRow() && adj == query.AddRemove:
		return "each row adds " + what + " to at most one group"
	case q.Spec.PerRow():
		return "replacing a row takes " + what +
			" from one group and adds another to one group, either of which may be left out"
	}
	return q.unitAdds(adj) + q.limitsText() + ", each " + what
}

// sizeText describes a row's value in words: "a value in [0, 99]", or for means a value minus the centre.
func (q *Sums) sizeText() string {
	v := q.Quantizer
	norm := spelling.Exact(q.Reach.OfRow())
	between := func(what string, v *quantize.Quantizer) string {
		return fmt.Sprintf("a %s in [%s, %s]", what, spelling.Exact(v.Real(v.Min-v.Centre)),
			spelling.Exact(v.Real(v.Max-v.Centre)))
	}
	if f := v.Factors; f != nil {
		return between("weight", f.Weight) + " times " + between("value", f.Value)
	}
	if q.weights() != nil {
		return between("weight", v)
	}
	if v.Clip || v.Dims > 1 {
		return "a vector of norm at most " + norm
	}
	return between("value", v)
}

// Finish returns the answer of the query's kind from the noisy vectors.
func (q *Sums) Finish(_ context.Context, noisy, estimate []mechanism.Noisy) (query.Answer, error) {
	lengths := []int{q.Cells()}
	for range q.Kind.Extra().count() {
		lengths = append(lengths, q.Size)
	}
	if err := checkLengths(q.Name(), noisy, estimate, lengths...); err != nil {
		return query.Answer{}, err
	}
	a := q.Kind.answer(q, q.vectors(noisy, noisy), q.vectors(noisy, estimate))
	a.Cells, a.Keys = q.Cells(), q.keys()
	if q.reader != nil {
		a.Readings = q.reader.readCells(noisy[0], estimate[0])
	}
	return a, nil
}

// Recover reads the noisy sums and the query's other noisy vectors back from released columns.
func (q *Sums) Recover(c query.Columns, grids []float64) (query.Recovered, error) {
	return q.Kind.readBack(q, c, grids)
}

// keys returns the key columns of the answer. The components of a vector are next to each other.
func (q *Sums) keys() []domain.KeyColumn {
	keys := domain.KeyColumns(q.Axes)
	for i := range keys {
		keys[i].Stride *= q.Quantizer.Dims
	}
	if v := q.Spec.Value; v.IsVector() {
		keys = append(keys, domain.KeyColumn{Name: componentKey, Stride: 1, Labels: v.ComponentLabels()})
	}
	return keys
}

// checkRows returns an error if the job declares the number of rows and the input has another number. Such jobs must
// use replace-one, under which the number of rows is public.
func (q *Sums) checkRows(count func() int64) error {
	want := q.Quantizer.Value.Rows
	if want == 0 {
		return nil
	}
	rows := count()
	if rows == want {
		return nil
	}
	return &problem.Error{
		Query: q.Spec.Name, Field: q.Quantizer.Field + ".rows", Code: problem.CodeRows,
		Message: fmt.Sprintf("the input has %s, not %d", spelling.Count(rows, "row"),
			want), Hint: "rows is the number of all rows of the input, including rows without a value",
	}
}

// summaries lists the kinds of query that add up values. Add a new kind here.
var summaries = map[query.Kind]sumsKind{query.Sum: sumFacts, query.Mean: meanFacts, query.Variance: varianceFacts}

// newQuantizer returns the quantizer of a spec's values, or nil after it has reported problems.
func newQuantizer(s query.Spec, p *problem.Problems) *quantize.Quantizer {
	o := kindOf(s).quantizer
	if o.Field = string(s.Kind); s.CountsWeights() {
		o.Field += ".weight"
	}
	if s.Value.Share != 0 { // Value holds the public range, not the chosen clamp, so its centre is not subtracted
		o.Centred, o.Bits = false, privateclamp.Bits
	}
	before := len(p.List)
	checkTerms(s, p)
	q := quantize.New(s.Value, o, p)
	if len(p.List) > before {
		return nil
	}
	return q
}

// newSums makes a Sums query from its base and the quantizer of its values.
func newSums(c Base, v *quantize.Quantizer) *Sums {
	return &Sums{Base: c, Reach: sensitivity.ReachOf(v), Quantizer: v, Kind: kindOf(c.Spec).summary(v),
		half: v.Value.Half()}
}

// kindOf returns the sumsKind of a query that adds up values or weights. It is empty for a query that counts rows.
func kindOf(s query.Spec) sumsKind {
	if s.CountsWeights() {
		return weightedCounts
	}
	return summaries[s.Kind]
}

// checkSums reports problems with the spec of a query that adds up values.
func checkSums(s query.Spec, p *problem.Problems) {
	switch {
	case s.Value == nil:
		p.Add(string(s.Kind), problem.CodeBadSpec, "there is nothing to add up", "")
	case s.Value.Weight != nil && s.Kind != query.Mean:
		p.Add(string(s.Kind)+".weight", problem.CodeBadSpec, "only counts, histograms and means have weights",
			"for a weighted sum, derive a column that is the product")
	}
	if check := kindOf(s).check; check != nil {
		check(s, p)
	}
}

// checkTerms reports a problem if the job's key rows, the public number of terms of a mean, is out of range, or if the
// query cannot have it because its number of rows is private.
func checkTerms(s query.Spec, p *problem.Problems) {
	field := string(s.Kind) + ".rows"
	switch rows := s.Value.Rows; {
	case rows == 0:
	case rows < 0 || rows > accumulate.MaxRows:
		p.Add(field, problem.CodeBadValue, "a number of rows is at least 1 and at most 2^48", "")
	case s.Kind != query.Mean:
		p.Add(field, problem.CodeBadSpec, "only a mean has a public number of terms", "leave rows out")
	case !s.PerRow() || len(s.By) > 0 || s.Filtered:
		p.Add(field, problem.CodeBadSpec,
			"the number of terms is public only if each row is a unit, and no dimension and no filter takes rows away",
			"leave rows out: the mean is then made of a noisy sum and a noisy count")
	}
}

// centred reports whether a kind of query subtracts the centre of the clamp from values before it adds them up.
func centred(k query.Kind) bool { return summaries[k].quantizer.Centred }
