package kinds

import (
	"fmt"
	"math"
	"math/big"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/internal/mechanism"
	"github.com/dprelease/dprelease/internal/spelling"
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/aggregation"
	"github.com/dprelease/dprelease/queries/internal/accumulate"
	"github.com/dprelease/dprelease/queries/internal/privateclamp"
	"github.com/dprelease/dprelease/queries/problem"
	"github.com/dprelease/dprelease/queries/quantize"
	"github.com/dprelease/dprelease/queries/query"
	"github.com/dprelease/dprelease/queries/sensitivity"
)

// Sums and means whose clamp is discovered
//
// The job gives a public range, which may be generous. A fraction of the query's budget mu² is spent on a histogram of
// the values, whose bins follow from the range alone. The noisy histogram is released, and the clamp is chosen from it
// (queries/internal/privateclamp). The rest of mu² is spent on the sums, whose sensitivity depends on the clamp. Both
// mu are fixed before a row is read. mu² adds up even if a mechanism is chosen from the answers of earlier ones.
//
// One pass over the rows suffices: values are added up separately for each bin, and the sums under any clamp follow
// from these totals (queries/internal/accumulate).

// Clamped is a sum or a mean whose clamp is discovered. Before the clamp is chosen, its clamp is the public range.
type Clamped struct {
	*Sums
	values *quantize.Quantizer // quantizes values within the public range, without subtracting a centre
}

// newClamped returns the query, or reports what a query with a discovered clamp cannot have.
func newClamped(c Base, values *quantize.Quantizer, p *problem.Problems) kind {
	field := values.Field + ".clamp"
	switch v := values.Value; {
	case c.Spec.Kind != query.Sum && c.Spec.Kind != query.Mean:
		p.Add(field, problem.CodeBadSpec, "only the clamp of a sum or a mean can be discovered", "write clamp: [lo, hi]")
	case v.IsVector() || v.ClipL2 != "":
		p.Add(field, problem.CodeBadSpec, "the clamp of a vector is not discovered",
			"use one column of numbers, or write clamp: [lo, hi]")
	case !(v.Share > 0 && v.Share < 1):
		p.Add(field, problem.CodeBadValue, "the share of mu² that finding the clamp takes is above 0 and below 1", "")
	case c.Spec.Declared != 0:
		p.Add(problem.FieldSensitivity, problem.CodeBadSpec, "the sensitivity follows from the clamp that is discovered",
			"leave the declaration out")
	case c.Size > maxGroups:
		p.Add(field, problem.CodeTooManyCells, fmt.Sprintf("more than %d groups share the clamp", maxGroups),
			"use fewer groups, or write clamp: [lo, hi]")
	}
	if len(p.List) > 0 {
		return nil
	}
	return &Clamped{Sums: clampedTo(c, values, values.Min, values.Max), values: values}
}

// maxGroups is the largest number of groups. A group with rows takes up to 15 kB of memory.
const maxGroups = 1 << 16

// clampedTo returns the query with the clamp from low to high, in quanta.
func clampedTo(c Base, values *quantize.Quantizer, low, high int64) *Sums {
	return newSums(c, values.Between(low, high, centred(c.Spec.Kind)))
}

// RuleVersion returns the version of the rule by which the clamp is chosen.
func (q *Clamped) RuleVersion() int { return privateclamp.ClampRule }

// Widest returns the public range, in quanta.
func (q *Clamped) Widest() mechanism.Range {
	return mechanism.Range{Low: q.values.Min, High: q.values.Max}
}

// Chosen returns the query with the clamp r, in quanta, which must be within the public range.
func (q *Clamped) Chosen(r mechanism.Range) (query.Query, error) {
	if w := q.Widest(); r.Low < w.Low || r.High > w.High || r.Low >= r.High {
		return nil, fmt.Errorf("query %s: the clamp is not within its public range", q.Name())
	}
	out := clampedTo(q.Base, q.values, r.Low, r.High)
	out.better = q.better
	out.half = (q.values.Real(r.High) - q.values.Real(r.Low)) / 2
	return out, nil
}

// Components returns the components that are charged: they have the sensitivity for the whole public range.
func (q *Clamped) Components(adj query.Adjacency) ([]query.Component, error) {
	components, err := q.Sums.Components(adj)
	for i, follows := range q.Follows() {
		if err == nil && follows {
			components[i].Sens.Why = fmt.Sprintf("the clamp is found first, with %.4g %% of the query's mu²; were it the "+
				"whole range: %s", 100*q.values.Value.Share, components[i].Sens.Why)
		}
	}
	return components, err
}

