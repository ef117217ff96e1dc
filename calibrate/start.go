package calibrate

import "math"

// What is here only steers: a wrong value costs time, never safety.

// roughQuantile is z with 1 - Phi(z) = p, within 5e-4, for 0 < p < 1 (Abramowitz & Stegun 26.2.23).
func roughQuantile(p float64) float64 {
	if p > 0.5 {
		return -roughQuantile(1 - p)
	}
	t := math.Sqrt(-2 * math.Log(p))
	return t - (2.515517+t*(0.802853+t*0.010328))/(1+t*(1.432788+t*(0.189269+t*0.001308)))
}

// roughMills is R(x), x > -1, within a few per cent.
func roughMills(x float64) float64 { return 4 / (3*x + math.Sqrt(x*x+8)) }

// roughShare is 1 - R(x + mu)/R(x): delta(epsilon) over Phi(-x).
func roughShare(x, mu float64) float64 {
	if mu < 1e-3 {
		return mu * (1/roughMills(x) - x)
	}
	return 1 - roughMills(x+mu)/roughMills(x)
}

// muAt is the mu at which eps/mu - mu/2 = x: the positive root, without cancellation.
func muAt(eps, x float64) float64 {
	root := math.Sqrt(x*x + 2*eps)
	if x > 0 {
		return 2 * eps / (x + root)
	}
	return root - x
}

// startMu is near the mu with delta(eps) = delta. Lower bounds on it are muAt of the quantile of delta, since
// delta(eps) <= Phi(-x), and sqrt(2 pi)·delta, since delta(eps) <= delta(0) <= mu/sqrt(2 pi).
func startMu(eps, delta float64) float64 {
	if delta > 0.5 { // Phi(x) <= 1 - delta(eps) <= 2·Phi(x)
		return muAt(eps, -roughQuantile((1-delta)/2))
	}
	mu := math.Max(muAt(eps, roughQuantile(delta)), 2.5*delta)
	for range 3 {
		p := delta / roughShare(eps/mu-mu/2, mu)
		if !(p > 0 && p < 0.5) {
			break
		}
		mu = math.Max(mu, muAt(eps, roughQuantile(p)))
	}
	return mu
}

// startX is near the x = eps/mu - mu/2 with delta(eps) = delta.
func startX(delta, mu float64) float64 {
	x := math.Max(roughQuantile(delta), -mu/2)
	for range 3 {
		p := delta / roughShare(x, mu)
		if !(x > -1 && p > 0 && p < 0.5) {
			break
		}
		x = math.Max(roughQuantile(p), -mu/2)
	}
	return x
}
