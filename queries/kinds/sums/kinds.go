package sums

import (
	"github.com/dprelease/dprelease/queries/internal/accumulate"
	"github.com/dprelease/dprelease/queries/internal/privateclamp"
	"github.com/dprelease/dprelease/queries/kinds/base"
	"github.com/dprelease/dprelease/queries/problem"
	"github.com/dprelease/dprelease/queries/quantize"
	"github.com/dprelease/dprelease/queries/query"
	"github.com/dprelease/dprelease/queries/sensitivity"
)

// summaries are the kinds of query that add values up: a new kind is entered here.
var summaries = map[query.Kind]facts{query.Sum: sumFacts, query.Mean: meanFacts, query.Variance: varianceFacts}

// NewQuantizer checks the value of a spec and returns its quantizer, or reports what is wrong and returns nil.
func NewQuantizer(s query.Spec, p *problem.Problems) *quantize.Quantizer {
	o := summaries[s.Kind].quantizer
	o.Field = string(s.Kind)
	if s.Value.Share != 0 { // the range is not the clamp yet, and has no centre
		o.Centred, o.Bits = false, privateclamp.Bits
	}
	before := len(p.List)
	checkRows(s, p)
	q := quantize.New(s.Value, o, p)
	if len(p.List) > before {
		return nil
	}
	return q
}

// New makes the query of a counting whose values are quantized.
func New(c base.Query, v *quantize.Quantizer) *Query {
	return &Query{Query: c, Reach: sensitivity.ReachOf(v), Quantizer: v, Kind: summaries[c.Spec.Kind].summary(v)}
}

// AddsUp says whether a kind of query adds values up.
func AddsUp(k query.Kind) bool {
	_, ok := summaries[k]
	return ok
}

// ColumnsOf are those of the answers of a kind beside those of every answer.
func ColumnsOf(k query.Kind) []string { return summaries[k].columns }

// Check reports what is wrong with the spec of a query that adds values up.
func Check(s query.Spec, p *problem.Problems) {
	if s.Value == nil {
		p.Add(string(s.Kind), problem.CodeBadSpec, "there is nothing to add up", "")
	}
	if check := summaries[s.Kind].check; check != nil {
		check(s, p)
	}
}

// checkRows reports a public number of terms if the number is not public.
func checkRows(s query.Spec, p *problem.Problems) {
	field := string(s.Kind) + ".rows"
	switch rows := s.Value.Rows; {
	case rows == 0:
	case rows < 0 || rows > accumulate.MaxRows:
		p.Add(field, problem.CodeBadValue, "a number of rows is at least 1 and at most 2^48", "")
	case s.Kind != query.Mean:
		p.Add(field, problem.CodeBadSpec, "only a mean has a public number of terms", "leave rows out")
	case !s.PerRow() || len(s.By) > 0 || s.Filtered:
		p.Add(field, problem.CodeBadSpec, "the number of terms is public only if each row is a unit, and no dimension and no filter takes rows away",
			"leave rows out: the mean is then made of a noisy sum and a noisy count")
	}
}

// Centred says whether a kind of query adds values up less the centre of their range.
func Centred(k query.Kind) bool { return summaries[k].quantizer.Centred }
