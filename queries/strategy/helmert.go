package strategy

import (
	"math"
	"math/big"

	"github.com/dprelease/dprelease/internal/mechanism/int128"
)

// Integer contrasts of an attribute
//
// The Helmert contrasts of an attribute of d values are the d − 1 rows
//
//	h_j = (1, …, 1, −j, 0, …, 0),  j = 1, …, d − 1,  with j ones.
//
// They are orthogonal to each other and to the row of ones, with h_j·h_j = j(j + 1). If all rows have the same norm,
// the same noise suits all of them. So row j is multiplied by c_j, the integer nearest to 2^b/sqrt(j(j+1)). All entries
// stay integers, and each row has the norm 2^b, except for the rounding of c_j. Sensitivities and variances are
// computed from the rounded rows, so they include this rounding.

// contrasts holds the scaled Helmert contrasts of an attribute with size values.
type contrasts struct {
	size  int
	bits  int     // b
	scale []int64 // c_j of row j; scale[0] is not used
}

// newContrasts returns the contrasts of an attribute with size values, at least 1, scaled to the norm 2^bits.
func newContrasts(size, bits int) contrasts {
	c := contrasts{size: size, bits: bits, scale: make([]int64, size)}
	for j := 1; j < size; j++ {
		c.scale[j] = max(1, int64(math.Round(math.Ldexp(1, bits)/math.Sqrt(float64(j)*float64(j+1)))))
	}
	return c
}

// ranges returns the range of the inner product of a column with itself (alike), and of two different columns (unlike),
// exactly, in units of 2^(−2b). Without the rounding of c_j these products would be 1 − 1/d and −1/d.
func (c contrasts) ranges() (alike, unlike interval) {
	later := new(big.Int)
	for v := c.size - 1; v >= 0; v-- {
		own := big.NewInt(c.scale[v])
		if own.Mul(own, own); v == 0 {
			own.SetInt64(0)
		}
		product := new(big.Int).Mul(own, big.NewInt(int64(v)))
		alike = alike.with(new(big.Int).Add(later, new(big.Int).Mul(product, big.NewInt(int64(v)))))
		if v > 0 { // the product with each column u < v
			unlike = unlike.with(new(big.Int).Sub(later, product))
		}
		later.Add(later, own)
	}
	return alike, unlike
}

// decoded returns the largest variance of a value that decode returns, if each coordinate has noise of variance 2^(2b).
// It is the maximum over the values v of sum_j (h_j(v)/(c_j·j(j+1)))²·2^(2b). Without the rounding of c_j it would be 1
// − 1/d for each value.
func (c contrasts) decoded() float64 {
	largest, later := 0.0, 0.0
	for v := c.size - 1; v >= 0; v-- {
		own := 0.0
		if v > 0 {
			own = math.Ldexp(1, c.bits) / (float64(c.scale[v]) * float64(v) * float64(v+1))
			own *= own
		}
		largest = max(largest, float64(v)*float64(v)*own+later)
		later += own
	}
	return largest * (1 + 0x1p-40) // to cover the rounding errors of the sums
}

// apply replaces the d values along an axis of a table by the d − 1 contrasts h_j·x. The factors c_j are not yet
// applied. inner is the stride of the axis: two neighbouring values along it are inner numbers apart in x.
func (c contrasts) apply(x int128.Slice, inner int) int128.Slice {
	rows := c.size - 1
	out := int128.Make(x.Len() / c.size * rows)
	for block := range x.Len() / (c.size * inner) {
		for i := range inner {
			from, to := block*c.size*inner+i, block*rows*inner+i
			sum := x.At(from) // the sum of the values 0 to j − 1
			for j := 1; j < c.size; j++ {
				v := x.At(from + j*inner)
				out.Set(to+(j-1)*inner, sum.Sub(v.Times(int64(j))))
				sum = sum.Add(v)
			}
		}
	}
	return out
}

// decode inverts the scaled contrasts: from the d − 1 coordinates y_j along an axis it computes d values that sum to 0.
// With g_j = y_j/(c_j·j(j+1)), value v is sum_{j>v} g_j − v·g_v. inner is the stride of the axis.
func (c contrasts) decode(y []float64, inner int) []float64 {
	rows := c.size - 1
	out := make([]float64, len(y)/rows*c.size)
	for block := range len(y) / (rows * inner) {
		for i := range inner {
			from, to := block*rows*inner+i, block*c.size*inner+i
			later := 0.0
			for j := rows; j >= 1; j-- {
				g := y[from+(j-1)*inner] / (float64(c.scale[j]) * float64(j) * float64(j+1))
				out[to+j*inner] = later - float64(j)*g
				later += g
			}
			out[to] = later
		}
	}
	return out
}

// spread applies the transpose of decode: it converts weights of the d values along an axis to weights of the d − 1
// coordinates. The weighted sum of decoded values is then the weighted sum of coordinates. inner is the stride of the
// axis.
func (c contrasts) spread(w []float64, inner int) []float64 {
	rows := c.size - 1
	out := make([]float64, len(w)/c.size*rows)
	for block := range len(w) / (c.size * inner) {
		for i := range inner {
			from, to := block*c.size*inner+i, block*rows*inner+i
			before := w[from]
			for j := 1; j <= rows; j++ {
				x := w[from+j*inner]
				out[to+(j-1)*inner] = (before - float64(j)*x) / (float64(c.scale[j]) * float64(j) * float64(j+1))
				before += x
			}
		}
	}
	return out
}
