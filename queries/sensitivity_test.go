package queries

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/kinds"
	"github.com/dprelease/dprelease/queries/problem"
	"github.com/dprelease/dprelease/queries/sensitivity"
	"pgregory.net/rapid"
)

// vectors returns all vectors of row counts over some cells with at most k rows, l cells with a row and m rows a cell.
func vectors(cells int, k, l, m int64) [][]int64 {
	if cells == 0 {
		return [][]int64{{}}
	}
	var all [][]int64
	for n := int64(0); n <= min(k, m); n++ {
		left := l
		if n > 0 {
			left--
		}
		if left < 0 {
			break
		}
		for _, rest := range vectors(cells-1, k-n, left, m) {
			all = append(all, append([]int64{n}, rest...))
		}
	}
	return all
}

func squaredDistance(a, b []int64) int64 {
	sum := int64(0)
	for i := range a {
		sum += (a[i] - b[i]) * (a[i] - b[i])
	}
	return sum
}

// bruteForce returns the squared sensitivity over all pairs of neighbouring contributions.
func bruteForce(adj Adjacency, all [][]int64) int64 {
	most := int64(0)
	for _, a := range all {
		for _, b := range all {
			if adj == AddRemove {
				b = make([]int64, len(a))
			}
			most = max(most, squaredDistance(a, b))
			if adj == AddRemove {
				break
			}
		}
	}
	return most
}

func spec(cells int, b Bounds) Spec {
	s := Spec{Name: "q", Kind: Count, Unit: []string{"u"}, Bounds: b}
	if cells > 1 {
		s.Kind = Histogram
		s.By = []domain.Dimension{{Column: "x", Labels: numbered(cells)}}
	}
	return s
}

func numbered(n int) []domain.Label {
	labels := make([]domain.Label, n)
	for i := range labels {
		name := fmt.Sprint(i)
		labels[i] = domain.Label{Name: name, Members: []string{name}}
	}
	return labels
}

func must(tb testing.TB, s Spec) *kinds.Histogram { return makeQuery[*kinds.Histogram](tb, s) }

// The formula for the sensitivity gives the true maximum, for all small bounds and for bounds that are not set.
func TestSensitivityIsTheMaximum(t *testing.T) {
	cases := 0
	for cells := 1; cells <= 4; cells++ {
		for i := range 5 * 5 * 5 {
			b := Bounds{MaxRows: int64(i % 5), MaxGroups: int64(i / 5 % 5), MaxRowsPerGroup: int64(i / 25)}
			q, err := New(spec(cells, b))
			if err != nil {
				continue
			}
			const unbounded = 4 * 4
			or := func(x int64) int64 {
				if x == 0 {
					return unbounded
				}
				return x
			}
			all := vectors(cells, or(b.MaxRows), or(b.MaxGroups), or(b.MaxRowsPerGroup))
			for _, adj := range []Adjacency{AddRemove, ReplaceOne} {
				cases++
				got, want := sensitivity.SquaredCounts(q.(*kinds.Histogram).Limits, adj, cells), bruteForce(adj, all)
				if got.Cmp(big.NewInt(want)) != 0 {
					t.Errorf("%d cells, %+v, %s: %v, want %d", cells, b, adj, got, want)
				}
			}
		}
	}
	t.Log(cases, "cases")
	if cases < 2*4*4*4*4 {
		t.Errorf("only %d cases", cases)
	}
}

// The formula gives the true maximum if max_rows is not a multiple of max_rows_per_group, with a remainder of two or
// more rows. Small bounds never have such a remainder.
func TestSensitivityOfLargeRests(t *testing.T) {
	for _, c := range []struct {
		b     Bounds
		cells int
	}{
		{Bounds{MaxRows: 5, MaxRowsPerGroup: 3}, 2}, {Bounds{MaxRows: 5, MaxRowsPerGroup: 3},
			3}, {Bounds{MaxRows: 7, MaxRowsPerGroup: 4}, 2},
		{Bounds{MaxRows: 7, MaxRowsPerGroup: 4}, 3}, {Bounds{MaxRows: 8, MaxRowsPerGroup: 5, MaxGroups: 2},
			3}, {Bounds{MaxRows: 9, MaxRowsPerGroup: 5}, 2},
		{Bounds{MaxRows: 8, MaxRowsPerGroup: 3}, 3}, {Bounds{MaxRows: 8, MaxRowsPerGroup: 3, MaxGroups: 2}, 3},
	} {
		q := must(t, spec(c.cells, c.b))
		groups := int64(c.cells)
		if c.b.MaxGroups > 0 {
			groups = c.b.MaxGroups
		}
		all := vectors(c.cells, c.b.MaxRows, groups, c.b.MaxRowsPerGroup)
		for _, adj := range []Adjacency{AddRemove, ReplaceOne} {
			got, want := sensitivity.SquaredCounts(q.Limits, adj, c.cells), bruteForce(adj, all)
			if got.Cmp(big.NewInt(want)) != 0 {
				t.Errorf("%d cells, %+v, %s: squared sensitivity %v, want %d", c.cells, c.b, adj, got, want)
			}
		}
	}
}

