package denoise

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestTotalVariationGolden compares with solutions that were certified by their duals in extended precision.
func TestTotalVariationGolden(t *testing.T) {
	y := numbers(t, golden(t, "tv_path100.csv")["y"])
	for _, c := range []struct{ lambda, df float64 }{{5, 87}, {40, 28}, {120, 17}} {
		f, err := TotalVariation(y, Line(len(y)), c.lambda)
		if err != nil {
			t.Fatal(err)
		}
		name := fmt.Sprintf("tv_path100_lam%v.csv", c.lambda)
		near(t, name, f.X, numbers(t, golden(t, name)["x"]))
		near(t, name, []float64{f.DF}, []float64{c.df})
	}
}

// Eight cells have the classical basis, here thresholded at s·sqrt(2·ln 8) with s = 40.
func TestHaarGolden(t *testing.T) {
	y := numbers(t, golden(t, "wavelet_path8.tree.csv")["y"])
	f, err := Haar(y, 40, Line(8), Wavelet{Rule: Universal})
	if err != nil {
		t.Fatal(err)
	}
	near(t, "eight cells", f.X, numbers(t, golden(t, "wavelet_path8.soft_universal.csv")["x"]))
}

func draw(t *rapid.T, n int) []float64 {
	return rapid.SliceOfN(rapid.Float64Range(-100, 100), n, n).Draw(t, "y")
}

// TestInvariantHaarIsTheAverageOverShifts compares with the definition: the average over all positions of the cells on
// a line of twice a power of two, whose other cells do not exist.
func TestInvariantHaarIsTheAverageOverShifts(t *testing.T) {
	const n, s, threshold = 6, 1.0, 1.3
	y := []float64{3, -1, 4, 1, -5, 9}
	want := make([]float64, n)
	for shift := range 8 {
		x := shifted(y, shift, 16, threshold)
		for i, v := range x {
			want[i] += v / 8
		}
	}
	f, err := Haar(y, s, Line(n), Wavelet{Rule: Fixed, Threshold: threshold, Invariant: true})
	if err != nil {
		t.Fatal(err)
	}
	near(t, "average", f.X, want)
}

// shifted thresholds the differences of halves of a block that begins shift cells before the first of y.
func shifted(y []float64, shift, size int, threshold float64) []float64 {
	out := make([]float64, len(y))
	var split func(from, size int, level float64)
	mean := func(from, size int) (m, cells float64) {
		for i := max(from, 0); i < min(from+size, len(y)); i++ {
			m += y[i]
			cells++
		}
		return m / cells, cells
	}
	split = func(from, size int, level float64) {
		_, cells := mean(from, size)
		if cells == 0 {
			return
		}
		if size == 1 {
			out[from] = level
			return
		}
		left, a := mean(from, size/2)
		right, b := mean(from+size/2, size/2)
		if a == 0 || b == 0 {
			split(from, size/2, level)
			split(from+size/2, size/2, level)
			return
		}
		k := math.Sqrt(a * b / (a + b))
		d := k * SoftThreshold([]float64{k * (left - right)}, threshold)[0]
		split(from, size/2, level+d/a)
		split(from+size/2, size/2, level-d/b)
	}
	all, _ := mean(-shift, size)
	split(-shift, size, all)
	return out
}

// TestDegreesOfFreedom compares with the divergence by differences, if no cell is about to change sides.
func TestDegreesOfFreedom(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 11))
	shape := Shape{[]int{2, 9}, []bool{false, true}}
	grid := Shape{[]int{3, 6}, []bool{true, true}}
	line := Line(18)
	fits := map[string]func(y []float64) (Fit, error){
		"plain James-Stein": func(y []float64) (Fit, error) { return JamesSteinTo(y, 1, 0.5, false), nil },
		"Lindley":           func(y []float64) (Fit, error) { return Lindley(y, 1, true), nil },
		"Bayes":             func(y []float64) (Fit, error) { return Bayes(y, 1, 2, 3), nil },
		"Bayes to mean":     func(y []float64) (Fit, error) { return BayesMean(y, 1, 3), nil },
		"soft":              func(y []float64) (Fit, error) { return softFit(y, 1), nil },
		"total":             func(y []float64) (Fit, error) { return Total(y, 10, false), nil },
		"simplex":           func(y []float64) (Fit, error) { return Total(y, 10, true), nil },
		"isotonic":          func(y []float64) (Fit, error) { return Isotonic(y, shape, true) },
		"variation":         func(y []float64) (Fit, error) { return TotalVariation(y, shape, 0.7) },
		"Haar":              func(y []float64) (Fit, error) { return Haar(y, 1, grid, Wavelet{Rule: Universal}) },
		"invariant Haar": func(y []float64) (Fit, error) {
			return Haar(y, 1, shape, Wavelet{Rule: Fixed, Threshold: 1, Invariant: true})
		},
		"Haar by level": func(y []float64) (Fit, error) { return Haar(y, 1, line, Wavelet{Rule: Level}) },
	}
	for name, fit := range fits {
		for range 5 {
			y := make([]float64, 18)
			for i := range y {
				y[i] = 1 + 3*r.NormFloat64()
			}
			checkDivergence(t, name, y, fit)
		}
	}
}

func checkDivergence(t *testing.T, name string, y []float64, fit func([]float64) (Fit, error)) {
	t.Helper()
	const step = 1e-6
	var divergence float64
	for i := range y {
		up, down := slices.Clone(y), slices.Clone(y)
		up[i] += step
		down[i] -= step
		a, errA := fit(up)
		b, errB := fit(down)
		if errA != nil || errB != nil {
			t.Fatal(name, errA, errB)
		}
		divergence += (a.X[i] - b.X[i]) / (2 * step)
	}
	if f, err := fit(y); err != nil || math.Abs(f.DF-divergence) > 1e-6*float64(len(y)) {
		t.Errorf("%s: %v degrees of freedom, %v by differences, %v", name, f.DF, divergence, err)
	}
}
