package kinds

import (
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/bounding"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/internal/accumulate"
	"github.com/dprelease/dprelease/queries/problem"
	"github.com/dprelease/dprelease/queries/quantize"
	"github.com/dprelease/dprelease/queries/query"
)

// Units whose contribution the producer of the table has bounded
//
// The table has no column for the privacy unit, so the program cannot drop rows of units over a bound. Instead the
// producer promises that a unit has at most k rows, or changes k counts by at most m each, or changes all counts
// together by at most s. Sensitivities follow from these limits in the same way as from limits that the program
// enforces: k rows in one cell change the answer by k, and k rows in different cells by sqrt(k). Two rows of a unit are
// known to be in different cells if they differ in a column and the dimensions put different values of this column in
// different cells.

// upstreamLimits returns how much one unit can change a query with this number of cells, according to the producer's
// promise.
func upstreamLimits(s query.Spec, cells int64) bounding.Limits {
	u := s.Upstream
	if u.Sum > 0 {
		return bounding.Limits{Rows: u.Sum, Cells: min(cells, u.Sum), RowsPerCell: u.Sum}
	}
	l := bounding.Limits{Rows: u.Rows * u.Change, Cells: min(cells, u.Rows), RowsPerCell: u.Rows * u.Change}
	if s.OnceACell() {
		l.RowsPerCell = u.Change
		l.Rows = min(l.Rows, l.Cells*l.RowsPerCell)
	}
	return l
}

// maxUpstreamBound is the largest bound in a promise. The product of two bounds fits in 64 bits.
const maxUpstreamBound = 1 << 31

// checkUpstream reports a promise that gives no bound. For a table of counts, it also reports a spec that needs rows: a
// value, discovered keys or a discovered bound on rows.
func checkUpstream(s query.Spec, p *problem.Problems) {
	u := s.Upstream
	switch {
	case u == nil && s.Counts != nil:
		p.Add("", problem.CodeBadSpec, "a table of counts needs a promise by how much one unit changes it", "")
	case u == nil:
	case len(s.Unit) > 0 || max(u.Rows, u.Change, u.Sum) > maxUpstreamBound || u.Sum < 1 && min(u.Rows, u.Change) < 1 ||
		s.Counts == nil && (u.Sum > 0 || u.Change != 1):
		p.Add(problem.FieldUnit, problem.CodeBadSpec, "the promise about units states no usable bound", "")
	}
	if s.Counts != nil && (s.Value != nil || s.Discovers() || s.RowsShare != 0) {
		p.Add("", problem.CodeBadSpec, "a table of counts can only be counted, by listed cells", "")
	}
}

// capTotal lowers the counts of cells so that their sum is at most 2^48. A table of rows never has more rows, but a
// table of counts can hold any counts. Each cell is lowered separately, which never increases the distance between two
// tables.
func (q *Base) capTotal(counts []int64) {
	if q.Spec.Counts == nil {
		return
	}
	most := max(accumulate.MaxRows/int64(max(len(counts), 1)), 1)
	for i, n := range counts {
		counts[i] = min(n, most)
	}
}

// checkCountsType reports a column of counts that does not hold integers.
func checkCountsType(v *quantize.Value, l domain.BatchColumns) {
	const field = "input.counts.column"
	if _, t, ok := l.Find(v.Columns[0], field); ok && t.Kind != table.Int && t.Kind != table.Uint {
		l.Problems.Add(field, problem.CodeColumnType, "a column of type "+t.String()+" holds no counts",
			"counts are integers; "+problem.TypesOfTexts+": {"+v.Columns[0]+": int}")
	}
}

// countsQuantizer returns the quantizer for a column of counts: integers, clamped to [0, 2^40]. If the counts of
// neighbouring tables differ by m, the clamped ones differ by at most m.
func countsQuantizer(v *quantize.Value, p *problem.Problems) *quantize.Quantizer {
	return quantize.New(v, quantize.Options{Field: "input.counts"}, p)
}
