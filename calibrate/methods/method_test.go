package methods

import (
	"errors"
	"math"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/calibrate/internal/curvetest"
	"github.com/dprelease/dprelease/calibrate/internal/numeric"
)

var goldenColumns = map[Method]string{
	Analytic: "sigma_opt", Zhao1: "sigma_m1", Zhao2: "sigma_m2", PDPOpt: "sigma_pdp_opt",
	Zhao3: "sigma_m3", Zhao4: "sigma_m4",
	Dwork2006: "sigma_dwork2006", Lecture: "sigma_dwork2006", Dwork2014: "sigma_dwork2014", ZCDP: "sigma_zcdp_simple",
}

// TestClosedFormsAgreeWithReference checks that every formula's sigma is at least its reference value, and at most
// 1e-12 above it.
func TestClosedFormsAgreeWithReference(t *testing.T) {
	for _, row := range golden(t, "closed_form.csv") {
		g := calibrate.Guarantee{Epsilon: calibrate.Epsilon(curvetest.Nearest(t, row["eps"])),
			Delta: calibrate.Delta(curvetest.Nearest(t, row["delta"]))}
		for m, column := range goldenColumns {
			what := string(m) + " " + row["eps"] + ", " + row["delta"]
			sigma, err := m.Formula(calibrate.Sensitivity{L2: 1}, g)
			if row[column] == "nan" {
				if err == nil {
					t.Errorf("%s has a value, %v", what, sigma)
				}
				continue
			}
			if err != nil {
				t.Errorf("%s: %v", what, err)
				continue
			}
			curvetest.Within(t, what, float64(sigma), curvetest.Precise(t, row[column]), 1e-15*1.2)
		}
		bound := numeric.RoundedUp(zeroEpsilonSigma(numeric.BigOf(float64(g.Delta))))
		curvetest.Within(t, "bound for every epsilon at "+row["delta"], bound,
			curvetest.Precise(t, row["sigma_eps_indep_bound"]), 1e-15)
	}
}

// TestClosedFormsAreRefusedIfTheyFail checks that a formula is refused if and only if its true delta, from the
// reference table, is above the target.
func TestClosedFormsAreRefusedIfTheyFail(t *testing.T) {
	ratios := map[Method]string{Zhao1: "dratio_m1", Zhao2: "dratio_m2", Zhao3: "dratio_m3", Zhao4: "dratio_m4",
		Dwork2006: "dratio_d06", Dwork2014: "dratio_d14"}
	for _, row := range golden(t, "closed_form.csv") {
		g := calibrate.Guarantee{Epsilon: calibrate.Epsilon(curvetest.Nearest(t, row["eps"])),
			Delta: calibrate.Delta(curvetest.Nearest(t, row["delta"]))}
		for m, column := range ratios {
			if row[column] == "nan" {
				continue
			}
			_, err := m.Sigma(calibrate.Sensitivity{L2: 1}, g)
			if holds := curvetest.Nearest(t, row[column]) <= 1; holds != (err == nil) || !holds &&
				!errors.Is(err, ErrDoesNotHold) {
				t.Errorf("%s %s, %s: true delta over target is %s, error %v", m, row["eps"], row["delta"], row[column], err)
			}
		}
	}
}

// TestThresholdIsWhereAFormulaStopsHolding compares the largest epsilon at which a formula holds with G(delta) of Zhao
// et al. The formula is accepted there, and refused just above it.
func TestThresholdIsWhereAFormulaStopsHolding(t *testing.T) {
	for m, want := range map[Method][4]float64{
		Dwork2014: {7.463474, 7.990993, 8.419771, 8.782092},
		Dwork2006: {8.512441, 8.992664, 9.391321, 9.732751},
	} {
		for i, d := range []calibrate.Delta{1e-3, 1e-4, 1e-5, 1e-6} {
			limit, err := m.Threshold(d)
			if err != nil || math.Abs(float64(limit)-want[i]) > 6e-7 {
				t.Errorf("%s at %g: %v, %v, want %v", m, d, limit, err, want[i])
			}
			if _, err := m.Sigma(calibrate.Sensitivity{L2: 3}, calibrate.Guarantee{Epsilon: limit, Delta: d}); err != nil {
				t.Errorf("%s at its threshold: %v", m, err)
			}
			_, err = m.Sigma(calibrate.Sensitivity{L2: 3}, calibrate.Guarantee{Epsilon: limit * (1 + 1e-12), Delta: d})
			if !errors.Is(err, ErrDoesNotHold) || !strings.Contains(err.Error(), "up to epsilon = ") {
				t.Errorf("%s beyond its threshold: %v", m, err)
			}
		}
	}
	for _, d := range []calibrate.Delta{calibrate.MinDelta, 0.5, 1 - 0x1p-53} {
		for _, m := range Methods() {
			if limit, err := m.Threshold(d); err != nil || !(limit > 0 && limit <= calibrate.MaxEpsilon) {
				t.Errorf("%s at %g: %v, %v", m, d, limit, err)
			}
		}
	}
}

