package denoise

import "math"

// skyline is a symmetric matrix of which row i stores the columns first[i] to i. The columns before first[i] are 0, and
// stay 0 in the Cholesky factor.
type skyline struct {
	first  []int
	start  []int // index in values at which each row begins
	values []float64
}

func newSkyline(first []int) *skyline {
	m := &skyline{first: first, start: make([]int, len(first)+1)}
	for i, f := range first {
		m.start[i+1] = m.start[i] + i - f + 1
	}
	m.values = make([]float64, m.start[len(first)])
	return m
}

func (m *skyline) row(i int) []float64 { return m.values[m.start[i]:m.start[i+1]] }

// factor replaces the matrix by its Cholesky factor. If a pivot is not positive because of rounding errors, factor uses
// a huge pivot instead, which makes this unknown 0.
func (m *skyline) factor() {
	const huge, lost = 1e150, 1e-14
	for i := range m.first {
		row := m.row(i)
		last := len(row) - 1
		diagonal := row[last]
		for k := range last {
			j := m.first[i] + k
			other := m.row(j)
			from := max(m.first[i], m.first[j])
			row[k] -= dot(row[from-m.first[i]:k], other[from-m.first[j]:])
			row[k] /= other[len(other)-1]
		}
		pivot := diagonal - dot(row[:last], row[:last])
		if !(pivot > lost*diagonal) {
			pivot = huge
		}
		row[last] = math.Sqrt(pivot)
	}
}

// solve replaces the right-hand side b by the solution, and returns it. Call factor first.
func (m *skyline) solve(b []float64) []float64 {
	for i := range m.first {
		row := m.row(i)
		last := len(row) - 1
		b[i] = (b[i] - dot(row[:last], b[m.first[i]:])) / row[last]
	}
	for i := len(m.first) - 1; i >= 0; i-- {
		row := m.row(i)
		last := len(row) - 1
		b[i] /= row[last]
		for k := range last {
			b[m.first[i]+k] -= float64(row[k] * b[i])
		}
	}
	return b
}

// dot returns the inner product of a and the first items of b.
func dot(a, b []float64) float64 {
	var sum float64
	for i, v := range a {
		sum += float64(v * b[i])
	}
	return sum
}
