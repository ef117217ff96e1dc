package kinds

import (
	"slices"

	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/problem"
	"github.com/dprelease/dprelease/queries/quantize"
	"github.com/dprelease/dprelease/queries/query"
)

// New checks a spec and returns its query. The error wraps one *problem.Error for each problem; see [problem.Errors].
func New(s query.Spec) (query.Query, error) {
	p := &problem.Problems{Query: s.Name}
	checkKind(s, p)
	checkSpec(s, p)
	if s.RowsShare != 0 {
		checkLimited(s, p)
	}
	var q kind
	switch {
	case len(p.List) > 0 && s.RowsShare != 0: // further problems would only follow from those found
	case s.Kind == query.Crosstab && slices.ContainsFunc(s.By, func(d domain.Dimension) bool { return d.Levels != nil }):
		q = newNested(s, p)
	case s.Kind == query.Crosstab:
		q = newCrosstabs(s, p)
	case s.Discovers() && s.Leader != nil:
		q = newByKeys(s, p)
	case s.Discovers():
		q = newDiscovered(s, p)
	default:
		q = newListed(s, p)
	}
	if s.RowsShare != 0 && len(p.List) == 0 {
		limited := newLimited(q, func(maxRows int64) (query.Query, error) {
			s := s
			s.RowsShare, s.Bounds.MaxRows = 0, maxRows
			return New(s)
		}, p)
		return limited, p.Err()
	}
	if err := p.Err(); err != nil {
		return nil, err
	}
	return q, nil
}

// newListed returns a query whose cells are listed in the job.
func newListed(s query.Spec, p *problem.Problems) kind {
	c := newBase(s, kindOf(s).columns, p)
	var v *quantize.Quantizer
	if s.Value != nil {
		v = newQuantizer(s, p)
	}
	k := newKernel(s, c.Axes, p)
	r := newQuantileReader(s, c.Axes, c.Size, p)
	if v != nil && k != nil && s.CountsWeights() {
		p.Add(string(s.Kind)+".weight", problem.CodeBadSpec, "a kernel spreads rows, not weights", "remove one of them")
	}
	switch {
	case len(p.List) > 0:
		return nil
	case s.Kind == query.OverBound:
		return newOverBound(c, p)
	case v != nil && s.Value.Share != 0:
		return newClamped(c, v, p)
	case v != nil:
		q := newSums(c, v)
		if q.reader = r; r != nil {
			r.maxOfRow = v.Real(v.Max)
		}
		return q
	case s.Read.Sums:
		return newOrdered(c, r, k != nil, p)
	case s.CommonNoise != "" && s.Upstream == nil: // without a column of the unit, units cannot be counted
		return newCommonNoise(c, r, k != nil, p)
	}
	return &Histogram{Base: c, Kernel: k, reader: r}
}
