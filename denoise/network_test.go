package denoise

import (
	"errors"
	"fmt"
	"slices"
	"testing"
)

// NewGraph of a path of three cells, in a shape with a second dimension of two cells, makes two copies of the path and
// joins corresponding cells.
func TestNewGraphIsAProduct(t *testing.T) {
	shape := Shape{[]int{3, 2}, []bool{false, true}}
	g, err := NewGraph(shape, 0, []Edge{{U: 0, V: 1, W: 2, Length: 5}, {U: 1, V: 2, W: 1}})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for e := range g.network.Edges() {
		got = append(got, fmt.Sprint(g.network.Edge(e)))
	}
	want := []string{"{0 1 1 0}", "{0 2 2 5}", "{1 3 2 5}", "{2 3 1 0}", "{2 4 1 0}", "{3 5 1 0}", "{4 5 1 0}"}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestNewGraphRefuses(t *testing.T) {
	shape := Shape{[]int{3, 2}, []bool{false, true}}
	var edge *EdgeError
	if _, err := NewGraph(shape, 0, []Edge{{U: 0, V: 1, W: 1}, {U: 0, V: 3, W: 1}}); !errors.As(err, &edge) ||
		edge.Index != 1 {
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

// Every estimator can return cells below 0, unless the parameter nonnegative is set.
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
			if s, err = s.Bind(at); err != nil {
				t.Fatal(err)
			}
			f, err := Estimate(t.Context(), y, 1, []*Step{s})
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

// The result of a method does not depend on the number of workers, to the bit.
func TestWorkersChangeNothing(t *testing.T) {
	shape := Shape{[]int{12, 15}, []bool{true, true}}
	y := make([]float64, shape.Cells())
	stream := public{state: 3}
	for i := range y {
		y[i] = 30*float64(i/60) + 10*stream.normal()
	}
	for _, c := range []candidate{
		{method: "auto"}, {method: "tree-wavelet"}, {method: "tree-ensemble"}, {method: "trend-filter"},
		{method: "trend-filter", args: Args{"k": "1"}}, {method: "trend-filter", args: Args{"k": "2"}},
	} {
		var first []float64
		for _, workers := range []int{1, 2, 5} {
			s, err := New(c.method, c.args)
			if err != nil {
				t.Fatal(err)
			}
			if s, err = s.WithRun(Run{Workers: workers}).Bind(shape); err != nil {
				t.Fatal(err)
			}
			f, err := Estimate(t.Context(), y, 10, []*Step{s})
			if err != nil {
				t.Fatal(err)
			}
			if first == nil {
				first = f.X
			} else if !slices.Equal(first, f.X) {
				t.Errorf("%s %v: %d workers give another estimate", c.method, c.args, workers)
			}
		}
	}
}

// A trend filter that needs too much memory is refused before it sees a value; k = 0 is not.
func TestBindRefusesWhatIsTooLarge(t *testing.T) {
	const leaves = 30_000
	edges := make([]Edge, leaves)
	for i := range edges {
		edges[i] = Edge{U: 0, V: i + 1, W: 1}
	}
	shape := Shape{[]int{leaves + 1}, []bool{false}}
	star, err := NewGraph(shape, 0, edges)
	if err != nil {
		t.Fatal(err)
	}
	for k, want := range map[string]bool{"0": false, "1": true, "2": true} {
		s, err := New("trend-filter", Args{"k": k})
		if err != nil {
			t.Fatal(err)
		}
		if s, err = s.WithGraph(star); err != nil {
			t.Fatal(err)
		}
		_, err = s.Bind(shape)
		var e *Error
		if refused := errors.As(err, &e) && e.Code == CodeTooLarge; refused != want {
			t.Errorf("k = %s: %v", k, err)
		}
	}
}
