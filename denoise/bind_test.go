package denoise

import (
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestBind(t *testing.T) {
	none := Shape{[]int{4}, []bool{false}}
	mixed := Shape{[]int{2, 4}, []bool{false, true}}
	for _, c := range []struct {
		method string
		shape  Shape
		code   string
	}{
		{"wavelet", none, CodeNeedsOrder},
		{"wavelet", Shape{}, CodeNeedsOrder},
		{"total-variation", none, CodeNeedsOrder},
		{"total-variation", Shape{[]int{2, 2}, []bool{true, true}}, CodeNeedsOrder},
		{"isotonic", none, CodeNeedsOrder},
		{"auto", Shape{[]int{4}, nil}, CodeShape},
		{"auto", Shape{[]int{0}, []bool{true}}, CodeShape},
		{"auto", Shape{[]int{math.MaxInt, 2}, []bool{true, true}}, CodeShape},
		{"auto", none, ""},
		{"james-stein", none, ""},
		{"wavelet", mixed, ""},
		{"total-variation", mixed, ""},
		{"wavelet", Line(1), ""},
		{"isotonic", Line(1), ""},
		{"tree-ensemble", none, CodeNeedsGraph},
		{"tree-wavelet", mixed, ""},
		{"trend-filter", Shape{[]int{3, 3}, []bool{true, true}}, ""},
	} {
		s, err := New(c.method, nil)
		if err != nil {
			t.Fatal(err)
		}
		_, err = s.Bind(c.shape)
		var e *Error
		if refused := errors.As(err, &e); refused != (c.code != "") || (refused && e.Code != c.code) {
			t.Errorf("%s on %v: %v, want %q", c.method, c.shape, err, c.code)
		}
	}
}

func TestUnboundStepsRefuse(t *testing.T) {
	for _, m := range Methods() {
		s, err := New(m.Name, required(m))
		if err != nil {
			t.Fatal(err)
		}
		_, err = Estimate(t.Context(), []float64{1, 2, 3}, 1, []*Step{s})
		if refused := err != nil; refused != (m.Needs != NeedsNothing) {
			t.Errorf("%s without a shape: %v", m.Name, err)
		}
		if m.TakesGraph {
			continue
		}
		if _, err := s.WithGraph(new(Graph)); err == nil {
			t.Errorf("%s takes a graph", m.Name)
		}
	}
}

func TestEstimateRefuses(t *testing.T) {
	for _, c := range []struct {
		y []float64
		s float64
	}{
		{[]float64{1}, 0}, {[]float64{1}, -1}, {[]float64{1}, math.NaN()}, {[]float64{1},
			math.Inf(1)}, {[]float64{math.NaN()}, 1},
		{[]float64{math.Inf(-1)}, 1},
	} {
		if _, err := Estimate(t.Context(), c.y, c.s, nil); err == nil {
			t.Errorf("%v with s = %v: accepted", c.y, c.s)
		}
	}
	s := bound(t, "wavelet", nil, Line(4))
	if _, err := Estimate(t.Context(), []float64{1, 2, 3}, 1, []*Step{s}); err == nil {
		t.Error("three values for four cells: accepted")
	}
}

func bound(t *testing.T, method string, args Args, shape Shape) *Step {
	t.Helper()
	s, err := New(method, args)
	if err == nil {
		s, err = s.Bind(shape)
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestGraphsReachTheEstimators(t *testing.T) {
	g, err := NewGraph(Shape{[]int{4}, []bool{false}}, 0, []Edge{{U: 0, V: 2, W: 1}, {U: 2, V: 1, W: 1}, {U: 1, V: 3, W: 1}})
	if err != nil {
		t.Fatal(err)
	}
	y, swapped := []float64{10, 60, 13, 66}, []float64{10, 13, 60, 66}
	for _, c := range []struct {
		method string
		args   Args
	}{{"trend-filter", Args{"lambda": "2"}}, {"trend-filter", Args{"k": "1", "lambda": "sure"}}, {"tree-wavelet",
		Args{"threshold": "1"}}, {"tree-ensemble", nil}} {
		s, err := New(c.method, c.args)
		if err != nil {
			t.Fatal(err)
		}
		onPath, errPath := s.Bind(Line(4))
		s, err = s.WithGraph(g)
		if err != nil || errPath != nil {
			t.Fatal(err, errPath)
		}
		if _, err := s.Bind(Line(5)); err == nil {
			t.Errorf("%s: a graph of four nodes fits five cells", c.method)
		}
		got, err := Estimate(t.Context(), y, 3, []*Step{s.WithRun(Run{Workers: 3})})
		if err != nil {
			t.Fatal(err)
		}
		want, err := Estimate(t.Context(), swapped, 3, []*Step{onPath})
		if err != nil {
			t.Fatal(err)
		}
		near(t, c.method, got.X, []float64{want.X[0], want.X[2], want.X[1], want.X[3]})
	}
}

// Separate lines are not neighbours.
func TestMixedShapes(t *testing.T) {
	shape := Shape{[]int{2, 3}, []bool{false, true}}
	for _, method := range []string{"trend-filter", "total-variation"} {
		f, err := Estimate(t.Context(), []float64{1, 2, 3, 101, 102, 103}, 1,
			[]*Step{bound(t, method, Args{"lambda": "50"}, shape)})
		if err != nil {
			t.Fatal(err)
		}
		near(t, method, f.X, []float64{2, 2, 2, 102, 102, 102})
	}
}

// Every method accepts every finite input.
func TestExtremesDoNotFail(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		y, s := finite().Filter(func(v []float64) bool { return len(v) > 0 }).Draw(rt, "y"), positive().Draw(rt, "s")
		m := rapid.SampledFrom(Methods()).Draw(rt, "method")
		f, err := Estimate(t.Context(), y, s, []*Step{bound(t, m.Name, required(m), Line(len(y)))})
		if err != nil || math.IsNaN(f.DF) || math.IsNaN(f.SURE(y, s)) {
			rt.Fatalf("%s: %v, %v", m.Name, f, err)
		}
		for _, x := range f.X {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				rt.Fatalf("%s: %v", m.Name, f.X)
			}
		}
	})
}
