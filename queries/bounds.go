package queries

import (
	"fmt"
	"math"

	"github.com/dprelease/dprelease/mechanism/int128"
	"github.com/dprelease/dprelease/queries/bounding"
	"github.com/dprelease/dprelease/queries/problem"
	"github.com/dprelease/dprelease/queries/sensitivity"
)

// Adjacency says which tables are neighbours.
type Adjacency = sensitivity.Adjacency

// The adjacencies.
const (
	AddRemove  = sensitivity.AddRemove
	ReplaceOne = sensitivity.ReplaceOne
)

// Bounds limit what one privacy unit contributes to a query. A bound that is 0 is not set.
type Bounds struct {
	MaxRows         int64 // k, L1: rows in all
	MaxGroups       int64 // L0: cells with a row
	MaxRowsPerGroup int64 // m, Linf: rows in one cell
}

func (b Bounds) checkSigns(p *problem.Problems) {
	for _, x := range []struct {
		name  string
		value int64
	}{{"max_rows", b.MaxRows}, {"max_groups", b.MaxGroups}, {"max_rows_per_group", b.MaxRowsPerGroup}} {
		if x.value < 0 {
			p.Add(problem.FieldBounds+"."+x.name, problem.CodeBadValue, fmt.Sprintf("%s is %d: a bound is at least 1", x.name, x.value), "")
		}
	}
}

// limits fills the gaps of the bounds over a domain of some cells, or reports which bound is missing.
func (s *Spec) limits(cells int, p *problem.Problems) bounding.Limits {
	if s.perRow() {
		return bounding.Limits{Rows: 1, Groups: 1, PerGroup: 1}
	}
	if min(s.Bounds.MaxRows, s.Bounds.MaxGroups, s.Bounds.MaxRowsPerGroup) < 0 {
		return bounding.Limits{} // reported already
	}
	l, missing := s.Bounds.resolve(max(cells, 1))
	if missing != "" {
		p.Add(problem.FieldBounds, problem.CodeMissingBound, "nothing bounds how many rows "+s.unitName()+" adds to the query: "+missing+" is not set",
			"set "+problem.FieldBounds+": {max_rows: N}, here or under privacy; rows beyond the bounds are left out")
	}
	return l
}

// resolve returns the limits that the bounds imply over a domain of some cells, or what is missing.
func (b Bounds) resolve(cells int) (l bounding.Limits, missing string) {
	l = bounding.Limits{Rows: b.MaxRows, Groups: int64(cells), PerGroup: b.MaxRowsPerGroup}
	if b.MaxGroups > 0 {
		l.Groups = min(l.Groups, b.MaxGroups)
	}
	if l.Rows == 0 && l.PerGroup == 0 {
		return l, "max_rows (or max_groups and max_rows_per_group)"
	}
	if l.Rows == 0 && b.MaxGroups == 0 && cells > 1 {
		return l, "max_rows or max_groups"
	}
	if l.Rows == 0 {
		l.Rows = math.MaxInt64
	}
	if l.PerGroup == 0 {
		l.PerGroup = l.Rows
	}
	l.PerGroup = min(l.PerGroup, l.Rows)
	l.Rows = min(l.Rows, product(l.Groups, l.PerGroup))
	return l, ""
}

// product returns a·b for positive a and b, or the largest int64.
func product(a, b int64) int64 {
	x := int128.Product(a, uint64(b))
	if !x.IsInt64() {
		return math.MaxInt64
	}
	return int64(x.Low)
}
