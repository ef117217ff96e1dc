package denoise

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestIsotonicIsTheNearest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		y := draw(t, rapid.IntRange(1, 30).Draw(t, "n"))
		up, err := Isotonic(y, Line(len(y)), false)
		if err != nil || !slices.IsSorted(up.X) {
			t.Fatalf("%v: %v, %v", y, up.X, err)
		}
		// The residual of a projection onto a cone is orthogonal to it and not positive on it: on steps up.
		var tail, inner float64
		for i := len(y) - 1; i >= 0; i-- {
			tail += y[i] - up.X[i]
			inner += (y[i] - up.X[i]) * up.X[i]
			if tail > 1e-9 {
				t.Fatalf("a step up at %d would be nearer by %v", i, tail)
			}
		}
		if math.Abs(tail) > 1e-9 || math.Abs(inner) > 1e-6 {
			t.Fatalf("residuals sum to %v, with the fit to %v", tail, inner)
		}
		down, err := Isotonic(scale(y, -1), Line(len(y)), true)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range down.X {
			if math.Abs(v+up.X[i]) > 1e-12*100 {
				t.Fatalf("decreasing: cell %d is %v, want %v", i, v, -up.X[i])
			}
		}
	})
}

func TestTotalIsTheNearest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		y := draw(t, rapid.IntRange(1, 30).Draw(t, "n"))
		total := rapid.Float64Range(0.1, 500).Draw(t, "total")
		for _, nonnegative := range []bool{false, true} {
			x := Total(y, total, nonnegative).X
			var sum, shift float64
			for i, v := range x {
				sum += v
				if v > 0 || !nonnegative {
					shift = y[i] - v
				}
			}
			if math.Abs(sum-total) > 1e-9*total+1e-10 {
				t.Fatalf("sum %v, want %v", sum, total)
			}
			for i, v := range x {
				if free := v > 0 || !nonnegative; (free && math.Abs(y[i]-v-shift) > 1e-9) || (!free && y[i] > shift+1e-9) {
					t.Fatalf("cell %d: %v became %v, others moved by %v", i, y[i], v, shift)
				}
			}
		}
	})
}

// TestConsistentIsLeastSquares compares with the normal equations, solved densely.
func TestConsistentIsLeastSquares(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dims := rapid.SliceOfN(rapid.IntRange(1, 4), 1, 3).Draw(t, "dims")
		shape := Shape{dims, make([]bool, len(dims))}
		y, s := draw(t, shape.Cells()), rapid.Float64Range(0.5, 5).Draw(t, "s")
		var margins []Margin
		for range rapid.IntRange(0, 3).Draw(t, "margins") {
			m := Margin{Deviation: rapid.Float64Range(0.5, 5).Draw(t, "deviation")}
			cells := 1
			for axis, size := range dims {
				if rapid.Bool().Draw(t, "kept") {
					m.Axes = append(m.Axes, axis)
					cells *= size
				}
			}
			m.Values = draw(t, cells)
			margins = append(margins, m)
		}
		got, deviation, err := Consistent(y, s, shape, margins)
		if err != nil {
			t.Fatal(err)
		}
		want, variance := leastSquares(y, s, shape, margins)
		for i, v := range got {
			if math.Abs(v-want[i]) > 1e-8*(1+math.Abs(want[i])) {
				t.Fatalf("cell %d: %v, want %v", i, v, want[i])
			}
		}
		if math.Abs(deviation*deviation-variance) > 1e-8*variance {
			t.Fatalf("variance %v, want %v", deviation*deviation, variance)
		}
	})
}

func leastSquares(y []float64, s float64, shape Shape, margins []Margin) (x []float64, variance float64) {
	n := len(y)
	a := make([][]float64, n) // the normal equations, their right side, and a right side of 1 for the first cell
	for i := range a {
		a[i] = make([]float64, n+2)
	}
	a[0][n+1] = 1
	add := func(weight float64, value float64, cells []int) {
		for _, i := range cells {
			a[i][n] += weight * value
			for _, j := range cells {
				a[i][j] += weight
			}
		}
	}
	for i, v := range y {
		add(1/(s*s), v, []int{i})
	}
	for _, m := range margins {
		for k, v := range m.Values {
			var cells []int
			for i := range y {
				at := 0
				for _, axis := range m.Axes {
					at = at*shape.Dims[axis] + i/shape.stride(axis)%shape.Dims[axis]
				}
				if at == k {
					cells = append(cells, i)
				}
			}
			add(1/(m.Deviation*m.Deviation), v, cells)
		}
	}
	for i := range a { // Gauss-Jordan elimination; the matrix is positive definite, so no pivot is chosen
		for k := range a {
			if f := a[k][i] / a[i][i]; k != i {
				for j := range a[k] {
					a[k][j] -= f * a[i][j]
				}
			}
		}
	}
	for i := range a {
		x = append(x, a[i][n]/a[i][i])
	}
	return x, a[0][n+1] / a[0][0]
}

func TestConsistentRefuses(t *testing.T) {
	shape := Shape{[]int{2, 3}, []bool{false, true}}
	y := make([]float64, 6)
	for what, margins := range map[string][]Margin{
		"an axis that is not there": {{Axes: []int{2}, Values: y[:2], Deviation: 1}},
		"axes out of order":         {{Axes: []int{1, 0}, Values: y, Deviation: 1}},
		"too few values":            {{Axes: []int{1}, Values: y[:2], Deviation: 1}},
		"no noise":                  {{Values: y[:1]}},
		"noise without bound":       {{Values: y[:1], Deviation: math.Inf(1)}},
	} {
		if _, _, err := Consistent(y, 1, shape, margins); err == nil {
			t.Errorf("%s: accepted", what)
		}
	}
	if _, _, err := Consistent(y[:5], 1, shape, nil); err == nil {
		t.Error("five values for six cells: accepted")
	}
}
