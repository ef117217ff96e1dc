package queries

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/bounding"
	"github.com/dprelease/dprelease/queries/problem"
	"github.com/dprelease/dprelease/queries/quantize"
	"github.com/dprelease/dprelease/queries/sensitivity"
)

// change returns the largest square of the change of a cell between n rows and o rows of values in [low, high], and two
// values that make it.
func change(n, o, low, high int64) (most, x, y int64) {
	for _, a := range []int64{low, high} {
		for _, b := range []int64{low, high} {
			if d := n*a - o*b; d*d >= most {
				most, x, y = d*d, a, b
			}
		}
	}
	return most, x, y
}

// farthest returns the largest squared distance of two contributions within the limits, by trying all, and the
// contributions.
func farthest(adj Adjacency, all [][]int64, low, high int64) (most int64, one, other []int64) {
	for _, a := range all {
		for _, b := range all {
			if adj == AddRemove {
				b = make([]int64, len(a))
			}
			sum := int64(0)
			for i := range a {
				d, _, _ := change(a[i], b[i], low, high)
				sum += d
			}
			if sum >= most {
				most, one, other = sum, a, b
			}
			if adj == AddRemove {
				break
			}
		}
	}
	return most, one, other
}

var ranges = [][2]int64{{-1, 1}, {0, 1}, {1, 3}, {-3, -2}, {-1, 3}, {-5, 2}, {-2, 4}, {-1, 20}}

// Every case of small bounds, set and not set, and of values of all signs: the formula is the true maximum.
func TestReachIsTheMaximum(t *testing.T) {
	cases := 0
	for cells := 1; cells <= 4; cells++ {
		for i := range 5 * 5 * 4 {
			b := Bounds{MaxRows: int64(i % 5), MaxGroups: int64(i / 5 % 5), MaxRowsPerGroup: int64(i / 25)}
			l, missing := b.Resolve(cells)
			if missing != "" {
				continue
			}
			all := vectors(cells, l.Rows, l.Cells, l.RowsPerCell)
			for _, r := range ranges {
				up, down := max(r[1], 0), max(-r[0], 0)
				x := &sensitivity.Reach{More: max(up, down), Less: min(up, down), Components: 1}
				for _, adj := range []Adjacency{AddRemove, ReplaceOne} {
					cases++
					want, _, _ := farthest(adj, all, r[0], r[1])
					if got := x.Squared(l, adj, cells); got.Cmp(big.NewInt(want)) != 0 {
						t.Errorf("%d cells, %+v, %v, %s: %v, want %d", cells, b, r, adj, got, want)
					}
				}
			}
		}
	}
	t.Log(cases, "cases")
	if cases < 4000 {
		t.Errorf("only %d cases", cases)
	}
}

// If the range of values is symmetric, replacing a unit changes sums by up to twice its contribution. If each unit has
// one row, it changes them by hi - lo in one cell, or by sqrt(2)·V in two cells, with V the largest magnitude.
func TestReachOfKnownCases(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		cells := rapid.IntRange(1, 200).Draw(rt, "cells")
		b := Bounds{MaxRows: rapid.Int64Range(1, 500).Draw(rt, "k"), MaxGroups: rapid.Int64Range(0, 250).Draw(rt, "L"),
			MaxRowsPerGroup: rapid.Int64Range(0, 30).Draw(rt, "m")}
		l, _ := b.Resolve(cells)
		v := rapid.Int64Range(1, 1<<40).Draw(rt, "V")
		w := rapid.Int64Range(0, v).Draw(rt, "less")
		same := &sensitivity.Reach{More: v, Less: v, Components: 3}
		if got, want := same.Squared(l, ReplaceOne, cells), same.Squared(l, AddRemove,
			cells); got.Cmp(want.Mul(want, big.NewInt(4))) != 0 {
			rt.Fatalf("%v, want %v", got, want)
		}
		one := (&sensitivity.Reach{More: v, Less: w, Components: 1}).Squared(bounding.Limits{Rows: 1, Cells: 1, RowsPerCell: 1},
			ReplaceOne, cells)
		want := square64(v + w)
		if two := square64(v); cells > 1 && two.Lsh(two, 1).Cmp(want) > 0 {
			want = two
		}
		if one.Cmp(want) != 0 {
			rt.Fatalf("one row: %v, want %v", one, want)
		}
	})
}

