package denoise

// Isotonic returns the nearest vector, by the sum of squares, that never falls (or, if decreasing is set, never rises)
// along the one ordered dimension of the shape. It replaces each run of cells that breaks the order by its mean. DF is
// the number of runs. If the true means have the order, the result is never farther from them than y. y is not changed.
// The time is O(d).
//
// Source: Ayer, Brunk, Ewing, Reid & Silverman, Annals of Mathematical Statistics 26, 1955; the degrees of freedom:
// Meyer & Woodroofe, Annals of Statistics 28, 2000.
func Isotonic(y []float64, shape Shape, decreasing bool) (Fit, error) {
	axis, err := shape.line(len(y))
	if err != nil {
		return Fit{}, err
	}
	return fitScaled(y, max(maxAbs(y), 1), func(v scaled) Fit {
		f := Fit{X: make([]float64, len(y))}
		values := make([]float64, shape.Dims[axis])
		shape.lines(axis, func(cells []int) {
			if decreasing {
				cells = reversed(cells)
			}
			gather(v.y, cells, values)
			f.DF += float64(pool(values))
			scatter(values, cells, f.X)
		})
		return f
	}), nil
}

func reversed(cells []int) []int {
	out := make([]int, len(cells))
	for i, c := range cells {
		out[len(cells)-1-i] = c
	}
	return out
}