// TestMethodsAreSafe checks that no method's sigma is below the smallest valid sigma, at random guarantees, and that
// methods that always hold are never refused as not holding. The sigmas of the methods for probabilistic privacy meet
// its definition.
func TestMethodsAreSafe(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGuarantee(t, "g")
		m := rapid.SampledFrom(Methods()).Draw(t, "method")
		l2 := rapid.SampledFrom([]float64{1, 3, 1e-3, 1e10}).Draw(t, "sensitivity")
		sigma, err := m.Sigma(calibrate.Sensitivity{L2: l2}, g)
		if err != nil {
			f, _ := m.form()
			if !errors.Is(err, ErrDoesNotHold) && g.Epsilon > 1e-290 && (f.maxDelta == 0 || float64(g.Delta) <= f.maxDelta) {
				t.Fatalf("%s: %v", m, err)
			}
			if errors.Is(err, ErrDoesNotHold) && f.classic == 0 {
				t.Fatalf("%s does not hold: %v", m, err)
			}
			return
		}
		if !(sigma > 0) || math.IsInf(float64(sigma), 0) {
			t.Fatalf("%s: sigma = %v", m, sigma)
		}
		if best := mustSigma(t, l2, g); float64(sigma) < best {
			t.Fatalf("%s: %v is below the least sigma, %v", m, sigma, best)
		}
		if (m == PDPOpt || m == Zhao3 || m == Zhao4) && !isProbabilistic(l2/float64(sigma), g) {
			t.Fatalf("%s: sigma = %v is not probabilistically private", m, sigma)
		}
	})
}

// isProbabilistic is the definition of probabilistic privacy, within 1e-13: Phi(-x) + Phi(-y) <= delta.
func isProbabilistic(mu float64, g calibrate.Guarantee) bool {
	x, y := float64(g.Epsilon)/mu-mu/2, float64(g.Epsilon)/mu+mu/2
	if x > 80 {
		return true
	}
	sum := bigErfc(numeric.NewBig().Quo(numeric.BigOf(math.Max(x, -50)), numeric.BigSqrt2()))
	if y < 80 {
		sum.Add(sum, bigErfc(numeric.NewBig().Quo(numeric.BigOf(y), numeric.BigSqrt2())))
	}
	limit := numeric.BigOf(float64(g.Delta) * 2 * (1 + 1e-11*(1+x*x)))
	return sum.Cmp(limit) <= 0
}

// TestGuardNeverMakesZhao1Worse checks that the guard never increases the sigma of Mechanism 1, and makes it valid for
// large delta.
func TestGuardNeverMakesZhao1Worse(t *testing.T) {
	for _, c := range []struct{ eps, delta, most float64 }{
		{1e-4, 0.9, 0.31}, {1, 0.9, 0.304}, {1e-12, 0.5, 0.7414}, {1, 1e-6, 4.6342}, {0, 0.5, 0.7414},
	} {
		g := calibrate.Guarantee{Epsilon: calibrate.Epsilon(c.eps), Delta: calibrate.Delta(c.delta)}
		guarded, err := Zhao1Guarded.Sigma(calibrate.Sensitivity{L2: 1}, g)
		if err != nil || float64(guarded) > c.most {
			t.Errorf("%v: %v, %v, want at most %v", g, guarded, err, c.most)
		}
		if printed, err := Zhao1.Sigma(calibrate.Sensitivity{L2: 1}, g); c.eps > 0 && (err != nil || printed < guarded) {
			t.Errorf("%v: printed %v, %v, guarded %v", g, printed, err, guarded)
		}
	}
}

// TestMethodsAnswerOrNameAnArgument checks that every method returns a finite sigma or an error that names an argument.
func TestMethodsAnswerOrNameAnArgument(t *testing.T) {
	odd := []float64{math.NaN(), math.Inf(1), math.Inf(-1), 0, -1, 5e-324, 1e-310, 1, 0.3, 1e6, 1e308}
	for _, m := range append(Methods(), "unknown") {
		for _, eps := range odd {
			for _, delta := range []float64{math.NaN(), 0, 1, 1e-300, 5e-324, 0.5, 0.9, 1 - 0x1p-53} {
				for _, l2 := range []float64{1, 5e-324, 1e308, 0, math.NaN()} {
					sigma, err := m.Sigma(calibrate.Sensitivity{L2: l2},
						calibrate.Guarantee{Epsilon: calibrate.Epsilon(eps), Delta: calibrate.Delta(delta)})
					if err == nil && !(sigma > 0 && float64(sigma) <= math.MaxFloat64) {
						t.Fatalf("%s(%g, %g, %g) = %v", m, eps, delta, l2, sigma)
					}
					if err != nil && !errors.As(err, new(*calibrate.ArgumentError)) && !errors.Is(err, ErrDoesNotHold) {
						t.Fatalf("%s(%g, %g, %g): %v", m, eps, delta, l2, err)
					}
				}
			}
		}
	}
	if _, err := Method("unknown").Threshold(0.1); err == nil {
		t.Error("an unknown method has a threshold")
	}
}

// TestPDPOptSolvesItsEquation checks the root of PDPOpt in its equation, in extended precision.
func TestPDPOptSolvesItsEquation(t *testing.T) {
	for _, c := range [][2]float64{{1e-300, 1e-300}, {5e-324, 0.9}, {1e-3, 0.999}, {1, 0.5}, {1e6, 1e-10},
		{1e6, 1 - 0x1p-53}, {3000, 0.2}} {
		sigma := pdpOpt(numeric.BigOf(c[0]), numeric.BigOf(c[1])) // at sensitivity 1: mu = 1/sigma
		mu := numeric.NewBig().Quo(numeric.BigOf(1), sigma)
		a := numeric.NewBig().Mul(numeric.BigOf(c[0]), sigma)
		b := numeric.NewBig().SetMantExp(mu, -1)
		sum := halfTail(numeric.NewBig().Sub(a, b))
		sum.Add(sum, halfTail(numeric.NewBig().Add(a, b)))
		if bits := curvetest.RelativeBits(sum, numeric.BigOf(2*c[1])); bits > -90 {
			t.Errorf("%v: the equation is off by 2^%d", c, bits)
		}
	}
}

// halfTail returns erfc(x/sqrt 2), 0 far out.
func halfTail(x *big.Float) *big.Float {
	if x.Cmp(numeric.BigOf(80)) > 0 {
		return numeric.NewBig()
	}
	return bigErfc(x.Quo(x, numeric.BigSqrt2()))
}