// For ranges of all signs, and for vectors, there are neighbouring tables whose answers differ by exactly the stated
// sensitivity.
func TestReachIsAttained(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		cells, dims := rapid.IntRange(1, 3).Draw(rt, "cells"), rapid.IntRange(1, 3).Draw(rt, "components")
		r := rapid.SampledFrom(ranges).Draw(rt, "range")
		s := spec(cells, Bounds{MaxRows: rapid.Int64Range(1, 4).Draw(rt, "k"),
			MaxGroups: rapid.Int64Range(0, 3).Draw(rt, "L"), MaxRowsPerGroup: rapid.Int64Range(0, 3).Draw(rt, "m")})
		s.Kind, s.Value = Sum, &quantize.Value{Lo: fmt.Sprint(r[0]), Hi: fmt.Sprint(r[1])}
		fields := []table.Field{{Name: "u", Type: table.Type{Kind: table.Int}},
			{Name: "x", Type: table.Type{Kind: table.Int}}, {Name: "v", Type: table.Type{Kind: table.Int}}}
		for i := range dims {
			s.Value.Columns = append(s.Value.Columns, fmt.Sprint("v", i))
			fields = append(fields, table.Field{Name: fmt.Sprint("v", i), Type: table.Type{Kind: table.Int}})
		}
		if clip := rapid.Bool().Draw(rt, "clip"); clip {
			r = [2]int64{-7, 7}
			s.Value.Lo, s.Value.Hi, s.Value.ClipL2 = "", "", "7"
		}
		q := summed(t, s)
		adj := rapid.SampledFrom([]Adjacency{AddRemove, ReplaceOne}).Draw(rt, "adjacency")
		_, one, other := farthest(adj, vectors(cells, q.Limits.Rows, q.Limits.Cells, q.Limits.RowsPerCell), r[0], r[1])
		rowsOf := func(counts []int64, which int) *testTable {
			tab := &testTable{fields: fields}
			for cell, n := range counts {
				_, x, y := change(one[cell], other[cell], r[0], r[1])
				v := value{n: []int64{x, y}[which] * 1000} // beyond the bounds
				zero := value{null: q.Quantizer.Clip}
				for range n {
					row := []value{{n: 1}, {n: int64(cell)}, {}, v}
					for range dims - 1 {
						if zero.null {
							row = append(row, value{})
						} else {
							row = append(row, v)
						}
					}
					tab.rows = append(tab.rows, row)
				}
			}
			return tab
		}
		a, b := rowsOf(one, 0), rowsOf(other, 1)
		sums, _ := sumsOf(t, q, a, plainly(q, a))
		sums2, _ := sumsOf(t, q, b, plainly(q, b))
		got := new(big.Int)
		for i := range sums {
			got.Add(got, square64(new(big.Int).Sub(sums[i], sums2[i]).Int64()))
		}
		if want := q.Reach.Squared(q.Limits, adj, cells); got.Cmp(want) != 0 {
			rt.Fatalf("%+v %+v, %s: changed by sqrt(%v), sensitivity sqrt(%v)\n%v %v", s.Bounds, *s.Value, adj, got, want, one,
				other)
		}
		components, err := q.Components(adj)
		if l2, _ := new(big.Float).SetInt(got).Float64(); err != nil ||
			math.Abs(components[0].Sens.L2/math.Ldexp(math.Sqrt(l2), q.Quantizer.Exponent)-1) > 1e-15 {
			rt.Fatalf("%+v, %v", components, err)
		}
	})
}

func componentsOf(t *testing.T, s Spec, adj Adjacency) []Component {
	t.Helper()
	components, err := summed(t, s).Components(adj)
	if err != nil {
		t.Fatal(err)
	}
	return components
}

func about(x, want float64) bool { return x >= want && x <= want*(1+1e-11) }

