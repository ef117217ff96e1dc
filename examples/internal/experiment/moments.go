package experiment

import (
	"math"
	"math/rand/v2"
)

// Moments holds the number of values, their mean, and the sum of their squared differences from the mean (Welford
// 1962).
type Moments struct {
	N        int
	Mean, M2 float64
}

// Add adds a value.
func (m *Moments) Add(x float64) {
	m.N++
	d := x - m.Mean
	m.Mean += d / float64(m.N)
	m.M2 += d * (x - m.Mean)
}

// StdErr returns the standard error of the mean. It is 0 if there are fewer than two values.
func (m *Moments) StdErr() float64 {
	if m.N < 2 {
		return 0
	}
	return math.Sqrt(m.M2 / float64(m.N-1) / float64(m.N))
}

// Laplace draws a number from the Laplace distribution of scale b, whose density is e^(-|z|/b)/(2b).
func Laplace(r *rand.Rand, b float64) float64 {
	return b * (r.ExpFloat64() - r.ExpFloat64())
}

// Grid returns n numbers from a to b whose logarithms are equally spaced. a and b must be positive.
func Grid(a, b float64, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = a * math.Pow(b/a, float64(i)/float64(n-1))
	}
	return x
}

// Merge adds the values of another Moments (Chan, Golub & LeVeque 1983).
func (m *Moments) Merge(o Moments) {
	if o.N == 0 {
		return
	}
	n := m.N + o.N
	d := o.Mean - m.Mean
	m.Mean += d * float64(o.N) / float64(n)
	m.M2 += o.M2 + d*d*float64(m.N)*float64(o.N)/float64(n)
	m.N = n
}
