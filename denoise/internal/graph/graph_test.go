package graph

import (
	"errors"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestNewNamesTheWrongEdge(t *testing.T) {
	good := Edge{U: 0, V: 1, W: 1e99}
	for reason, bad := range map[string]Edge{
		"numbered 0 to 2":            {U: 0, V: 3, W: 1},
		"joins -1":                   {U: -1, V: 0, W: 1},
		"weight is 0":                {U: 0, V: 1},
		"weight is NaN":              {U: 0, V: 1, W: math.NaN()},
		"weight is +Inf":             {U: 0, V: 1, W: math.Inf(1)},
		"length is -1":               {U: 0, V: 1, W: 1, Length: -1},
		"length is NaN":              {U: 0, V: 1, W: 1, Length: math.NaN()},
		"add up to more than 1e+100": {U: 1, V: 0, W: 1e100},
	} {
		_, err := New(3, []Edge{good, {U: 2, V: 2, W: 1}, bad})
		var wrong *EdgeError
		if !errors.As(err, &wrong) || wrong.Index != 2 || !strings.Contains(err.Error(), reason) {
			t.Errorf("%+v: %v, want edge 2 and %q", bad, err, reason)
		}
	}
	var size *SizeError
	for _, n := range []int{-1, MaxNodes + 1} {
		if _, err := New(n, nil); !errors.As(err, &size) {
			t.Errorf("%d nodes: %v", n, err)
		}
	}
}

func TestNewMergesParallelEdges(t *testing.T) {
	g := must(New(4, []Edge{
		{U: 2, V: 1, W: 2, Length: 7}, {U: 1, V: 2, W: 3}, {U: 2, V: 1, W: 1, Length: 5}, {U: 3, V: 3, W: 1}, {U: 0, V: 3,
			W: 1},
	}))(t)
	if g.Nodes() != 4 || g.Edges() != 2 {
		t.Fatalf("%d nodes, %d edges", g.Nodes(), g.Edges())
	}
	if e := g.Edge(1); e != (Edge{U: 1, V: 2, W: 6, Length: 5}) || g.square[1] != 14 {
		t.Errorf("merged to %+v, squares %v", e, g.square[1])
	}
	if e := g.Edge(0); e != (Edge{U: 0, V: 3, W: 1}) {
		t.Errorf("the other is %+v", e)
	}
}

func TestProduct(t *testing.T) {
	g := must(Product([]int{2, 3, 4}))(t)
	if g.Nodes() != 24 || g.Edges() != 1*12+2*8+3*6 {
		t.Fatalf("%d nodes, %d edges", g.Nodes(), g.Edges())
	}
	rapid.Check(t, func(r *rapid.T) {
		sizes := rapid.SliceOfN(rapid.IntRange(0, 4), 0, 4).Draw(r, "sizes")
		g := must(Product(sizes))(t)
		cell := func(i int) (at []int) {
			for d := len(sizes) - 1; d >= 0; d-- {
				at = append(at, i%sizes[d])
				i /= sizes[d]
			}
			return at
		}
		steps := 0
		for i := range g.Nodes() {
			for j := range i {
				apart, a, b := 0, cell(i), cell(j)
				for d := range a {
					apart += max(a[d]-b[d], b[d]-a[d])
				}
				if apart == 1 {
					steps++
				}
			}
		}
		for e := range g.Edges() {
			apart, a, b := 0, cell(g.Edge(e).U), cell(g.Edge(e).V)
			for d := range a {
				apart += max(a[d]-b[d], b[d]-a[d])
			}
			if apart != 1 {
				r.Fatalf("edge %d joins %v and %v", e, a, b)
			}
		}
		if steps != g.Edges() {
			r.Fatalf("%d edges of %d", g.Edges(), steps)
		}
	})
	var size *SizeError
	for _, sizes := range [][]int{{-1}, {1 << 20, 1 << 20}, {1 << 31}, {1 << 29, 2, 1}, {1 << 10, 1 << 10, 1 << 9}} {
		if _, err := Product(sizes); !errors.As(err, &size) {
			t.Errorf("%v: %v", sizes, err)
		}
	}
}