// Under replace-one, the two contributions differ most if each has half of the cells. The test tries every other split,
// in domains that are too large for brute force.
func TestHalfTheCellsIsTheBestSplit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cells := rapid.IntRange(1, 200).Draw(t, "cells")
		b := Bounds{MaxRows: rapid.Int64Range(1, 500).Draw(t, "k"), MaxGroups: rapid.Int64Range(0, 250).Draw(t, "L"),
			MaxRowsPerGroup: rapid.Int64Range(0, 30).Draw(t, "m")}
		l, missing := b.Resolve(cells)
		if missing != "" {
			t.Fatal(missing)
		}
		best := new(big.Int)
		for i := range int64(cells) + 1 {
			sum := new(big.Int).Add(sensitivity.LargestNorm(l, min(i, l.Cells)),
				sensitivity.LargestNorm(l, min(int64(cells)-i, l.Cells)))
			if sum.Cmp(best) > 0 {
				best = sum
			}
		}
		if got := sensitivity.SquaredCounts(l, ReplaceOne, cells); got.Cmp(best) != 0 {
			t.Fatalf("%v, best split %v", got, best)
		}
	})
}

func TestRootUpIsTheLeastFloatAbove(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := new(big.Int).Mul(big.NewInt(rapid.Int64Min(1).Draw(t, "a")), big.NewInt(rapid.Int64Min(1).Draw(t, "b")))
		up := sensitivity.RootUp(x)
		if square(up).Cmp(new(big.Rat).SetInt(x)) < 0 {
			t.Fatalf("%g is below the root of %v", up, x)
		}
		if square(math.Nextafter(up, 0)).Cmp(new(big.Rat).SetInt(x)) >= 0 {
			t.Fatalf("%g is not the least float above the root of %v", up, x)
		}
	})
	for n := int64(0); n < 100; n++ {
		if up := sensitivity.RootUp(big.NewInt(n * n)); up != float64(n) {
			t.Errorf("root of %d² is %g", n, up)
		}
	}
}

func TestSensitivityOfRows(t *testing.T) {
	for _, c := range []struct {
		cells int
		adj   Adjacency
		want  float64
	}{{1, AddRemove, 1}, {3, AddRemove, 1}, {3, ReplaceOne, math.Sqrt2}} {
		s := spec(c.cells, Bounds{})
		s.Unit = nil
		components, err := must(t, s).Components(c.adj)
		if err != nil || components[0].Sens.L2 < c.want || components[0].Sens.L2 > math.Nextafter(c.want, 2) {
			t.Errorf("%+v: %+v, %v", c, components, err)
		}
	}
	one := Spec{Name: "q", Kind: Histogram, By: []domain.Dimension{{Column: "x", Edges: []string{"0", "1"}}}}
	if components, err := must(t, one).Components(ReplaceOne); err != nil || components[0].Sens.L2 != 1 {
		t.Errorf("one cell that drops: %+v, %v", components, err)
	}
}

func TestConstantQueryIsRefused(t *testing.T) {
	_, err := must(t, Spec{Name: "q", Kind: Count}).Components(ReplaceOne)
	if es := problem.Errors(err); len(es) != 1 || es[0].Code != problem.CodeConstant {
		t.Errorf("%v", err)
	}
	for _, s := range []Spec{spec(1, Bounds{MaxRows: 1}), spec(1, Bounds{MaxRows: 3})} {
		components, err := must(t, s).Components(ReplaceOne)
		if err != nil || components[0].Sens.L2 != float64(s.Bounds.MaxRows) {
			t.Errorf("a count by unit is not constant: %+v, %v", components, err)
		}
	}
}

func TestMissingBounds(t *testing.T) {
	for _, c := range []struct {
		cells int
		b     Bounds
		want  string // part of the message; "" if nothing is missing
	}{
		{3, Bounds{}, "max_rows (or max_groups and max_rows_per_group)"},
		{1, Bounds{}, "max_rows"},
		{3, Bounds{MaxGroups: 2}, "max_rows"},
		{3, Bounds{MaxRowsPerGroup: 2}, "max_rows or max_groups"},
		{1, Bounds{MaxRowsPerGroup: 2}, ""},
		{3, Bounds{MaxRows: 2}, ""},
		{3, Bounds{MaxGroups: 2, MaxRowsPerGroup: 1}, ""},
	} {
		_, err := New(spec(c.cells, c.b))
		switch es := problem.Errors(err); {
		case c.want == "" && err != nil:
			t.Errorf("%+v: %v", c, err)
		case c.want != "" && (len(es) != 1 || es[0].Code != problem.CodeMissingBound || es[0].Field != "per_unit" ||
			!strings.Contains(es[0].Message, c.want)):
			t.Errorf("%+v: %v", c, err)
		}
	}
}