// A mean of a public number n of rows has the sensitivity that the literature gives: (hi - lo)/n, times the square root
// of the number of components for vectors, and 2·norm/n for vectors with a bounded norm.
func TestSensitivityOfPublicMeans(t *testing.T) {
	columns := make([]string, 2000)
	for i := range columns {
		columns[i] = fmt.Sprint("x", i)
	}
	for _, c := range []struct {
		v    quantize.Value
		want float64
	}{
		{quantize.Value{Columns: columns[:1], Lo: "17", Hi: "90", Rows: 45222}, 73.0 / 45222},
		{quantize.Value{Columns: columns, Lo: "-0.5", Hi: "0.5", Rows: 500}, math.Sqrt(2000) / 500},
		{quantize.Value{Columns: columns, ClipL2: "3", Rows: 500}, 2 * 3.0 / 500},
	} {
		s := Spec{Name: "q", Kind: Mean, Value: &c.v}
		components := componentsOf(t, s, ReplaceOne)
		if len(components) != 1 || components[0].Name != "sum" ||
			!about(components[0].Sens.L2*components[0].Scale*(1+1e-12), c.want) {
			t.Errorf("%g: %+v", c.want, components)
		}
		_, err := summed(t, s).Components(AddRemove)
		if es := problem.Errors(err); len(es) != 1 || es[0].Field != "mean.rows" {
			t.Errorf("%v", err)
		}
	}
}

func TestComponentsOfMeans(t *testing.T) {
	s := spec(9, Bounds{MaxRows: 5, MaxRowsPerGroup: 1})
	s.Kind, s.Value = Mean, &quantize.Value{Columns: []string{"y"}, Lo: "10", Hi: "14"}
	components := componentsOf(t, s, AddRemove)
	if len(components) != 2 || components[0].Name != "sum" || components[1].Name != "count" ||
		components[0].RowBound != 2 || components[1].RowBound != 1 {
		t.Fatalf("%+v", components)
	}
	if !about(components[0].Sens.L2, 2*math.Sqrt(5)) || !about(components[1].Sens.L2, math.Sqrt(5)) ||
		components[0].Quantum != math.Ldexp(1, 4-40) {
		t.Errorf("%+v", components)
	}
	// The error in the worst case is least if the fractions of mu² are in the ratio Delta_sum : r·Delta_count.
	if !about(components[0].Weight, 2*math.Sqrt(5)) || !about(components[1].Weight, 2*math.Sqrt(5)) {
		t.Errorf("weights %g, %g", components[0].Weight, components[1].Weight)
	}
	if components = componentsOf(t, s, ReplaceOne); !about(components[0].Sens.L2, 4*math.Sqrt(5)) ||
		!about(components[1].Sens.L2, math.Sqrt(9)) {
		t.Errorf("%+v", components)
	}
	vector := s
	vector.Value = &quantize.Value{Columns: []string{"y", "z", "a", "b"}, Lo: "10", Hi: "14"}
	components = componentsOf(t, vector, AddRemove)
	if components[0].Cells != 36 || components[1].Cells != 9 || !about(components[0].Sens.L2, 4*math.Sqrt(5)) ||
		!about(components[0].Weight/components[1].Weight, 2) {
		t.Errorf("%+v", components)
	}
	s.Declared = 100
	_, err := summed(t, s).Components(AddRemove)
	if es := problem.Errors(err); len(es) != 1 || es[0].Field != "sensitivity" {
		t.Errorf("%v", err)
	}
}

// No other split of mu² gives a mean a smaller squared error in the worst case.
func TestWeightsAreBest(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		v := rapid.SampledFrom([]quantize.Value{{Columns: []string{"y"}, Lo: "10", Hi: "14"},
			{Columns: []string{"a", "b", "c"}, Lo: "-1", Hi: "0"}, {Columns: []string{"a", "b"}, ClipL2: "3"}}).Draw(rt, "value")
		s := spec(7, Bounds{MaxRows: 6, MaxRowsPerGroup: rapid.Int64Range(1, 6).Draw(rt, "m")})
		s.Kind, s.Value = Mean, &v
		q := summed(t, s)
		components := componentsOf(t, s, rapid.SampledFrom([]Adjacency{AddRemove, ReplaceOne}).Draw(rt, "adjacency"))
		d, rho := float64(q.Quantizer.Dims), q.Reach.OfRow()
		worst := func(share float64) float64 {
			sum, count := components[0].Sens.L2, rho*components[1].Sens.L2
			return d*sum*sum/share + count*count/(1-share)
		}
		best := components[0].Weight / (components[0].Weight + components[1].Weight)
		if other := rapid.Float64Range(0.001, 0.999).Draw(rt, "share"); worst(other) < worst(best)*(1-1e-12) {
			rt.Fatalf("share %g: %g; share %g: %g", best, worst(best), other, worst(other))
		}
	})
}

