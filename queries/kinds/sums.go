package kinds

import (
	"context"
	"fmt"
	"math"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/internal/mechanism"
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
// A sum, a mean and a variance all add up, in each cell of their groups, a vector of quantized values. They differ in
// the other totals that they need and in how they use the noisy vectors. Each describes this once, as a [summary] in
// its own file; this file has the common part.

// Sums is a query that adds values up.
type Sums struct {
	Base
	Reach     *sensitivity.Reach // how far the value of a row is from zero
	Quantizer *quantize.Quantizer
	Kind      summary
	// half is half the range of the values, or the norm that bounds them.
	half float64
	// better holds vectors that other queries of the release measure too, so that their combined noise is smaller.
	better []Better
	reader *quantileReader // nil if no quantiles or shares are requested
}

// quotient is a summary that divides by a noisy number of rows.
type quotient interface {
	// halfWidth is [query.Query]'s HalfWidth for values within half of a centre. deviations are the standard deviations
	// of the components; normal is set if the noise is Gaussian.
	halfWidth(half float64, deviations []float64, normal bool) float64
}

// HalfWidth returns the half-width of the query's kind.
func (q *Sums) HalfWidth(ms []calibrate.Mechanism) (overRows float64, ok bool) {
	k, ok := q.Kind.(quotient)
	if !ok {
		return 0, false
	}
	deviations := make([]float64, len(ms))
	for i, m := range ms {
		if deviations[i] = m.Deviation(); q.betterOf(i) != nil {
			deviations[i] = q.betterOf(i).Deviation
		}
	}
	return k.halfWidth(q.half, deviations, ms[0].Noise == calibrate.Gaussian), true
}

// summary is how a kind of query uses sums: see sum.go, mean.go and variance.go.
type summary interface {
	// Extra returns the totals besides the sums of the values.
	Extra() extraVectors
	// components returns the components, the one of the sums first, or an error if the adjacency does not allow them.
	components(q *Sums, adj query.Adjacency) ([]query.Component, error)
	// answer makes the answer of the noisy vectors of the components, before and after denoising.
	answer(q *Sums, noisy, estimate []noisyVector) query.Answer
	// readBack is Query.Recover: the inverse of answer.
	readBack(q *Sums, c query.Columns, grids []float64) (query.Recovered, error)
	// looksEmpty is Query.LooksEmpty.
	looksEmpty(q *Sums, noisy []mechanism.Noisy) bool
}

// extraVectors are the exact vectors besides the sums of the values, each with one number a group.
type extraVectors struct {
	second *aggregation.Second // the sums of a second number of each row, nil if there is none
	Rows   bool                // the numbers of rows
	// Weights is set if the sums of weights are stored next to the sums of values.
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

// sumsKind describes how a kind of query that adds up values is checked and read.
type sumsKind struct {
	// quantizer describes how values become integers.
	quantizer quantize.Options
	// columns are the kind's own columns of the answer.
	columns []string
	// check reports the parts of a spec that this kind does not allow; nil if it allows all.
	check func(query.Spec, *problem.Problems)
	// summary makes the summary of the kind from the checked quantizer of the values.
	summary func(*quantize.Quantizer) summary
}

// The columns of an answer with the noisy vectors from which it was computed.
const (
	noisySum     = "noisy_centred_sum"
	noisyCount   = "noisy_count"
	noisySquares = "noisy_centred_squares"
)

// Cells returns the length of the answer: components of groups.
func (q *Sums) Cells() int { return q.Size * q.Quantizer.Dims }

// Directions returns the directions of the axes.
func (q *Sums) Directions() []domain.Direction {
	axes := domain.Directions(q.Axes)
	if q.Spec.Value.IsVector() {
		axes = append(axes, domain.Direction{By: -1, Size: q.Quantizer.Dims})
	}
	return axes
}

// LooksEmpty looks at the noisy vectors: see [query.Query].
func (q *Sums) LooksEmpty(noisy []mechanism.Noisy) bool { return q.Kind.looksEmpty(q, noisy) }

// Aggregation describes adding up the values, and the other totals of the query's kind.
func (q *Sums) Aggregation(s table.Schema) (*aggregation.Aggregation, error) { return q.sumsOf(s, nil) }

// sumsOf returns the aggregation; if keys is not nil, it adds up by these keys.
func (q *Sums) sumsOf(s table.Schema, keys *keyselection.Dimensions) (*aggregation.Aggregation, error) {
	p := &problem.Problems{Query: q.Spec.Name}
	a := q.aggregation(s, q.Quantizer, keys, p)
	a.Second, a.CountRows = q.Kind.Extra().second, q.Quantizer.Centred
	return a, p.Err()
}

// Hide returns the exact answers: the sums, and the sums of the second number and the row counts if the query has them.
func (q *Sums) Hide(t accumulate.Totals) ([]mechanism.Exact, error) {
	if err := q.checkRows(func() int64 { return t.Rows[0] }); err != nil {
		return nil, err
	}
	if q.Quantizer.Factors != nil {
		return hideWeighted(q.Quantizer, t.Sums)
	}
	exacts, err := accumulate.HideSums(math.Ldexp(1, q.Quantizer.Exponent), t.Sums)
	if err != nil {
		return nil, err
	}
	if x := q.Kind.Extra(); x.second != nil {
		second, err := accumulate.HideSums(math.Ldexp(1, x.second.Exponent), t.Second)
		if err != nil {
			return nil, err
		}
		exacts = append(exacts, second...)
	}
	if q.Kind.Extra().Rows {
		rows, err := accumulate.HideCounts(t.Rows)
		if err != nil {
			return nil, err
		}
		exacts = append(exacts, rows...)
	}
	return exacts, nil
}

// Bytes returns the memory of the cells: see [query.Query].
func (q *Sums) Bytes(workers int, _ int64) int64 {
	n := 16*int64(q.Size*q.Quantizer.Numbers()) + 8*int64(q.Size)
	of := accumulate.SumsOf{Quantizer: q.Quantizer, Cells: q.Size, Second: q.Kind.Extra().second}
	if of.Second != nil {
		n += 16 * int64(q.Size)
	}
	if !q.Spec.BoundsUnits() && of.HoldPlain() {
		n += 16 * int64(q.Size)
		if of.Second != nil {
			n += 16 * int64(q.Size)
		}
	}
	return n * q.copies(workers)
}

// Tally returns the tally of Base, which also counts rows by the class of their value (such as null or outside the
// clamp).
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

// Components returns the components of the query's kind.
func (q *Sums) Components(adj query.Adjacency) ([]query.Component, error) {
	p := &problem.Problems{Query: q.Spec.Name}
	adj.Check(p)
	if err := p.Err(); err != nil {
		return nil, err
	}
	return q.Kind.components(q, adj)
}

// norm returns the L2 sensitivity of the sums under some limits.
func (q *Sums) norm(l bounding.Limits, adj query.Adjacency) float64 {
	return q.Reach.Norm(l, adj, q.Size)
}

// sumSensitivity returns the sensitivity of the sums.
func (q *Sums) sumSensitivity(adj query.Adjacency) calibrate.Sensitivity {
	l2 := q.norm(q.Limits, adj)
	return calibrate.Sensitivity{L2: l2, Why: q.whySum(adj) + ": " + domain.Shortest(l2)}
}

// componentOfSum returns the mechanism of the sums with some sensitivity.
func (q *Sums) componentOfSum(sens calibrate.Sensitivity, adj query.Adjacency) query.Component {
	bound := q.Quantizer.Real(q.Reach.More)
	l1 := q.Reach.AbsoluteNorm(q.Limits, adj, q.Size)
	return query.Component{
		Name: "sum", Sens: sens, Cells: q.Cells(), Quantum: math.Ldexp(1,
			q.Quantizer.Exponent), RowBound: bound, Scale: 1, Weight: 1,
		L1: l1, WhyL1: q.whySum(adj) + ": " + domain.Shortest(l1), Cost: float64(q.Cells()) / (bound * bound),
	}
}

// whySum returns the one-line argument for the sensitivity of the sums, without its value.
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
	case adj == query.AddRemove:
		return q.Spec.EachUnit() + " adds " + q.limitsText() + ", each " + what
	}
	return q.Spec.EachUnit() + " can change from one to another contribution of " +
		q.limitsText() + ", each " + what
}

