package calibrate

import (
	"errors"
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

func anyPureAsks(r *rapid.T) []PureAsk {
	asks := make([]PureAsk, rapid.IntRange(1, 12).Draw(r, "n"))
	for i := range asks {
		bound := math.Ldexp(rapid.Float64Range(1, 2).Draw(r, "bound"), rapid.IntRange(-20, 30).Draw(r, "e"))
		asks[i] = PureAsk{
			Query: string(rune('a' + i)), Why: "one row", L1: bound * float64(rapid.IntRange(1, 100).Draw(r, "rows")),
			Cost: rapid.Float64Range(1e-3, 1e6).Draw(r, "cost"), Quantum: math.Ldexp(1,
				rapid.IntRange(-60, 0).Draw(r, "quantum")), RowBound: bound,
		}
	}
	return asks
}

// TestSplitPureNeverExceeds checks that the mechanisms' epsilons sum to at most epsilon, exactly, and to nearly all of
// it. Each mechanism is charged at least the mu of its epsilon. Verify refuses the split if one mechanism has less
// noise.
func TestSplitPureNeverExceeds(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		eps := Epsilon(rapid.SampledFrom([]float64{1, 0.1, 0.3, 1e-3, 5, 17.3}).Draw(r, "eps"))
		asks := anyPureAsks(r)
		ms, err := SplitPure(eps, asks)
		if err != nil {
			if !errors.As(err, new(*ArgumentError)) {
				r.Fatal(err)
			}
			r.SkipNow()
		}
		sum := new(big.Rat)
		for i, m := range ms {
			l1, scale := new(big.Rat).SetFloat64(m.Sens.L2), new(big.Rat).SetFloat64(m.Scale)
			sum.Add(sum, l1.Quo(l1, scale))
			own, err := (Laplace{m.Sens.L2, m.Scale}).Epsilon(0)
			mu, errMu := PureMu(own)
			if err != nil || errMu != nil || m.Mu() < mu || m.Sens.L2 != asks[i].L1 || m.Query != asks[i].Query {
				r.Fatalf("%+v: mu %v, want %v; %v %v", m, m.Mu(), mu, err, errMu)
			}
			if m.Noise == Geometric && m.Grid != asks[i].Quantum || m.Noise == Gaussian {
				r.Fatalf("%+v of %+v", m, asks[i])
			}
		}
		if most := new(big.Rat).SetFloat64(float64(eps)); sum.Cmp(most) > 0 {
			r.Fatalf("the epsilons sum up to %s, above %v", sum.FloatString(30), eps)
		}
		if least, _ := sum.Float64(); least < float64(eps)*(1-1e-14) {
			r.Fatalf("only %v of %v", least, eps)
		}
		if err := Verify(ms, Guarantee{Epsilon: eps}); err != nil {
			r.Fatal(err)
		}
		ms[0].Scale *= 1 - 1e-9
		if Verify(ms, Guarantee{Epsilon: eps}) == nil {
			r.Fatal("less noise is verified")
		}
	})
}

// TestSplitPureIsBest checks that the loss grows if epsilon is moved from one ask to another.
func TestSplitPureIsBest(t *testing.T) {
	asks := []PureAsk{{"a", "", 1, 1, 1, 1}, {"b", "", 5, 100, 1, 1}, {"c", "", 1000, 3, 1, 250}}
	ms, err := SplitPure(1, asks)
	if err != nil {
		t.Fatal(err)
	}
	loss := func(eps []float64) (sum float64) {
		for i, a := range asks {
			sum += a.Cost * (a.L1 / eps[i]) * (a.L1 / eps[i])
		}
		return sum
	}
	eps := make([]float64, len(ms))
	for i, m := range ms {
		eps[i] = m.Sens.L2 / m.Scale
	}
	least := loss(eps)
	for i := range eps {
		for j := range eps {
			if i == j {
				continue
			}
			moved := append([]float64{}, eps...)
			moved[i] += 1e-3 * moved[j]
			moved[j] -= 1e-3 * eps[j]
			if loss(moved) <= least {
				t.Errorf("from %d to %d: %v, and the split has %v", j, i, loss(moved), least)
			}
		}
	}
}

// TestPureNoiseOfAMechanism compares the deviation and the half-width of geometric noise with sums over its
// distribution, and of Laplace noise with formulas.
func TestPureNoiseOfAMechanism(t *testing.T) {
	for _, scale := range []float64{0.05, 0.3, 1, 2.5, 4.7, 100, 12345.6} {
		m, err := Pure{Query: "q", Noise: Laplace{L1: 1, Scale: scale}, Grid: 0.5, Geometric: true}.Mechanism()
		if err != nil {
			t.Fatal(err)
		}
		q := math.Exp(-0.5 / scale)
		zero := (1 - q) / (1 + q)
		variance, outside := 0.0, 1-zero
		k := 0
		for p := zero * q; k == 0 || p*float64(k)*float64(k) > 1e-18; p *= q {
			k++
			variance += 2 * p * float64(k*k) / 4
		}
		if d := m.Deviation(); math.Abs(d-math.Sqrt(variance)) > 1e-9*d {
			t.Errorf("scale %v: deviation %v, want %v", scale, d, math.Sqrt(variance))
		}
		half := 0.0
		for p := zero * q; outside > 0.05; p *= q {
			half += 0.5
			outside -= 2 * p
		}
		if m.HalfWidth() != half {
			t.Errorf("scale %v: half-width %v, want %v", scale, m.HalfWidth(), half)
		}
	}
	m, err := Pure{Query: "q", Noise: Laplace{L1: 1, Scale: 3}, Grid: 0.125}.Mechanism()
	if want := math.Sqrt(18 + 1.0/768); err != nil || math.Abs(m.Deviation()-want) > 1e-12 ||
		math.Abs(m.HalfWidth()-math.Log(20)*want/math.Sqrt2) > 1e-12 {
		t.Errorf("%v, %v, %v", m.Deviation(), m.HalfWidth(), err)
	}
}

// TestSplitPureRefuses checks that SplitPure returns an ArgumentError for arguments that have no answer, and that
// Verify refuses Gaussian noise at delta 0.
func TestSplitPureRefuses(t *testing.T) {
	ask := PureAsk{"q", "", 1, 1, 1, 1}
	for _, eps := range []Epsilon{0, -1, Epsilon(math.NaN()), MaxPure + 1} {
		if _, err := SplitPure(eps, []PureAsk{ask}); !errors.As(err, new(*ArgumentError)) {
			t.Errorf("epsilon %v: %v", eps, err)
		}
	}
	for what, asks := range map[string][]PureAsk{
		"none": nil, "twice": {ask, ask}, "no name": {{"", "", 1, 1, 1, 1}}, "no cost": {{"q", "", 1, 0, 1,
			1}}, "no sensitivity": {{"q", "", 0, 1, 1, 1}},
		"infinite": {{"q", "", math.Inf(1), 1, 1, 1}}, "no quantum": {{"q", "", 1, 1, 0.3, 1}}, "too fine": {{"q", "", 1e-300,
			1, 1, 1e300}},
	} {
		if ms, err := SplitPure(1, asks); !errors.As(err, new(*ArgumentError)) {
			t.Errorf("%s: %+v, %v", what, ms, err)
		}
	}
	gaussian := Mechanism{Query: "q", Sens: Sensitivity{L2: 1}, Sigma: 1e9, Grid: 1}
	if err := Verify([]Mechanism{gaussian}, Guarantee{Epsilon: 1}); !errors.Is(err, ErrExceeds) {
		t.Errorf("Gaussian noise at delta 0: %v", err)
	}
}
