package kinds

import (
	"fmt"
	"math"
	"slices"

	"github.com/dprelease/dprelease/queries/bounding"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/problem"
	"github.com/dprelease/dprelease/queries/query"
)

// checkKind reports problems with the kind of a spec, and missing parts that the kind needs.
func checkKind(s query.Spec, p *problem.Problems) {
	switch {
	case s.Kind.AddsUp() || s.CountsWeights():
		checkSums(s, p)
	case !s.Kind.Known():
		p.Add("", problem.CodeBadSpec, fmt.Sprintf("%q is not a kind of query", s.Kind),
			"kinds: count, histogram, crosstabs, sum, mean, variance")
	case s.Kind == query.Crosstab && (s.Crosstabs == nil || len(s.By) == 0):
		p.Add("crosstabs.by", problem.CodeBadSpec, "tables need dimensions", "add by: and ways: [1, 2]")
	case s.CommonNoise != "" && (s.Kind != query.Histogram || s.Discovers() || s.Read.Sums):
		p.Add("histogram.noise", problem.CodeBadSpec,
			"cells share noise in histograms of listed cells, whose noise is not laid out for sums", "leave noise out")
	case s.Value != nil:
		p.Add(string(s.Kind), problem.CodeBadSpec, "rows are counted, not added up", "a sum or a mean adds them up")
	}
	switch {
	case (s.Kind == query.Count || s.Kind == query.OverBound) && len(s.By) > 0:
		p.Add("count", problem.CodeBadSpec, "a count has no dimensions", "a histogram has")
	case s.Kind == query.Histogram && len(s.By) == 0:
		p.Add("histogram.by", problem.CodeBadSpec, "a histogram needs a dimension", "a count has none")
	}
}

// checkSpec reports problems with a spec of any kind, except problems of its dimensions.
func checkSpec(s query.Spec, p *problem.Problems) {
	if s.Name == "" {
		p.Add("name", problem.CodeBadSpec, "a query needs a name", "")
	}
	checkUnit(s.Unit, p)
	checkUpstream(s, p)
	checkSigns(s.Bounds, p)
	b := s.Bounds
	rowsAlone := s.BoundsUnits() && b.MaxRows > 0 && b.MaxGroups == 0 && b.MaxRowsPerGroup == 0 && s.RowsShare == 0
	if s.SampleBy != nil && (len(s.SampleBy) == 0 || !rowsAlone || s.Discovers() || s.Kind == query.OverBound) {
		p.Add(sampleField, problem.CodeBadSpec, "sample_by needs columns, max_rows, no other bound, and listed keys",
			"set max_rows and no other bound, and list the keys")
	}
	if s.Declared < 0 || math.IsNaN(s.Declared) || math.IsInf(s.Declared, 0) {
		p.Add(problem.FieldSensitivity, problem.CodeBadValue, "a declared sensitivity is a positive number", "")
	}
}

func checkUnit(unit []string, p *problem.Problems) {
	for i, c := range unit {
		if c == "" {
			p.Add(problem.FieldUnit, problem.CodeBadSpec, "a column of the privacy unit has no name", "")
		}
		if slices.Contains(unit[:i], c) {
			p.Add(problem.FieldUnit, problem.CodeDuplicate, fmt.Sprintf("column %q is twice in the privacy unit", c), "")
		}
	}
}

// newAxes checks the listed dimensions and returns their axes. columns are the names of the answer's other columns; key
// columns must have other names.
func newAxes(s query.Spec, columns []string, p *problem.Problems) []domain.Axis {
	return domain.NewAxes(s.By, s.Location, s.ByField(), ownColumns(s, columns), p)
}

// countCells returns the product of the sizes of the axes, which is 1 if there are none. If the query adds up vectors,
// each cell has several components.
func countCells(s query.Spec, axes []domain.Axis, p *problem.Problems) int {
	cells := 1
	maxCells := domain.MaxCells
	if s.Value != nil {
		maxCells /= max(s.Value.Dims(), 1)
	}
	for i := range axes {
		size := axes[i].Size
		if size > 0 && cells > maxCells/size {
			p.Add(s.ByField(), problem.CodeTooManyCells, fmt.Sprintf("more than 2^31 - 1 = %d cells", maxCells),
				"use fewer dimensions or fewer cells a dimension")
			return cells
		}
		cells *= size
	}
	return cells
}

func checkSigns(b query.Bounds, p *problem.Problems) {
	for _, x := range []struct {
		name  string
		value int64
	}{{"max_rows", b.MaxRows}, {"max_groups", b.MaxGroups}, {"max_rows_per_group", b.MaxRowsPerGroup}} {
		if x.value < 0 {
			p.Add(problem.FieldBounds+"."+x.name, problem.CodeBadValue,
				fmt.Sprintf("%s is %d: a bound is at least 1", x.name, x.value), "")
		}
	}
}

// newLimits returns the limits on a unit's rows, for a query with this number of cells. Bounds that the spec omits
// follow from the others. A bound that is missing is reported.
func newLimits(s query.Spec, cells int, p *problem.Problems) bounding.Limits {
	if s.PerRow() {
		return bounding.Limits{Rows: 1, Cells: 1, RowsPerCell: 1}
	}
	if s.Upstream != nil {
		return upstreamLimits(s, int64(max(cells, 1)))
	}
	if min(s.Bounds.MaxRows, s.Bounds.MaxGroups, s.Bounds.MaxRowsPerGroup) < 0 {
		return bounding.Limits{} // the reason is reported already
	}
	l, missing := s.Bounds.Resolve(max(cells, 1))
	if missing != "" {
		p.Add(problem.FieldBounds, problem.CodeMissingBound,
			"nothing bounds how many rows "+s.UnitName()+" adds to the query: "+missing+" is not set",
			"set "+problem.FieldBounds+": {max_rows: N}, here or under privacy; rows beyond the bounds are left out")
	}
	return l
}
