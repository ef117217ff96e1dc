package graph

import "fmt"

// operator is a sparse matrix, stored by rows.
type operator struct {
	columns int
	start   []int
	col     []int32
	val     []float64
}

// DenseError means that a trend filter of this order needs too much memory on this graph.
type DenseError struct {
	K int
	// Entries is how many entries the factor has at least, which is above the limit Most.
	Entries, Most int
}

// Error states the numbers and what to do.
func (e *DenseError) Error() string {
	return fmt.Sprintf("trend filtering with k = %d needs a factor of over %d numbers on this graph, at least %d: use k = 0",
		e.K, e.Most, e.Entries)
}

// mostEntries limits a factor to 1.6 GB.
const mostEntries = 1 << 27

func (a *operator) rows() int { return len(a.start) - 1 }

func (a *operator) row(r int) ([]int32, []float64) {
	from, to := a.start[r], a.start[r+1]
	return a.col[from:to], a.val[from:to]
}

func (a *operator) squaredNorm(r int) (sum float64) {
	_, val := a.row(r)
	for _, v := range val {
		sum += float64(v * v)
	}
	return sum
}

// apply sets out to A·x.
func (a *operator) apply(x, out []float64) {
	for r := range a.rows() {
		col, val := a.row(r)
		var sum float64
		for k, c := range col {
			sum += float64(val[k] * x[c])
		}
		out[r] = sum
	}
}

// applyBack sets out to A'·v.
func (a *operator) applyBack(v, out []float64) {
	clear(out)
	for r := range a.rows() {
		col, val := a.row(r)
		for k, c := range col {
			out[c] += float64(val[k] * v[r])
		}
	}
}

// transpose returns A', stored by rows.
func (a *operator) transpose() *operator {
	t := &operator{columns: a.rows(), start: make([]int, a.columns+1)}
	t.col, t.val = make([]int32, len(a.col)), make([]float64, len(a.col))
	for _, c := range a.col {
		t.start[c+1]++
	}
	for c := range a.columns {
		t.start[c+1] += t.start[c]
	}
	next := append([]int(nil), t.start...)
	for r := range a.rows() {
		col, val := a.row(r)
		for k, c := range col {
			t.col[next[c]], t.val[next[c]] = int32(r), val[k]
			next[c]++
		}
	}
	return t
}

// laplacian returns D'D.
func laplacian(g *Graph) *operator {
	n := g.Nodes()
	a := &operator{columns: n, start: []int{0}}
	for i := range int32(n) {
		self := len(a.col)
		a.col, a.val = append(a.col, i), append(a.val, 0)
		for k, end := g.arcs(i); k < end; k++ {
			w := g.square[g.edge[k]]
			a.col, a.val = append(a.col, g.to[k]), append(a.val, -w)
			a.val[self] += w
		}
		a.start = append(a.start, len(a.col))
	}
	return a
}

// differences returns D·A for a matrix of n rows. It has one row per edge.
func differences(g *Graph, of *operator) *operator {
	a := &operator{columns: of.columns, start: []int{0}}
	at := make([]int, of.columns) // place of a column in the current row, plus 1; 0 if it is not in the row
	for e := range g.Edges() {
		first := len(a.col)
		for sign, i := range []int32{g.u[e], g.v[e]} {
			scale := float64(2*sign-1) * g.weight[e]
			col, val := of.row(int(i))
			for k, c := range col {
				if at[c] == 0 {
					a.col, a.val = append(a.col, c), append(a.val, 0)
					at[c] = len(a.col)
				}
				a.val[at[c]-1] += float64(scale * val[k])
			}
		}
		for _, c := range a.col[first:] {
			at[c] = 0
		}
		a.start = append(a.start, len(a.col))
	}
	return a
}

// permuted renames the columns: old[i] becomes i.
func (a *operator) permuted(old []int32) *operator {
	inverse := make([]int32, len(old))
	for i, c := range old {
		inverse[c] = int32(i)
	}
	out := &operator{columns: a.columns, start: a.start, col: make([]int32, len(a.col)), val: a.val}
	for k, c := range a.col {
		out.col[k] = inverse[c]
	}
	return out
}
