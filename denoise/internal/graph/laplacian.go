package graph

import (
	"fmt"
)

// DenseError means that a trend filter of this order needs too much memory on this graph.
type DenseError struct {
	K int
	// Entries is a lower bound on the number of entries of the Cholesky factor. It exceeds the limit Most.
	Entries, Most int
}

func (e *DenseError) Error() string {
	return fmt.Sprintf("trend filtering with k = %d needs a factor of over %d numbers on this graph, at least %d: use k "+
		"= 0",
		e.K, e.Most, e.Entries)
}

// laplacian returns D'D, the weighted Laplacian of the graph.
func laplacian(g *Graph) *Matrix {
	n := g.Nodes()
	a := &Matrix{Columns: n, Start: []int{0}}
	for i := range int32(n) {
		self := len(a.Col)
		a.Col, a.Val = append(a.Col, i), append(a.Val, 0)
		for k, end := g.arcs(i); k < end; k++ {
			w := g.square[g.edge[k]]
			a.Col, a.Val = append(a.Col, g.to[k]), append(a.Val, -w)
			a.Val[self] += w
		}
		a.Start = append(a.Start, len(a.Col))
	}
	return a
}

// differences returns the product D·A for the matrix A = of, which has one row per node. D has one row per edge (see
// TrendFilter), and so has the result.
func differences(g *Graph, of *Matrix) *Matrix {
	a := &Matrix{Columns: of.Columns, Start: []int{0}}
	at := make([]int, of.Columns) // 1 plus the index of a column in the current row, or 0 if it is not in the row
	for e := range g.Edges() {
		first := len(a.Col)
		for sign, i := range []int32{g.u[e], g.v[e]} {
			scale := float64(2*sign-1) * g.weight[e]
			col, val := of.Row(int(i))
			for k, c := range col {
				if at[c] == 0 {
					a.Col, a.Val = append(a.Col, c), append(a.Val, 0)
					at[c] = len(a.Col)
				}
				a.Val[at[c]-1] += float64(scale * val[k])
			}
		}
		for _, c := range a.Col[first:] {
			at[c] = 0
		}
		a.Start = append(a.Start, len(a.Col))
	}
	return a
}