// sizeText describes the value of a row: "a value in [0, 99]", less the centre for means.
func (q *Sums) sizeText() string {
	v := q.Quantizer
	norm := domain.Shortest(q.Reach.OfRow())
	between := func(what string, v *quantize.Quantizer) string {
		return fmt.Sprintf("a %s in [%s, %s]", what, domain.Shortest(v.Real(v.Min-v.Centre)), domain.Shortest(v.Real(v.Max-v.Centre)))
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

// Finish makes the answer of the noisy vectors of the query's kind.
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

// Recover reads back the noisy sums and the other noisy vectors of the query's kind.
func (q *Sums) Recover(c query.Columns, grids []float64) (query.Recovered, error) {
	return q.Kind.readBack(q, c, grids)
}

// keys returns the key columns of the groups, with the components of each group next to each other.
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

// checkRows returns an error if the job declares the number of rows and the input has another number. The number is
// public under replace-one, which such jobs must use.
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
		Message: fmt.Sprintf("the input has %s, not %d", problem.Plural(rows, "row"),
			want), Hint: "rows is the number of all rows of the input, including rows without a value",
	}
}

// summaries are the kinds of query that add values up: a new kind is entered here.
var summaries = map[query.Kind]sumsKind{query.Sum: sumFacts, query.Mean: meanFacts, query.Variance: varianceFacts}

// newQuantizer checks the value of a spec and returns its quantizer, or reports problems and returns nil.
func newQuantizer(s query.Spec, p *problem.Problems) *quantize.Quantizer {
	o := kindOf(s).quantizer
	if o.Field = string(s.Kind); s.CountsWeights() {
		o.Field += ".weight"
	}
	if s.Value.Share != 0 { // the range is not the clamp yet, and has no centre
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

// addsUp reports whether a kind of query adds values up.
func addsUp(k query.Kind) bool {
	_, ok := summaries[k]
	return ok
}

// kindOf returns how a query that adds values or weights up is checked and read; it is empty if it counts rows.
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

// checkTerms reports a key rows that is out of range, or that the query cannot have because its number of terms is
// private.
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

// centred reports whether a kind of query subtracts the centre of the range from values before it adds them.
func centred(k query.Kind) bool { return summaries[k].quantizer.Centred }
