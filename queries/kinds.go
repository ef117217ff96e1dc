package queries

import (
	"fmt"

	"github.com/dprelease/dprelease/queries/kinds/sums"
	"github.com/dprelease/dprelease/queries/problem"
)

// checkKind reports what is wrong with the kind of a spec, and what the kind needs and does not have.
func checkKind(s Spec, p *problem.Problems) {
	switch {
	case sums.AddsUp(s.Kind):
		sums.Check(s, p)
	case s.Kind != Count && s.Kind != Histogram && s.Kind != Crosstab:
		p.Add("", problem.CodeBadSpec, fmt.Sprintf("%q is not a kind of query", s.Kind), "kinds: count, histogram, crosstabs, sum, mean, variance")
	case s.Kind == Crosstab && (s.Crosstabs == nil || len(s.By) == 0):
		p.Add("crosstabs.by", problem.CodeBadSpec, "tables need dimensions", "add by: and ways: [1, 2]")
	case s.Shared != "" && (s.Kind != Histogram || s.Discovers() || s.Read.Sums):
		p.Add("histogram.noise", problem.CodeBadSpec, "cells share noise in histograms of listed cells, whose noise is not laid out for sums", "leave noise out")
	case s.Value != nil:
		p.Add(string(s.Kind), problem.CodeBadSpec, "rows are counted, not added up", "a sum or a mean adds them up")
	case s.Kind == Count && len(s.By) > 0:
		p.Add("count", problem.CodeBadSpec, "a count has no dimensions", "a histogram has")
	case s.Kind == Histogram && len(s.By) == 0:
		p.Add("histogram.by", problem.CodeBadSpec, "a histogram needs a dimension", "a count has none")
	}
}
