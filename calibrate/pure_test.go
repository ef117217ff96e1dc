package calibrate

import (
	"errors"
	"math"
	"testing"

	"github.com/dprelease/dprelease/calibrate/internal/curvetest"
	"github.com/dprelease/dprelease/calibrate/internal/numeric"
	"pgregory.net/rapid"
)

// TestPureMuAgreesWithReference compares PureMu with 20 digits from mpmath: it is not below these, and at most one
// float64 above.
func TestPureMuAgreesWithReference(t *testing.T) {
	for _, c := range []struct {
		eps  float64
		want string
	}{
		{1e-300, "1.25331413731550028261479670776e-300"},
		{1e-12, "1.25331413731550022599953374493e-12"},
		{0.01, "0.0125331189596498389050093292626"},
		{0.5, "0.623892592098508192049859335508"},
		{1, "1.23203538534490097285567252654"},
		{1.9999, "2.35785601795541851895279162496"},
		{2, "2.35796148564724971164643330664"},
		{5, "4.94667844559565859284270231216"},
		{20, "11.7584187136531012911482215381"},
		{100, "27.7769520660077726348064748876"},
		{700, "74.5901592652948339142590623724"},
	} {
		mu, err := PureMu(Epsilon(c.eps))
		want := curvetest.Precise(t, c.want)
		below := numeric.BigOf(math.Nextafter(float64(mu), 0))
		if err != nil || numeric.BigOf(float64(mu)).Cmp(want) < 0 || below.Cmp(want) > 0 {
			t.Errorf("PureMu(%g) = %v, %v; want %s", c.eps, mu, err, c.want)
		}
	}
	for _, eps := range []Epsilon{0, -1, Epsilon(math.NaN()), Epsilon(math.Nextafter(MaxPure, 800)),
		Epsilon(math.Inf(1))} {
		if _, err := PureMu(eps); !errors.As(err, new(*ArgumentError)) {
			t.Errorf("PureMu(%v): %v", eps, err)
		}
	}
}

// TestPureIsDominated checks that the Gaussian mechanism as which a pure mechanism is charged reveals at least as much
// as the pure mechanism: its delta is at least as large at every epsilon.
func TestPureIsDominated(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		p := Pure{Query: "q", Why: "one row", Grid: 1, Noise: Laplace{
			L1: math.Ldexp(rapid.Float64Range(1, 2).Draw(r, "l1"),
				rapid.IntRange(-3, 3).Draw(r, "e")), Scale: rapid.Float64Range(0.05, 50).Draw(r, "scale"),
		}}
		m, err := p.Mechanism()
		if err != nil {
			r.Fatal(err)
		}
		own, err := p.Noise.Epsilon(0)
		if err != nil {
			r.Fatal(err)
		}
		eps := Epsilon(rapid.Float64Range(0, 1).Draw(r, "share")) * own
		standIn, errG := m.Delta(eps)
		// Among all own-differentially private mechanisms, randomised response has the largest delta at eps: (1 - e^(eps -
		// own))/(1 + e^-own).
		worst := -math.Expm1(float64(eps-own)) / (1 + math.Exp(-float64(own)))
		if errG != nil || float64(standIn) < worst*(1-1e-9)-1e-300 {
			r.Fatalf("%+v at %v: delta %v, its stand-in %v, %v", p, eps, worst, standIn, errG)
		}
		if laplace, err := p.Noise.Delta(eps); err != nil || laplace > standIn {
			r.Fatalf("%+v at %v: Laplace %v, its stand-in %v, %v", p, eps, laplace, standIn, err)
		}
	})
}

func TestPureMechanismStandsForItsNoise(t *testing.T) {
	p := Pure{Query: "q", Why: "one row", Noise: Laplace{L1: 2, Scale: 4}, Grid: 0.25, Geometric: true}
	m, err := p.Mechanism()
	mu, errMu := PureMu(0.5)
	if err != nil || errMu != nil || m.Mu() < mu || float64(m.Mu()) > float64(mu)*(1+1e-15) {
		t.Errorf("%+v, mu %v, want %v; %v", m, m.Mu(), mu, err)
	}
	if m.Query != "q" || m.Grid != 0.25 || m.Sens.L2 != 2 || m.Sens.Why != "one row" || m.Noise != Geometric ||
		m.Scale != 4 {
		t.Errorf("%+v", m)
	}
	for _, l := range []Laplace{{}, {1, 0}, {0, 1}, {-1, 1}, {1, 1e-3}, {1, math.Inf(1)}, {math.NaN(), 1}} {
		if m, err := (Pure{Query: "q", Noise: l, Grid: 1}).Mechanism(); err == nil {
			t.Errorf("%+v: %+v", l, m)
		}
	}
}
