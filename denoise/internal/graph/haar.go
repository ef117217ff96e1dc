package graph

import "math"

// coefficients is a signal in the orthonormal Haar basis of a dendrogram.
type coefficients struct {
	// Detail[k] is √(|A||B|/(|A|+|B|))·(mean over A − mean over B) for the halves A (left) and B of set k.
	Detail []float64
	// Mean[c] is the mean of component c. The coefficient of the constant basis vector would be √size times as large, with
	// the number of nodes as size.
	Mean []float64
}

// forward computes the Haar coefficients of a signal y with one value per node, in O(n).
func (d *Dendrogram) forward(y []float64) coefficients {
	c := coefficients{make([]float64, len(d.left)), make([]float64, len(d.root))}
	mean := make([]float64, len(d.left))
	value := func(reference int32) float64 {
		if int(reference) < d.n {
			return y[reference]
		}
		return mean[int(reference)-d.n]
	}
	for k := len(d.left) - 1; k >= 0; k-- {
		all, a := float64(d.size[k]), float64(d.leftSize[k])
		b := all - a
		left, right := value(d.left[k]), value(d.right[k])
		c.Detail[k] = math.Sqrt(a/all*b) * (left - right)
		mean[k] = right + float64(a/all*(left-right))
	}
	for i, r := range d.root {
		c.Mean[i] = value(r)
	}
	return c
}

// Inverse reverses forward, and writes the values of all nodes to x.
func (d *Dendrogram) Inverse(c coefficients, x []float64) {
	mean := make([]float64, len(d.left))
	put := func(reference int32, v float64) {
		if int(reference) < d.n {
			x[reference] = v
		} else {
			mean[int(reference)-d.n] = v
		}
	}
	for i, r := range d.root {
		put(r, c.Mean[i])
	}
	for k := range d.left {
		all, a := float64(d.size[k]), float64(d.leftSize[k])
		b := all - a
		scaled := math.Sqrt(a/all*b) * c.Detail[k]
		put(d.left[k], mean[k]+float64(scaled/a))
		put(d.right[k], mean[k]-float64(scaled/b))
	}
}
