package graph

import "fmt"

// These files factor I + A'WA for a sparse matrix A and a diagonal matrix W that changes. MinimumDegree orders the
// columns so that the factor is sparse (mindegree.go). newFactor finds the factor's pattern once, and Compute its
// values for each W (factor.go).

// Matrix is a sparse matrix, stored by rows.
type Matrix struct {
	Columns int
	// Row r has the columns Col[Start[r]:Start[r+1]], in any order, and the values Val at the same indices.
	Start []int
	Col   []int32
	Val   []float64
}

// sizeError means that a Cholesky factor would have more than maxEntries entries.
type sizeError struct{ Entries int }

func (e *sizeError) Error() string { return fmt.Sprintf("a factor of at least %d entries", e.Entries) }

// maxEntries limits a Cholesky factor to 1.6 GB.
const maxEntries = 1 << 27

// Rows returns the number of rows.
func (a *Matrix) Rows() int { return len(a.Start) - 1 }

// Row returns the columns and values of row r.
func (a *Matrix) Row(r int) ([]int32, []float64) {
	from, to := a.Start[r], a.Start[r+1]
	return a.Col[from:to], a.Val[from:to]
}

// SquaredNorm returns the sum of the squares of the values in row r.
func (a *Matrix) SquaredNorm(r int) (sum float64) {
	_, val := a.Row(r)
	for _, v := range val {
		sum += float64(v * v)
	}
	return sum
}

// Apply sets out to A·x.
func (a *Matrix) Apply(x, out []float64) {
	for r := range a.Rows() {
		col, val := a.Row(r)
		var sum float64
		for k, c := range col {
			sum += float64(val[k] * x[c])
		}
		out[r] = sum
	}
}

// ApplyBack sets out to A'·v.
func (a *Matrix) ApplyBack(v, out []float64) {
	clear(out)
	for r := range a.Rows() {
		col, val := a.Row(r)
		for k, c := range col {
			out[c] += float64(val[k] * v[r])
		}
	}
}

// transpose returns A', stored by rows.
func (a *Matrix) transpose() *Matrix {
	t := &Matrix{Columns: a.Rows(), Start: make([]int, a.Columns+1)}
	t.Col, t.Val = make([]int32, len(a.Col)), make([]float64, len(a.Col))
	for _, c := range a.Col {
		t.Start[c+1]++
	}
	for c := range a.Columns {
		t.Start[c+1] += t.Start[c]
	}
	next := append([]int(nil), t.Start...)
	for r := range a.Rows() {
		col, val := a.Row(r)
		for k, c := range col {
			t.Col[next[c]], t.Val[next[c]] = int32(r), val[k]
			next[c]++
		}
	}
	return t
}

// Permuted returns the matrix with its columns reordered: column old[i] becomes column i.
func (a *Matrix) Permuted(old []int32) *Matrix {
	inverse := make([]int32, len(old))
	for i, c := range old {
		inverse[c] = int32(i)
	}
	out := &Matrix{Columns: a.Columns, Start: a.Start, Col: make([]int32, len(a.Col)), Val: a.Val}
	for k, c := range a.Col {
		out.Col[k] = inverse[c]
	}
	return out
}
