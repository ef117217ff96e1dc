package calibrate

import (
	"errors"
	"math"
	"testing"

	"github.com/dprelease/dprelease/calibrate/internal/numeric"
	"gonum.org/v1/gonum/mathext"
	"pgregory.net/rapid"
)

// The threshold meets its definition: the probability that one of Keys keys of a single unit is kept is at most
// Failure. A threshold of one grid unit less would, up to rounding, be too low.
func TestThresholdMeetsItsFailure(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		m := Mechanism{Query: "q", Sigma: Sigma(math.Exp(rapid.Float64Range(-1, 20).Draw(rt, "sigma"))),
			Grid: math.Ldexp(1, rapid.IntRange(-15, 0).Draw(rt, "grid"))}
		s := KeySelection{Keys: rapid.Int64Range(1, 5000).Draw(rt, "keys"),
			Failure: Delta(math.Exp(rapid.Float64Range(-300, -0.5).Draw(rt, "failure")))}
		m.Sens.L2 = math.Sqrt(float64(s.Keys)) * (1 + 1e-15)
		s.MinUnits = rapid.SampledFrom([]int64{0, 1, 2, 3, 5, 100, 12345}).Draw(rt, "units")
		s.Mechanism = m
		units, err := s.Threshold()
		if err != nil {
			rt.Fatal(err)
		}
		// log P(no key of N units is kept) = Keys·log Phi((g·(K − ½) − N)/sigma)
		failure := func(units float64) float64 {
			z := (m.Grid*(units-0.5) - float64(s.Least())) / float64(m.Sigma)
			return -math.Expm1(float64(s.Keys) * math.Log1p(-math.Exp(numeric.LogErfc(z/math.Sqrt2))/2))
		}
		if got := failure(float64(units)); got > float64(s.Failure)*(1+1e-10) {
			rt.Fatalf("%+v, %+v: threshold %d fails with probability %g", m, s, units, got)
		}
		if got := failure(float64(units) - 1); got < float64(s.Failure)*(1-1e-10) && 2*failure(float64(units)) < 1 &&
			s.Failure < 0.3 {
			rt.Fatalf("%+v, %+v: threshold %d is too high: %g at one less", m, s, units, got)
		}
	})
}

// The formula of the design, evaluated with gonum's quantile.
func TestThresholdIsTheFormula(t *testing.T) {
	for _, c := range []struct {
		sigma, grid float64
		keys        int64
		failure     Delta
	}{{20, 1, 1, 1e-6}, {20, 1, 5, 1e-6}, {3.7, 0.125, 40, 1e-8}, {1000, 1, 1, 1e-3}} {
		m := Mechanism{Query: "q", Sens: Sensitivity{L2: math.Sqrt(float64(c.keys)) + 1e-9}, Sigma: Sigma(c.sigma),
			Grid: c.grid}
		got, err := KeySelection{Mechanism: m, Keys: c.keys, Failure: c.failure}.Threshold()
		tail := -math.Expm1(math.Log1p(-float64(c.failure)) / float64(c.keys))
		want := math.Ceil((1-c.sigma*mathext.NormalQuantile(tail))/c.grid + 0.5)
		if err != nil || float64(got) != want {
			t.Errorf("%+v: %d, want %g, %v", c, got, want, err)
		}
	}
}

func TestThresholdNamesItsArguments(t *testing.T) {
	good := Mechanism{Query: "q", Sens: Sensitivity{L2: 2}, Sigma: 5, Grid: 0.25}
	for _, c := range []struct {
		change func(*Mechanism, *KeySelection)
		want   string
	}{
		{func(_ *Mechanism, s *KeySelection) { s.Keys = 0 }, "keys"},
		{func(_ *Mechanism, s *KeySelection) { s.Keys = 5 }, "sensitivity"},
		{func(_ *Mechanism, s *KeySelection) { s.Failure = 0 }, "failure"},
		{func(_ *Mechanism, s *KeySelection) { s.Failure = 1 }, "failure"},
		{func(_ *Mechanism, s *KeySelection) { s.Failure = Delta(math.NaN()) }, "failure"},
		{func(m *Mechanism, s *KeySelection) { s.Keys, s.Failure, m.Sens.L2 = 1<<40, 1e-300, 1<<20 }, "failure"},
		{func(_ *Mechanism, s *KeySelection) { s.MinUnits = -1 }, "min_units"},
		{func(_ *Mechanism, s *KeySelection) { s.MinUnits = MaxMinUnits + 1 }, "min_units"},
		{func(_ *Mechanism, s *KeySelection) { s.MinUnits, s.Weighted = 2, true }, "min_units"},
		{func(m *Mechanism, _ *KeySelection) { m.Sigma = 0 }, "sigma"},
		{func(m *Mechanism, _ *KeySelection) { m.Sigma = 1e300 }, "sigma"},
		{func(m *Mechanism, _ *KeySelection) { m.Grid = 3 }, "grid"},
		{func(m *Mechanism, _ *KeySelection) { m.Sens.L2 = math.NaN() }, "sensitivity"},
	} {
		m, s := good, KeySelection{Keys: 4, Failure: 1e-6}
		c.change(&m, &s)
		s.Mechanism = m
		_, err := s.Threshold()
		var e *ArgumentError
		if !errors.As(err, &e) || e.Argument != c.want {
			t.Errorf("%+v, %+v: %v, want %s", m, s, err, c.want)
		}
	}
	if k, err := (KeySelection{Mechanism: good, Keys: 4, Failure: 1e-6}).Threshold(); err != nil || k < 100 {
		t.Errorf("%d, %v", k, err)
	}
}

