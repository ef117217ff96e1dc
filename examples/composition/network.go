package main

import (
	"math/rand/v2"
)

// network is a weighted graph on n nodes, with a weight for each pair u < v.
type network struct {
	n     int
	pairs []float64
}

// communities returns an invented graph of two groups of equal size. Edges have weight 1. Their probability is 0.3
// within a group and 0.05 between the groups.
func communities(r *rand.Rand, n int) network {
	g := network{n, make([]float64, n*(n-1)/2)}
	i := 0
	for u := range n {
		for v := u + 1; v < n; v++ {
			p := 0.05
			if (u < n/2) == (v < n/2) {
				p = 0.3
			}
			if r.Float64() < p {
				g.pairs[i] = 1
			}
			i++
		}
	}
	return g
}

// cut returns the total weight of the edges between a set of nodes and all other nodes.
func (g network) cut(in []bool) float64 { return cutOf(g.n, g.pairs, in) }

func cutOf(n int, pairs []float64, in []bool) (sum float64) {
	i := 0
	for u := range n {
		for v := u + 1; v < n; v++ {
			if in[u] != in[v] {
				sum += pairs[i]
			}
			i++
		}
	}
	return sum
}

// degrees returns for each node the total weight of its edges.
func degrees(n int, pairs []float64) []float64 {
	d := make([]float64, n)
	i := 0
	for u := range n {
		for v := u + 1; v < n; v++ {
			d[u] += pairs[i]
			d[v] += pairs[i]
			i++
		}
	}
	return d
}

// project releases the graph by the Johnson–Lindenstrauss mechanism, as r rows of n numbers.
func (j lindenstrauss) project(r *rand.Rand, g network) [][]float64 {
	rows := make([][]float64, j.rows)
	share := j.weight / float64(j.nodes)
	for k := range rows {
		row := make([]float64, g.n)
		i := 0
		for u := range g.n {
			for v := u + 1; v < g.n; v++ {
				z := r.NormFloat64() * root(share+(1-share)*g.pairs[i])
				row[u] += z
				row[v] -= z
				i++
			}
		}
		rows[k] = row
	}
	return rows
}

// cut estimates a cut from a release: the mean of the squared sums of the rows over the set, minus what the added
// weight contributes.
func (j lindenstrauss) cut(rows [][]float64, in []bool) float64 {
	squares, size := 0.0, 0.0
	for _, row := range rows {
		sum := 0.0
		for u, x := range row {
			if in[u] {
				sum += x
			}
		}
		squares += sum * sum
	}
	for _, x := range in {
		if x {
			size++
		}
	}
	share := j.weight / float64(j.nodes)
	return (squares/float64(j.rows) - share*size*(float64(j.nodes)-size)) / (1 - share)
}

// noisyPairs returns the weights of all pairs with independent Gaussian noise.
func noisyPairs(r *rand.Rand, g network, sigma float64) []float64 {
	y := make([]float64, len(g.pairs))
	for i, x := range g.pairs {
		y[i] = x + sigma*r.NormFloat64()
	}
	return y
}

// agreeing returns the least-squares estimate of the pairs' weights from noisy weights y and noisy degrees z. rho is
// the variance of the degrees divided by the variance of the pairs. With B the incidence matrix, x = y + B'(rho·I +
// B·B')⁻¹(z - B·y), and B·B' = (n-2)·I + 1·1'.
func agreeing(n int, y, z []float64, rho float64) []float64 {
	d := degrees(n, y)
	a := rho + float64(n) - 2
	total := 0.0
	g := make([]float64, n)
	for u := range g {
		g[u] = z[u] - d[u]
		total += g[u]
	}
	for u := range g {
		g[u] = (g[u] - total/(a+float64(n))) / a
	}
	x := make([]float64, len(y))
	i := 0
	for u := range n {
		for v := u + 1; v < n; v++ {
			x[i] = y[i] + g[u] + g[v]
			i++
		}
	}
	return x
}
