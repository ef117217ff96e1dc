package graph

import (
	"math"
	"math/bits"
)

// soft moves values towards 0 by t, in place; values that would pass 0 become 0. It returns the number of nonzero
// values afterwards.
func soft(c []float64, t float64) (df float64) {
	for i, v := range c {
		if math.Abs(v) > t {
			c[i] = v - math.Copysign(t, v)
			df++
		} else {
			c[i] = 0
		}
	}
	return df
}

// ShrinkLevels multiplies the Haar coefficients of node sets by a positive-part James–Stein factor for each level, in
// place, for noise of standard deviation s > 0. Level j has the sets of 2^j to 2^(j+1)−1 nodes. ShrinkLevels returns
// the divergence of the result: a level of N ≥ 3 coefficients with sum of squares S adds N − (N−2)²·s²/S, or 0 if its
// factor is 0.
func (d *Dendrogram) ShrinkLevels(detail []float64, s float64) (df float64) {
	var count, sum, factor [32]float64
	for k, v := range detail {
		level := bits.Len32(uint32(d.size[k]))
		u := v / s
		count[level]++
		sum[level] += float64(u * u)
	}
	for level, n := range count {
		factor[level] = 1
		if n > 2 {
			factor[level] = max(0, 1-(n-2)/sum[level])
		}
		if factor[level] > 0 {
			df += n
			if n > 2 {
				df -= (n - 2) * (n - 2) / sum[level]
			}
		}
	}
	for k := range detail {
		detail[k] *= factor[bits.Len32(uint32(d.size[k]))]
	}
	return df
}