// The weights of a unit have at most the norm of counts, and each key that it alone has is kept with at most the
// probability that its number of keys allows, under the threshold of counts. Both bounds are nearly attained, and no
// weight is below 1.
func TestWeightsKeepTheNormAndTheFailure(t *testing.T) {
	const one = 1 << WeightBits
	rapid.Check(t, func(rt *rapid.T) {
		m := Mechanism{Query: "q", Sigma: Sigma(math.Exp(rapid.Float64Range(-3, 12).Draw(rt, "sigma"))), Grid: 0x1p-20}
		s := KeySelection{Keys: rapid.Int64Range(1, 40).Draw(rt, "keys"), Weighted: true,
			Failure: Delta(math.Exp(rapid.Float64Range(-300, -0.1).Draw(rt, "failure")))}
		m.Sens.L2 = math.Sqrt(float64(s.Keys)) * (1 + 1e-15)
		s.Mechanism = m
		weights, err := s.Weights()
		if err != nil || int64(len(weights)) != s.Keys || weights[s.Keys-1] != one {
			rt.Fatalf("%+v: %d, %v", s, weights, err)
		}
		units, err := s.Threshold()
		if err != nil {
			rt.Fatal(err)
		}
		for i, w := range weights {
			d := int64(i + 1)
			square := func(w int64) bool { return d*w*w <= s.Keys*one*one }
			kept := func(w int64) bool { // the probability that one of d keys is kept is at most Failure
				z := (m.Grid*(float64(units)-0.5) - float64(w)/one) / float64(m.Sigma)
				all := -math.Expm1(float64(d) * math.Log1p(-math.Exp(numeric.LogErfc(z/math.Sqrt2))/2))
				return all <= float64(s.Failure)*(1+1e-9)
			}
			if w < one || i > 0 && w > weights[i-1] || !square(w) || !kept(w) {
				rt.Fatalf("%+v: %d keys have weights of %d", s, d, w)
			}
			z := (m.Grid*(float64(units)-0.5) - float64(w+2)/one) / float64(m.Sigma)
			if square(w+2) && kept(w+2) && m.Sigma < 100 && z > 0.1 {
				rt.Fatalf("%+v: %d keys may have weights above %d", s, d, w)
			}
		}
	})
	s := KeySelection{Mechanism: Mechanism{Query: "q", Sens: Sensitivity{L2: 40}, Sigma: 5, Grid: 0.25}, Failure: 1e-6}
	for _, keys := range []int64{0, MaxWeightedKeys + 1} {
		s.Keys = keys
		var e *ArgumentError
		if _, err := s.Weights(); !errors.As(err, &e) || e.Argument != "keys" {
			t.Errorf("%d keys: %v", keys, err)
		}
	}
	s.Keys = MaxWeightedKeys
	if _, err := s.Weights(); err != nil {
		t.Error(err)
	}
}

// Dropping keys of fewer than N units raises the threshold by exactly N - 1 if that is a multiple of the grid, else by
// at least N - 1. N = 1 drops none.
func TestMinUnitsRaiseTheThreshold(t *testing.T) {
	for _, grid := range []float64{0x1p-10, 0.125, 1, 4} {
		m := Mechanism{Query: "q", Sens: Sensitivity{L2: 2}, Sigma: 23.456, Grid: grid}
		of := func(n int64) int64 {
			k, err := (KeySelection{Mechanism: m, Keys: 4, Failure: 1e-7, MinUnits: n}).Threshold()
			if err != nil {
				t.Fatal(err)
			}
			return k
		}
		if of(0) != of(1) {
			t.Errorf("grid %g: %d without, %d with N = 1", grid, of(0), of(1))
		}
		for _, n := range []int64{2, 5, 100, 1 << 40} {
			raised := float64(of(n)-of(1)) * grid
			if low := float64(n-1) - max(grid-1, 0); raised < low || raised > float64(n-1)+max(grid-1, 0) {
				t.Errorf("grid %g, N = %d: raised by %g", grid, n, raised)
			}
		}
	}
}
