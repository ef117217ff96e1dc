package calibrate

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// For every chosen sensitivity, mu is not above the charged mu, and the sigma is the least float64 for it or one more.
func TestChosenCostsNoMore(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		l2 := math.Ldexp(rapid.Float64Range(1, 2).Draw(r, "l2"), rapid.IntRange(-20, 40).Draw(r, "e"))
		m := Mechanism{Query: "q", Sens: Sensitivity{L2: l2},
			Sigma: Sigma(l2 * rapid.Float64Range(0.3, 300).Draw(r, "sigma")), Grid: 1, ChosenBy: "q/clamp", RuleVersion: 1}
		s := Sensitivity{L2: l2 * rapid.OneOf(rapid.Float64Range(1e-9, 1), rapid.Just(1.0)).Draw(r, "part"), Why: "chosen"}
		got, err := m.Chosen(s, math.Ldexp(1, -60), s.L2)
		if err != nil {
			r.Fatal(err)
		}
		if got.Sens != s || got.ChosenBy != m.ChosenBy || got.Query != m.Query || !got.Within(m) {
			r.Fatalf("%+v of %+v", got, m)
		}
		if exactProduct(got.Sens.L2, float64(m.Sigma)).Cmp(exactProduct(m.Sens.L2, float64(got.Sigma))) > 0 ||
			float64(got.Mu()) < float64(m.Mu())*(1-1e-15) {
			r.Fatalf("mu %v, charged %v", got.Mu(), m.Mu())
		}
		less := got
		if less.Sigma = Sigma(math.Nextafter(float64(got.Sigma), 0) * (1 - 1e-15)); less.Within(m) {
			r.Fatalf("%v is within %v", less, m)
		}
	})
}

func TestWithin(t *testing.T) {
	m := Mechanism{Query: "q", Sens: Sensitivity{L2: 8, Why: "why"}, Sigma: 16, Grid: 1, ChosenBy: "q/clamp",
		RuleVersion: 1}
	for name, c := range map[string]struct {
		change func(*Mechanism)
		want   bool
	}{
		"itself":            {func(*Mechanism) {}, true},
		"renamed":           {func(m *Mechanism) { m.Query, m.Sens.Why = "r", "" }, true},
		"smaller":           {func(m *Mechanism) { m.Sens.L2, m.Sigma, m.Grid = 2, 4, 0.25 }, true},
		"smaller and noisy": {func(m *Mechanism) { m.Sens.L2, m.Sigma = 2, 5 }, true},
		"smaller and quiet": {func(m *Mechanism) { m.Sens.L2, m.Sigma = 2, 3.999 }, false},
		"larger":            {func(m *Mechanism) { m.Sens.L2, m.Sigma = 16, 32 }, false},
		"grid":              {func(m *Mechanism) { m.Grid = 3 }, false},
		"no number":         {func(m *Mechanism) { m.Sens.L2 = math.NaN() }, false},
		"no noise":          {func(m *Mechanism) { m.Sigma = 0 }, false},
		"after nothing":     {func(m *Mechanism) { m.ChosenBy = "" }, false},
		"another rule":      {func(m *Mechanism) { m.RuleVersion = 2 }, false},
		"after another":     {func(m *Mechanism) { m.ChosenBy = "p/clamp" }, false},
	} {
		got := m
		if c.change(&got); got.Within(m) != c.want {
			t.Errorf("%s: %v", name, !c.want)
		}
	}
	fixed := m
	if fixed.ChosenBy = ""; m.Within(fixed) || !fixed.Within(fixed) {
		t.Error("a fixed sensitivity was chosen")
	}
	if _, err := fixed.Chosen(Sensitivity{L2: 1}, 1, 1); err == nil {
		t.Error("a fixed sensitivity was chosen")
	}
	for _, l2 := range []float64{0, -1, 8.1, math.NaN(), math.Inf(1)} {
		if _, err := m.Chosen(Sensitivity{L2: l2}, 1, 1); err == nil {
			t.Errorf("%v was chosen", l2)
		}
	}
}