func TestWhy(t *testing.T) {
	for _, c := range []struct {
		cells int
		b     Bounds
		adj   Adjacency
		want  string
	}{
		{9, Bounds{MaxRows: 5, MaxGroups: 5, MaxRowsPerGroup: 1}, AddRemove,
			"each u adds at most 5 rows, at most 1 a cell: sqrt(5)"},
		{9, Bounds{MaxRows: 5}, AddRemove, "each u adds at most 5 rows: 5"},
		{1, Bounds{MaxRows: 1}, AddRemove, "each u adds at most 1 row: 1"},
		{9, Bounds{MaxGroups: 2, MaxRowsPerGroup: 1}, ReplaceOne,
			"each u can change from one to another contribution of at most 2 rows, at most 1 a cell: 2"},
	} {
		components, err := must(t, spec(c.cells, c.b)).Components(c.adj)
		if err != nil || components[0].Sens.Why != c.want {
			t.Errorf("%+v: %v %v", c, components, err)
		}
	}
}

func TestHugeBounds(t *testing.T) {
	components, err := must(t, spec(1000, Bounds{MaxGroups: 1000, MaxRowsPerGroup: 1 << 62})).Components(ReplaceOne)
	want := "each u can change from one to another contribution of at most 9,223,372,036,854,775,807 rows"
	if err != nil || components[0].Sens.L2 < 1<<62 || !strings.HasPrefix(components[0].Sens.Why, want) {
		t.Errorf("%+v, %v", components, err)
	}
	s := spec(1, Bounds{MaxRows: 3})
	s.Unit, s.Declared = []string{"u", "hour"}, 0.5
	_, err = must(t, s).Components(AddRemove)
	es := problem.Errors(err)
	if len(es) != 1 || es[0].Hint != "no bound implies so little: leave the declaration out" ||
		!strings.Contains(es[0].Message, "each (u, hour) adds") {
		t.Errorf("%v", err)
	}
}

func TestDeclaredSensitivity(t *testing.T) {
	s := spec(9, Bounds{MaxRows: 5})
	s.Declared = math.Sqrt(5)
	_, err := must(t, s).Components(AddRemove)
	es := problem.Errors(err)
	if len(es) != 1 || es[0].Code != problem.CodeLowSensitivity || es[0].Field != "sensitivity" {
		t.Fatalf("%v", err)
	}
	if want := "set per_unit: {max_rows_per_group: 1}, or {max_rows: 2}; or leave the declaration out"; es[0].Hint != want {
		t.Errorf("hint %q, want %q", es[0].Hint, want)
	}
	s.Bounds.MaxRowsPerGroup = 1
	if components, err := must(t, s).Components(AddRemove); err != nil || components[0].Sens.L2 < math.Sqrt(5) {
		t.Errorf("with the bound of the hint: %+v, %v", components, err)
	}
	s.Declared = 0
	implied, err := must(t, s).Components(AddRemove)
	if err != nil {
		t.Fatal(err)
	}
	// a larger value is used, and a value one bit smaller is refused
	for d, ok := range map[float64]bool{implied[0].Sens.L2: true, math.Nextafter(implied[0].Sens.L2, 0): false} {
		s.Declared = d
		if _, err := must(t, s).Components(AddRemove); (err == nil) != ok {
			t.Errorf("declared %g, implied %g: %v", d, implied[0].Sens.L2, err)
		}
	}
	s.Declared = 7
	components, err := must(t, s).Components(AddRemove)
	if err != nil || components[0].Sens.L2 != 7 || !strings.Contains(components[0].Sens.Why,
		"declared: 7; implied: each u adds") {
		t.Errorf("%+v, %v", components, err)
	}
	for _, bad := range []float64{-1, math.NaN(), math.Inf(1)} {
		s.Declared = bad
		if _, err := New(s); err == nil {
			t.Errorf("declared %g is accepted", bad)
		}
	}
}

func TestErrorsAreTyped(t *testing.T) {
	_, err := New(Spec{Name: "q", Kind: Histogram, Unit: []string{"u", "u"}, Bounds: Bounds{MaxRows: -1}})
	var e *problem.Error
	if !errors.As(err, &e) || e.Query != "q" {
		t.Errorf("%v", err)
	}
	if n := len(problem.Errors(err)); n != 3 {
		t.Errorf("%d problems: %v", n, err)
	}
	if lines := strings.Split(err.Error(), "\n"); len(lines) != 3 ||
		lines[1] != `query q: privacy.unit: duplicate: column "u" is twice in the privacy unit` {
		t.Errorf("%q", lines)
	}
	_, err = New(Spec{Kind: "median", Unit: []string{""}, By: []domain.Dimension{{}}, Declared: -1})
	if n := len(problem.Errors(err)); n != 7 {
		t.Errorf("%d problems: %v", n, err)
	}
	if _, err = New(Spec{Name: "q", Kind: Count, By: []domain.Dimension{{Column: "x",
		Labels: numbered(2)}}}); len(problem.Errors(err)) != 1 {
		t.Errorf("%v", err)
	}
	_, err = must(t, spec(2, Bounds{MaxRows: 1})).Components("both")
	if es := problem.Errors(err); len(es) != 1 || es[0].Field != "privacy.adjacency" {
		t.Errorf("%v", err)
	}
	if problem.Errors(nil) != nil || len(problem.Errors(errors.New("x"))) != 1 {
		t.Error("Errors of other errors")
	}
}
