package denoise

// Exact estimates for one line of ordered cells, in linear time: least squares with a penalty on the total variation
// (chain.go), and least squares under the condition that no value falls (pool.go).

// run is a series of neighbouring cells that share one mean.
type run struct {
	sum   float64
	cells int
}

func (r run) mean() float64 { return r.sum / float64(r.cells) }

// pool replaces a line by the nearest nondecreasing one (by pool adjacent violators), in place. It returns the number
// of runs of equal values.
func pool(line []float64) int {
	var runs []run
	for _, v := range line {
		r := run{v, 1}
		for len(runs) > 0 && runs[len(runs)-1].mean() >= r.mean() {
			before := runs[len(runs)-1]
			r = run{r.sum + before.sum, r.cells + before.cells}
			runs = runs[:len(runs)-1]
		}
		runs = append(runs, r)
	}
	at := 0
	for _, r := range runs {
		for range r.cells {
			line[at] = r.mean()
			at++
		}
	}
	return len(runs)
}