// The number of rows of a mean is private even if each row is a unit and rows are only replaced, because a row may have
// no value.
func TestCountOfMeanIsPrivate(t *testing.T) {
	components := componentsOf(t, Spec{Name: "q", Kind: Mean,
		Value: &quantize.Value{Columns: []string{"y"}, Lo: "10", Hi: "14"}}, ReplaceOne)
	if components[0].Sens.L2 != 4 || components[1].Sens.L2 != 1 {
		t.Errorf("%+v", components)
	}
	components = componentsOf(t, Spec{Name: "q", Kind: Sum,
		Value: &quantize.Value{Columns: []string{"y"}, Lo: "10", Hi: "14"}}, ReplaceOne)
	if components[0].Sens.L2 != 14 {
		t.Errorf("a sum that a row can leave: %+v", components)
	}
}

func TestDeclaredSums(t *testing.T) {
	s := spec(9, Bounds{MaxRows: 5})
	s.Kind, s.Value, s.Declared = Sum, &quantize.Value{Columns: []string{"y"}, Lo: "0", Hi: "90"}, 90*math.Sqrt(5)
	_, err := summed(t, s).Components(AddRemove)
	es := problem.Errors(err)
	if want := "set per_unit: {max_rows_per_group: 1}, or {max_rows: 2}; or leave the declaration out"; len(es) != 1 ||
		es[0].Code != problem.CodeLowSensitivity || es[0].Hint != want {
		t.Fatalf("%v", err)
	}
	s.Declared = 451
	if components := componentsOf(t, s, AddRemove); components[0].Sens.L2 != 451 || components[0].Name != "" ||
		!strings.HasPrefix(components[0].Sens.Why, "declared: 451; implied: each u adds at most 5 rows") {
		t.Errorf("%+v", components)
	}
	mean := Spec{Name: "q", Kind: Mean, Declared: 0.5, Value: &quantize.Value{Columns: []string{"y"}, Lo: "0", Hi: "90",
		Rows: 100}}
	_, err = summed(t, mean).Components(ReplaceOne)
	if es := problem.Errors(err); len(es) != 1 || es[0].Code != problem.CodeLowSensitivity {
		t.Errorf("%v", err)
	}
	mean.Declared = 2
	if components := componentsOf(t, mean, ReplaceOne); !about(components[0].Sens.L2, 200) {
		t.Errorf("%+v", components)
	}
}

func TestWhyOfSums(t *testing.T) {
	v := &quantize.Value{Columns: []string{"y"}, Lo: "-1", Hi: "90"}
	unit := spec(9, Bounds{MaxRows: 5, MaxRowsPerGroup: 1})
	row := spec(9, Bounds{})
	row.Unit = nil
	for _, c := range []struct {
		s    Spec
		kind Kind
		adj  Adjacency
		want string
	}{
		{unit, Sum, AddRemove, "each u adds at most 5 rows, at most 1 a cell, each a value in [-1, " +
			"90]: 201."},
		{unit, Mean, ReplaceOne, "each u can change from one to another contribution of at most 5 rows, at most " +
			"1 a cell, each a value in [-45.5, 45.5]: 203."},
		{row, Sum, AddRemove, "each row adds a value in [-1, 90] to at most one group: 90"},
		{row, Sum, ReplaceOne, "replacing a row takes a value in [-1, 90] from one group and adds another to one group, " +
			"either of which may be left out: 127.2"},
	} {
		c.s.Kind, c.s.Value = c.kind, v
		if got := componentsOf(t, c.s, c.adj)[0].Sens.Why; !strings.HasPrefix(got, c.want) {
			t.Errorf("%s\nwant %s", got, c.want)
		}
	}
	if got := componentsOf(t, Spec{Name: "q", Kind: Mean,
		Value: &quantize.Value{Columns: slices.Repeat([]string{"x"}, 1), Lo: "0", Hi: "1",
			Rows: 4}}, ReplaceOne)[0].Sens.Why; got != "replacing a row changes the sum by the range of its value: 1, of 4 "+
		"terms; rows without a value count as the centre of the range" {
		t.Error(got)
	}
}
