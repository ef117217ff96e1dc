package denoise

import (
	"errors"
	"fmt"
	"slices"
	"testing"
)

// Two copies of a path of three cells, joined step by step along the other dimension.
func TestNewGraphIsAProduct(t *testing.T) {
	shape := Shape{[]int{3, 2}, []bool{false, true}}
	g, err := NewGraph(shape, 0, []Edge{{U: 0, V: 1, W: 2, Length: 5}, {U: 1, V: 2, W: 1}})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for e := range g.Edges() {
		got = append(got, fmt.Sprint(g.Edge(e)))
	}
	want := []string{"{0 1 1 0}", "{0 2 2 5}", "{1 3 2 5}", "{2 3 1 0}", "{2 4 1 0}", "{3 5 1 0}", "{4 5 1 0}"}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestNewGraphRefuses(t *testing.T) {
	shape := Shape{[]int{3, 2}, []bool{false, true}}
	var edge *EdgeError
	if _, err := NewGraph(shape, 0, []Edge{{U: 0, V: 1, W: 1}, {U: 0, V: 3, W: 1}}); !errors.As(err, &edge) || edge.Index != 1 {
		t.Errorf("an edge to nowhere: %v", err)
	}
	var e *Error
	for _, axis := range []int{-1, 2} {
		if _, err := NewGraph(shape, axis, nil); !errors.As(err, &e) {
			t.Errorf("axis %d: %v", axis, err)
		}
	}
	if _, err := NewGraph(Shape{[]int{0}, []bool{true}}, 0, nil); !errors.As(err, &e) {
		t.Errorf("no cells: %v", err)
	}
}

// Every estimator leaves cells below 0 where it finds them, unless it is told that there are none.
func TestNonnegativeIsAsked(t *testing.T) {
	shape := Shape{[]int{4, 8}, []bool{true, true}}
	line := Line(32)
	y := make([]float64, 32)
	for i := range y {
		y[i] = float64(100 * (i%2*2 - 1))
		if i >= 16 {
			y[i] = -100
		}
	}
	for _, m := range Methods() {
		if !m.KnownNoise {
			continue
		}
		for _, floor := range []string{"", "true", "false"} {
			args := Args{}
			if floor != "" {
				args["nonnegative"] = floor
			}
			s, err := New(m.Name, args)
			if err != nil {
				t.Fatal(err)
			}
			at := shape
			if m.Needs == NeedsLine {
				at = line
			}
			if s, err = Bind(s, at); err != nil {
				t.Fatal(err)
			}
			f, err := Estimate(t.Context(), y, 1, []Step{s})
			if err != nil {
				t.Fatal(err)
			}
			asked := floor == "true" || floor == "" && m.Name == "tree-ensemble"
			if below := slices.Min(f.X) < 0; below == asked {
				t.Errorf("%s, nonnegative %q: the least cell is %v", m.Name, floor, slices.Min(f.X))
			}
		}
	}
}
