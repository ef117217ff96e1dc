package calibrate_test

import (
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/dprelease/dprelease/calibrate"
)

// This file computes the numbers of docs/adr/0044: how many keys a selection finds with different weights of a unit's
// keys. All selections have the same mu and the same part of delta. A unit has at most L keys.
//
//	counts    each key of a unit gets the weight 1, and the noisy counts are published
//	degrees   the weights of calibrate.KeySelection: each key of a unit with d <= L keys gets the largest weight that
//	          the noise for counts allows, sqrt(L/d) or a little less
//	adaptive  in addition to degrees, the weight of a frequent key above a multiple of the threshold is returned to its
//	          units, which spread a part of it over all of their keys (Chen et al., ICML 2025)
//	two       degrees in two rounds; the second round omits keys that the first one found, and keys that it is
//	          unlikely to find after the first one (hopeless)

// keyLists draws the keys of units. The number of keys of a unit is geometric, limited to maxKeys. Keys follow Zipf's
// law.
func keyLists(r *rand.Rand, units, keys, maxKeys int, mean, exponent float64) [][]int {
	z := rand.NewZipf(r, exponent, 4, uint64(keys-1))
	out := make([][]int, units)
	for i := range out {
		n := 1
		for n < maxKeys && r.Float64() > 1/mean {
			n++
		}
		seen := map[int]bool{}
		for range 20 * n {
			if k := int(z.Uint64()); len(seen) < n && !seen[k] {
				seen[k] = true
				out[i] = append(out[i], k)
			}
		}
	}
	return out
}

// tailQuantile returns z with (Phi(z))^t = 1 - failure.
func tailQuantile(t int, failure float64) float64 {
	return math.Sqrt2 * math.Erfcinv(-2*math.Expm1(math.Log1p(-failure)/float64(t)))
}

// selection is a threshold for sums of weights whose L2 norm is at most sqrt(most) for each unit.
type selection struct {
	most             int
	sigma, threshold float64
	weight           []float64 // weight[d] is the weight of each key of a unit with d keys
}

// newSelection returns the selection with the threshold and the noise of counts for this mu, and with the largest
// weights that both allow.
func newSelection(most int, mu, failure float64) selection {
	s := selection{most: most, sigma: math.Sqrt(float64(most)) / mu, weight: make([]float64, most+1)}
	s.threshold = 1 + s.sigma*tailQuantile(most, failure)
	weights, err := calibrate.KeySelection{Keys: int64(most), Failure: calibrate.Delta(failure), Weighted: true,
		Mechanism: calibrate.Mechanism{Query: "keys", Sens: calibrate.Sensitivity{L2: math.Sqrt(float64(most)) * (1 + 1e-15)},
			Sigma: calibrate.Sigma(s.sigma), Grid: 0x1p-20}}.Weights()
	if err != nil {
		panic(err)
	}
	for i, w := range weights {
		s.weight[i+1] = math.Ldexp(float64(w), -calibrate.WeightBits)
	}
	return s
}

// expected returns the expected number of keys whose noisy weights reach the threshold.
func (s *selection) expected(weights []float64) (sum float64) {
	for _, w := range weights {
		if w > 0 {
			sum += math.Erfc((s.threshold-w)/(s.sigma*math.Sqrt2)) / 2
		}
	}
	return sum
}

// counts returns the number of units of each key.
func counts(lists [][]int, keys int) []float64 {
	w := make([]float64, keys)
	for _, list := range lists {
		for _, k := range list {
			w[k]++
		}
	}
	return w
}

// degrees returns the total weight of each key; lists[i] holds the keys of unit i.
func (s *selection) degrees(lists [][]int, keys int) []float64 {
	w := make([]float64, keys)
	for _, list := range lists {
		for _, k := range list {
			w[k] += s.weight[len(list)]
		}
	}
	return w
}

// adaptive returns the total weight of each key if weights adapt. A unit with d keys can move 1/d of its weight for
// each key, and so at most 1 together. If the moved weight of a key exceeds limit, the excess is returned to the key's
// units. Each unit spreads the fraction back of the returned weight evenly over its keys.
func (s *selection) adaptive(lists [][]int, keys int, limit, back float64) []float64 {
	moved, w := make([]float64, keys), make([]float64, keys)
	for _, list := range lists {
		d := float64(len(list))
		for _, k := range list {
			moved[k] += 1 / d
			w[k] += s.weight[len(list)] - 1/d
		}
	}
	for _, list := range lists {
		d, returned := float64(len(list)), 0.0
		for _, k := range list {
			returned += max(0, 1-limit/moved[k]) / d
		}
		for _, k := range list {
			w[k] += back * returned / d
		}
	}
	for k, x := range moved {
		w[k] += min(x, limit)
	}
	return w
}

// twoRounds returns the expected number of keys that two rounds by degrees find, with random noise in the first round.
// The first round has the fraction part of mu² and of the failure probability. A key is hopeless if its noisy weight in
// the first round is more than cut standard deviations below the second threshold.
func twoRounds(r *rand.Rand, lists [][]int, keys, most int, mu, failure, part, cut float64) float64 {
	first := newSelection(most, mu*math.Sqrt(part), failure*part)
	second := newSelection(most, mu*math.Sqrt(1-part), failure*(1-part))
	found, left := 0, make([]bool, keys)
	for k, w := range first.degrees(lists, keys) {
		switch noisy := w + first.sigma*r.NormFloat64(); {
		case w > 0 && noisy >= first.threshold:
			found++
		default:
			left[k] = noisy+cut*first.sigma >= second.threshold
		}
	}
	rest := make([][]int, len(lists))
	for i, list := range lists {
		for _, k := range list {
			if left[k] {
				rest[i] = append(rest[i], k)
			}
		}
	}
	return float64(found) + second.expected(second.degrees(rest, keys))
}

