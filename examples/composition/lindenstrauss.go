package main

import (
	"math"

	"github.com/dprelease/dprelease/internal/special"
)

// # The Johnson–Lindenstrauss mechanism
//
// It answers cuts of a graph (Blocki, Blum, Datta & Sheffet 2012; Kairouz et al. 2017, Appendix D). It scales the
// weights of the graph by 1 - w/n and adds w/n to every pair of the n nodes. Then it releases r random combinations of
// the rows of the edges: Gaussian vectors whose covariance is the Laplacian of the new graph.
//
// If the weight of one edge changes by at most 1, the two covariances differ by at most t·b·b' with t = 1 - w/n and b =
// e_u - e_v. In the coordinates in which one of them is the identity, they differ along one line, by a factor of at
// most
//
//	1 + lambda,  lambda = t·b'·L⁺·b <= t·2/w,
//
// because the Laplacian is at least w on all vectors whose sum is 0. Only the sum of the squares of r numbers along
// that line distinguishes the graphs: it is chi-square with r degrees of freedom for one graph, and 1 + lambda times
// that for the other. The release program does not use this mechanism. It is here for comparison only.

// lindenstrauss holds the parameters of the mechanism: n (nodes), r (rows) and w (weight).
type lindenstrauss struct {
	nodes, rows int
	weight      float64
}

// lambda returns the largest fraction by which the variances along that line can differ.
func (j lindenstrauss) lambda() float64 { return 2/j.weight - 2/float64(j.nodes) }

// delta returns the smallest delta for which the mechanism is (eps, delta)-private.
func (j lindenstrauss) delta(eps float64) float64 { return chiSquareDelta(j.rows, j.lambda(), eps) }

// chiSquareDelta returns the larger of the two hockey-stick divergences at e^eps between a chi-square variable of r
// degrees of freedom and one that is 1 + lambda times as large. The privacy loss of the larger variable against the
// smaller at x is x·lambda/(2(1+lambda)) - (r/2)·ln(1+lambda).
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

// accuracy returns the eta for which r rows estimate a cut within a factor 1 ± eta, except with probability nu: r =
// 8·ln(2/nu)/eta².
func accuracy(r int, nu float64) float64 { return math.Sqrt(8 * math.Log(2/nu) / float64(r)) }

// proven returns the weight w that the algorithm in the appendix uses, with its errors corrected:
// 4·sqrt(4·r·ln(2/delta))·ln(4r/delta)/eps.
func proven(r int, eps, delta float64) float64 {
	n := float64(r)
	return 4 * math.Sqrt(4*n*math.Log(2/delta)) * math.Log(4*n/delta) / eps
}

// exact returns the smallest sufficient weight w for n nodes. It solves delta(eps) = delta for lambda by bisection.
func exact(n, r int, eps, delta float64) float64 {
	low, high := 0.0, 1.0 // bounds of lambda
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