// Follows reports for each component whether it depends on the clamp. All do, except the number of rows.
func (q *Clamped) Follows() []bool {
	if q.Kind.Extra().Rows {
		return []bool{true, false}
	}
	return []bool{true}
}

// Histogram returns the component of the histogram from which the clamp is chosen.
//
// A row adds CoarseWeight = 2 to the cell of its octave and 1 to the cell of its bin, which is a vector of norm
// sqrt(5). A unit adds at most k such vectors, which may all be equal, so Delta = k·sqrt(5). Under replace-one, a
// unit's vectors before and after have no negative entry, so the squared norm of their difference is at most the sum of
// their squared norms. So Delta = k·sqrt(10).
func (q *Clamped) Histogram(adj query.Adjacency) (query.Component, error) {
	if err := q.checkAdjacency(adj); err != nil {
		return query.Component{}, err
	}
	k := big.NewInt(q.Limits.Rows)
	squared := new(big.Int).Mul(k, k)
	squared.Mul(squared, big.NewInt(privateclamp.SquaredWeight))
	if adj == query.ReplaceOne {
		squared.Lsh(squared, 1)
	}
	why := fmt.Sprintf("%sat most %s, each of which counts %d in its octave and 1 in its bin: %s", q.unitAdds(adj),
		spelling.Count(q.Limits.Rows, "row"), privateclamp.CoarseWeight, sensitivity.RootText(squared))
	return query.Component{
		Name: histogramName, Sens: calibrate.Sensitivity{L2: sensitivity.RootUp(squared), Why: why},
		Cells: q.spread().Layout().Cells(), Quantum: 1, RowBound: privateclamp.CoarseWeight, Scale: 1,
		Weight: q.values.Value.Share,
	}, nil
}

// histogramName is the name of the histogram's component.
const histogramName = "clamp"

func (q *Clamped) spread() accumulate.BinnedSumsSpec {
	return accumulate.BinnedSumsSpec{Quantizer: q.values, Cells: q.Size}
}

// Aggregation describes the totals that the query needs: sums of values by the bins of the histogram. Values are
// clamped to the public range, and no centre is subtracted from them.
func (q *Clamped) Aggregation(s table.Schema) (*aggregation.Aggregation, error) {
	p := &problem.Problems{Query: q.Name()}
	a := q.aggregation(s, q.values, nil, p)
	a.Bins, a.CountRows = q.spread().BinEdges(), true
	return a, p.Err()
}

// Hide returns the exact answers: the sums, for which a clamp must be chosen before they get noise; the row counts, if
// the query has them; and the histogram.
func (q *Clamped) Hide(t accumulate.Totals) ([]mechanism.Exact, error) {
	if err := q.checkRows(t.Binned.AllRows); err != nil {
		return nil, err
	}
	return t.Binned.Hide(q.Quantizer.Centred, q.Kind.Extra().Rows)
}

// Bytes returns the memory for the bins of all groups.
func (q *Clamped) Bytes(workers int, _ int64) int64 {
	return (q.spread().CellBytes() + 24) * int64(q.Size) * q.copies(workers)
}

// Find chooses the clamp from the noisy histogram.
func (q *Clamped) Find(histogram mechanism.Noisy, charged []calibrate.Mechanism, _ query.Adjacency) (query.SearchResult,
	error) {
	m := histogram.Mechanism()
	w := q.Widest()
	s := &query.ClampSearch{
		RuleVersion: privateclamp.ClampRule, Exponent: q.values.Exponent, Least: w.Low, Most: w.High,
		Centred: q.Quantizer.Centred,
		Groups:  q.Size, Noise: q.noise(charged), Grid: m.Grid, Deviation: m.Deviation(), Cells: gridCells(histogram),
	}
	return query.SearchResult{Clamp: s}, s.Choose()
}

// gridCells returns the values of a noisy histogram in multiples of its grid.
func gridCells(histogram mechanism.Noisy) []int64 {
	var cells []int64
	for _, x := range valuesOf(histogram) {
		cells = append(cells, int64(math.Round(x/histogram.Mechanism().Grid)))
	}
	return cells
}

// noise returns the standard deviation of a sum's noise for the clamp [-1, 1], given the mechanisms that were charged
// for the public range. It includes the effect that the noise in the number of rows has on a mean at the end of the
// clamp.
func (q *Clamped) noise(charged []calibrate.Mechanism) float64 {
	size := q.values.Real(q.Reach.More)
	noise := float64(charged[0].Sigma) / size
	if len(charged) > 1 {
		noise = math.Hypot(noise, float64(charged[1].Sigma))
	}
	return noise
}