// norm returns the L2 norm of a difference.
func norm(a, b []float64) float64 {
	sum := 0.0
	for i := range a {
		sum += (a[i] - b[i]) * (a[i] - b[i])
	}
	return math.Sqrt(sum)
}

// returned returns the largest fraction of returned weight that a unit can spread (back, in adaptive) so that the
// removal of one unit changes the weights of all keys by an L2 norm of at most sqrt(most). Consider a unit with d keys
// of weight w, of which a fraction f is above the limit. It adds w - 1/d to these keys, w to its other keys, and
// back·f/d to all of its keys. The weights that other units spread change by back·f together.
func (s *selection) returned() float64 {
	low, high := 0.0, 1.0
	fits := func(back float64) bool {
		for d := 1; d <= s.most; d++ {
			for above := range d + 1 {
				n, f := float64(d), float64(above)/float64(d)
				more := back * f / n
				x, y := s.weight[d]+more, s.weight[d]-1/n+more
				own := math.Sqrt(float64(d-above)*x*x + float64(above)*y*y)
				if own+back*f > math.Sqrt(float64(s.most))+1e-12 {
					return false
				}
			}
		}
		return true
	}
	for range 50 {
		if middle := (low + high) / 2; fits(middle) {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}

func TestKeysOfAdaptiveWeights(t *testing.T) {
	const failure = 1e-7
	for _, c := range []struct {
		name               string
		units, keys, most  int
		mean, exponent, mu float64
	}{
		{"10^4 keys, 3 a unit", 50_000, 10_000, 10, 3, 1.2, 0.24},
		{"10^5 keys, 3 a unit", 200_000, 100_000, 10, 3, 1.2, 0.24},
		{"10^5 keys, 3 a unit, epsilon 4", 200_000, 100_000, 10, 3, 1.2, 0.8},
		{"10^5 keys, 30 a unit", 100_000, 100_000, 100, 30, 1.1, 0.24},
		{"10^5 keys, all units with 10", 100_000, 100_000, 10, 1e9, 1.1, 0.24},
	} {
		if c.keys > 10_000 && os.Getenv("DPRELEASE_LONG") == "" {
			continue
		}
		lists := keyLists(rand.New(rand.NewPCG(1, 2)), c.units, c.keys, c.most, c.mean, c.exponent)
		s, half := newSelection(c.most, c.mu, failure), newSelection(c.most, c.mu/math.Sqrt2, failure)
		plain, byDegree := counts(lists, c.keys), s.degrees(lists, c.keys)
		for k := range plain {
			if byDegree[k] < plain[k] {
				t.Fatalf("%s: key %d has weight %v, and %v units", c.name, k, byDegree[k], plain[k])
			}
		}
		today, degrees := s.expected(plain), s.expected(byDegree)
		best := 0.0
		for _, limit := range []float64{0.5, 1, 2, 4} {
			best = max(best, s.expected(s.adaptive(lists, c.keys, limit*s.threshold, s.returned())))
		}
		shared := half.expected(half.degrees(lists, c.keys))
		t.Logf("%s: counts %.0f keys, degrees %.0f, adaptive %.0f (returned %.2f); degrees with half of mu² %.0f",
			c.name, today,
			degrees, best, s.returned(), shared)
		for _, part := range []float64{0.05, 0.1, 0.25, 0.5} {
			two := [4]float64{}
			for i, cut := range []float64{0, 1, 2, math.Inf(1)} {
				two[i] = twoRounds(rand.New(rand.NewPCG(7, 8)), lists, c.keys, c.most, c.mu, failure, part, cut)
			}
			t.Logf("  two rounds, %.2f for the first: %.0f keys", part, two)
		}
		if degrees < today {
			t.Errorf("%s: fewer keys by degrees: %v, not %v", c.name, degrees, today)
		}
	}
	// these selections have the noise of counts in L keys
	if _, err := calibrate.AnalyticGaussian(calibrate.Sensitivity{L2: math.Sqrt(10)},
		calibrate.Guarantee{Epsilon: 1, Delta: 9e-7}); err != nil {
		t.Error(err)
	}
}

// Removing one unit from a small table changes the weights by an L2 norm of at most sqrt(L). The expected number of
// keys that weights by degrees find is at least the number that counts find.
func TestSensitivityOfAdaptiveWeights(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	largest := map[string]float64{}
	for range 1000 {
		most, keys := 1+r.IntN(4), 1+r.IntN(6)
		lists := make([][]int, 1+r.IntN(8))
		for i := range lists {
			lists[i] = r.Perm(keys)[:1+r.IntN(min(most, keys))]
		}
		s := newSelection(most, 0.1+2*r.Float64(), 1e-7)
		limit, back := 0.2+2*r.Float64(), s.returned()
		without := lists[1:]
		if plain, more := s.expected(counts(lists, keys)), s.expected(s.degrees(lists, keys)); more < plain {
			t.Fatalf("%v: %v keys by degrees, %v by counts", lists, more, plain)
		}
		for name, change := range map[string]float64{
			"degrees":  norm(s.degrees(lists, keys), s.degrees(without, keys)),
			"adaptive": norm(s.adaptive(lists, keys, limit, back), s.adaptive(without, keys, limit, back)),
		} {
			change /= math.Sqrt(float64(most))
			if largest[name] = max(largest[name], change); change > 1+1e-9 {
				t.Fatalf("%s: removing a unit of %d keys changes the weights by %v of the bound", name, len(lists[0]), change)
			}
		}
	}
	t.Logf("largest change, as a part of the bound: %v", largest)
}
