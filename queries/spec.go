package queries

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/problem"
	"github.com/dprelease/dprelease/queries/quantize"
)

// Kind is a kind of query.
type Kind string

// The kinds of this version.
const (
	Count     Kind = "count"
	Histogram Kind = "histogram"
	Sum       Kind = "sum"
	Mean      Kind = "mean"
	Variance  Kind = "variance"
	Crosstab  Kind = "crosstabs"
)

// Spec is everything public about a query.
type Spec struct {
	Name string
	Kind Kind
	// Unit is the privacy unit's columns; if there are none, each row is a unit.
	Unit   []string
	Bounds Bounds
	// Value is what a sum or mean adds up; others have none.
	Value *quantize.Value
	// By is the dimensions of a histogram, or the groups of a sum or mean.
	By []domain.Dimension
	// Read is what else is read off a histogram.
	Read Read
	// Crosstabs says which tables are made of the dimensions; nil unless the kind is Crosstab.
	Crosstabs *Crosstabs
	// Filtered says that filters may leave rows out, so that the number of rows in the query is private.
	Filtered bool
	// Declared is a declared L2 sensitivity, 0 if none is.
	Declared float64
	// Location is the time zone of labels and edges without an offset, and of time fields, if the column holds
	// instants; UTC if it is nil.
	Location *time.Location
}

// perRow says that each row is a privacy unit of its own.
func (s *Spec) perRow() bool { return len(s.Unit) == 0 }

// checkSpec reports what is wrong with a spec beside its dimensions and its value.
func checkSpec(s Spec, p *problem.Problems) {
	if s.Name == "" {
		p.Add("name", problem.CodeBadSpec, "a query needs a name", "")
	}
	checkKind(s, p)
	checkUnit(s.Unit, p)
	s.Bounds.checkSigns(p)
	if s.Declared < 0 || math.IsNaN(s.Declared) || math.IsInf(s.Declared, 0) {
		p.Add(problem.FieldSensitivity, problem.CodeBadValue, "a declared sensitivity is a positive number", "")
	}
}

func checkKind(s Spec, p *problem.Problems) {
	f, sums := summaries[s.Kind]
	switch {
	case sums:
		if s.Value == nil {
			p.Add(string(s.Kind), problem.CodeBadSpec, "there is nothing to add up", "")
		}
		if f.check != nil {
			f.check(s, p)
		}
	case s.Kind != Count && s.Kind != Histogram && s.Kind != Crosstab:
		p.Add("", problem.CodeBadSpec, fmt.Sprintf("%q is not a kind of query", s.Kind), "kinds: count, histogram, crosstabs, sum, mean, variance")
	case s.Kind == Crosstab && (s.Crosstabs == nil || len(s.By) == 0):
		p.Add("crosstabs.by", problem.CodeBadSpec, "tables need dimensions", "add by: and ways: [1, 2]")
	case s.Value != nil:
		p.Add(string(s.Kind), problem.CodeBadSpec, "rows are counted, not added up", "a sum or a mean adds them up")
	case s.Kind == Count && len(s.By) > 0:
		p.Add("count", problem.CodeBadSpec, "a count has no dimensions", "a histogram has")
	case s.Kind == Histogram && len(s.By) == 0:
		p.Add("histogram.by", problem.CodeBadSpec, "a histogram needs a dimension", "a count has none")
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

// byField is the place of the dimensions in the query.
func (s *Spec) byField() string { return string(s.Kind) + ".by" }

// dimensionField is the place of a dimension in the query.
func (s *Spec) dimensionField(i int) string { return fmt.Sprintf("%s[%d]", s.byField(), i) }

// axes checks the dimensions that are not to be discovered and makes their axes.
func (s *Spec) axes(p *problem.Problems) []domain.Axis {
	return domain.NewAxes(s.By, s.Location, s.byField(), s.ownColumns(), p)
}

// countCells multiplies the sizes of the axes: 1 for a count. Each cell may have several components.
func countCells(s Spec, axes []domain.Axis, p *problem.Problems) int {
	cells := 1
	maxCells := domain.MaxCells
	if s.Value != nil {
		maxCells /= max(s.Value.Dims(), 1)
	}
	for i := range axes {
		size := axes[i].Size
		if size > 0 && cells > maxCells/size {
			p.Add(s.byField(), problem.CodeTooManyCells, fmt.Sprintf("more than 2^31 - 1 = %d cells", maxCells), "use fewer dimensions or fewer cells a dimension")
			return cells
		}
		cells *= size
	}
	return cells
}
