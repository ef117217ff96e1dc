package main

import (
	"math"

	"github.com/dprelease/dprelease/internal/special"
)

// The Johnson–Lindenstrauss mechanism for cuts (Blocki, Blum, Datta & Sheffet 2012; Kairouz et al. 2017, Appendix D) adds w/n to
// every pair of the n nodes, whose weights it scales by 1 - w/n, and releases r random combinations of the edges' rows:
// Gaussian vectors whose covariance is the Laplacian of that graph. If one edge's weight changes by at most 1, the two
// covariances differ by at most t·b·b', t = 1 - w/n, b = e_u - e_v; in the coordinates in which one of them is the identity
// they differ along one line, by a factor of at most
//
//	1 + lambda,  lambda = t·b'·L⁺·b <= t·2/w,
//
// since the Laplacian is at least w on all vectors whose sum is 0. Only the sum of the squares of r numbers along that line
// tells the graphs apart: chi-square against 1 + lambda times a chi-square, of r degrees of freedom. Everything here is for
// the comparison with other mechanisms: it is outside of what the project releases with.

// lindenstrauss is a setting of the mechanism.
type lindenstrauss struct {
	nodes, rows int
	weight      float64
}

// lambda is the largest excess of variance.
func (j lindenstrauss) lambda() float64 { return 2/j.weight - 2/float64(j.nodes) }

// delta is the least delta at eps: the larger of both directions, by Neyman & Pearson.
func (j lindenstrauss) delta(eps float64) float64 { return chiSquareDelta(j.rows, j.lambda(), eps) }

// chiSquareDelta is the larger of the two hockey-stick divergences at e^eps of chi-square variables of r degrees of freedom, one of
// them 1 + lambda times as large. The loss of the larger against the smaller at x is x·lambda/(2(1+lambda)) - (r/2)·ln(1+lambda).
func chiSquareDelta(r int, lambda, eps float64) float64 {
	a, big := float64(r)/2, 1+lambda
	shift := a * math.Log1p(lambda)
	scale := 2 * big / lambda
	above, below := scale*(shift+eps), scale*(shift-eps)
	return max(
		special.GammaTail(a, above/2/big)-math.Exp(eps)*special.GammaTail(a, above/2),
		special.GammaShare(a, below/2)-math.Exp(eps)*special.GammaShare(a, below/2/big),
		0)
}

// accuracy is the eta for which r rows keep a cut within a factor 1 ± eta but for a probability of nu: r = 8·ln(2/nu)/eta².
func accuracy(r int, nu float64) float64 { return math.Sqrt(8 * math.Log(2/nu) / float64(r)) }

// proven is the weight of the appendix's box with its errors mended: 4·sqrt(4·r·ln(2/delta))·ln(4r/delta)/eps.
func proven(r int, eps, delta float64) float64 {
	n := float64(r)
	return 4 * math.Sqrt(4*n*math.Log(2/delta)) * math.Log(4*n/delta) / eps
}

// exact is the least weight for n nodes: the root of the exact delta, by bisection for lambda.
func exact(n, r int, eps, delta float64) float64 {
	low, high := 0.0, 1.0 // of lambda
	for chiSquareDelta(r, high, eps) < delta {
		high *= 2
	}
	for range 200 {
		middle := (low + high) / 2
		if chiSquareDelta(r, middle, eps) <= delta {
			low = middle
		} else {
			high = middle
		}
	}
	return 2 / (low + 2/float64(n))
}
