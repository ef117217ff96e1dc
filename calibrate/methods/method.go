package methods

import (
	"errors"
	"fmt"
	"math"
	"math/big"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/calibrate/internal/argument"
	"github.com/dprelease/dprelease/calibrate/internal/numeric"
)

// A method is a formula for sigma that the literature states for an (epsilon, delta). Some formulas give too little
// noise for some (epsilon, delta), so Sigma accepts a formula's value only if the exact curve proves that it suffices.
// Formula returns the value without that proof, for comparisons.

// Method is a way to find the sigma of Gaussian noise for an (epsilon, delta).
type Method string

// The methods. Analytic is exact. All others are closed forms or nearly closed forms, which need more noise than
// Analytic or do not hold for every guarantee.
const (
	// Analytic is the least sigma that suffices (Balle & Wang 2018, Theorems 8 and 9).
	Analytic Method = "analytic"
	// Zhao1 is Mechanism 1 of Zhao et al. 2019, as printed.
	Zhao1 Method = "zhao-1"
	// Zhao1Guarded is the smallest of Zhao1 and two upper bounds, which are better for large delta.
	Zhao1Guarded Method = "zhao-1-guarded"
	// Zhao2 is Mechanism 2 of Zhao et al. 2019; delta is at most 1/2.
	Zhao2 Method = "zhao-2"
	// Zhao3 is Mechanism 3 of Zhao et al. 2019, for probabilistic differential privacy.
	Zhao3 Method = "zhao-3"
	// Zhao4 is Mechanism 4 of Zhao et al. 2019, for probabilistic differential privacy.
	Zhao4 Method = "zhao-4"
	// PDPOpt is the least sigma for probabilistic differential privacy (Zhao et al. 2019, pDP-OPT).
	PDPOpt Method = "pdp-opt"
	// Dwork2014 is sqrt(2·ln(1.25/delta))/epsilon (Dwork & Roth 2014, Theorem A.1), proven for epsilon up to 1.
	Dwork2014 Method = "dwork-2014"
	// Dwork2006 is sqrt(2·ln(2/delta))/epsilon (Dwork et al. 2006), proven for epsilon up to 1.
	Dwork2006 Method = "dwork-2006"
	// Lecture is sqrt(2·ln(2/delta))/epsilon as lecture notes state it, for epsilon up to 1.
	Lecture Method = "lecture"
	// ZCDP converts to zero-concentrated differential privacy first (Bun & Steinke 2016, Proposition 1.3).
	ZCDP Method = "zcdp"
)

// ErrDoesNotHold is wrapped by the error if a formula's sigma does not give the guarantee.
var ErrDoesNotHold = errors.New("the formula does not give this guarantee")

// closedForm is the formula of a method.
type closedForm struct {
	method Method
	// unit returns sigma for sensitivity 1 and eps > 0, with a relative error below 2^-110.
	unit func(eps, delta *big.Float) *big.Float
	// classic is k in sqrt(2·ln(k/delta))/epsilon, or 0 if the formula has another form.
	classic float64
	// maxDelta is the largest delta for which the formula has a value, or 0 if there is no limit.
	maxDelta float64
}

var closedForms = []closedForm{
	{method: Zhao1Guarded, unit: zhao1Guarded},
	{method: Zhao1, unit: zhao1},
	{method: Zhao2, unit: zhao2, maxDelta: 0.5},
	{method: PDPOpt, unit: pdpOpt},
	{method: Zhao3, unit: zhao3},
	{method: Zhao4, unit: zhao4},
	{method: ZCDP, unit: zcdpSigma},
	{method: Dwork2014, unit: classic(1.25), classic: 1.25},
	{method: Dwork2006, unit: classic(2), classic: 2},
	{method: Lecture, unit: classic(2), classic: 2},
}

// Methods returns all methods, the best first.
func Methods() []Method {
	ms := []Method{Analytic}
	for _, f := range closedForms {
		ms = append(ms, f.method)
	}
	return ms
}

func (m Method) form() (closedForm, error) {
	for _, f := range closedForms {
		if f.method == m {
			return f, nil
		}
	}
	return closedForm{}, argument.New("mechanism", "%q is not one of %v", string(m), Methods())
}

// Sigma returns the method's sigma, in the unit of s.L2. It is never below the exact value of the formula for these
// inputs, and above it by at most 1e-12, relative, if the result is a normal float64. It is proven to be (epsilon,
// delta)-differentially private for these inputs (Balle & Wang 2018, Theorem 8), even outside of the formula's own
// domain. If the proof fails, the error wraps ErrDoesNotHold and gives the epsilon up to which the formula holds. Other
// errors are *ArgumentError: "mechanism"; see Guarantee.Validate; "epsilon" if it is 0 and the formula has no value;
// "delta" if the formula has none; "sensitivity".
func (m Method) Sigma(s calibrate.Sensitivity, g calibrate.Guarantee) (calibrate.Sigma, error) {
	sigma, err := m.Formula(s, g)
	if err != nil {
		return 0, err
	}
	if !numeric.Meets(float64(g.Epsilon), numeric.Quotient{Num: s.L2, Den: float64(sigma)}, float64(g.Delta)) {
		return 0, m.refusal(g)
	}
	return sigma, nil
}

func (m Method) refusal(g calibrate.Guarantee) error {
	limit, err := m.Threshold(g.Delta)
	if err != nil {
		return err
	}
	return fmt.Errorf("calibrate: %s: %w: epsilon = %g at delta = %g; at this delta it holds up to epsilon = %.9g",
		m, ErrDoesNotHold, float64(g.Epsilon), float64(g.Delta), float64(limit))
}

// Formula returns the value of the formula, rounded up, even if it does not give the guarantee. Errors: as for Sigma,
// except ErrDoesNotHold.
func (m Method) Formula(s calibrate.Sensitivity, g calibrate.Guarantee) (calibrate.Sigma, error) {
	if m == Analytic {
		return calibrate.AnalyticGaussian(s, g)
	}
	f, err := m.form()
	if err != nil {
		return 0, err
	}
	if err := f.accepts(s, g); err != nil {
		return 0, err
	}
	unit := f.unit(numeric.BigOf(float64(g.Epsilon)), numeric.BigOf(float64(g.Delta)))
	sigma := numeric.RoundedUp(unit.Mul(unit, numeric.BigOf(s.L2)))
	if math.IsInf(sigma, 0) {
		return 0, argument.New("sensitivity", "= %g needs a sigma above the largest float64", s.L2)
	}
	return calibrate.Sigma(sigma), nil
}

func (f closedForm) accepts(s calibrate.Sensitivity, g calibrate.Guarantee) error {
	if err := g.Validate(); err != nil {
		return err
	}
	if g.Epsilon == 0 && f.method != Zhao1Guarded {
		return argument.New("epsilon", "must be above 0 for %s", f.method)
	}
	if f.maxDelta > 0 && float64(g.Delta) > f.maxDelta {
		return argument.New("delta", "must be at most %g for %s, not %g", f.maxDelta, f.method, float64(g.Delta))
	}
	return argument.Positive("sensitivity", s.L2)
}

// Threshold returns the largest float64 epsilon up to which the method's sigma is proven to give (epsilon, delta). For
// the classical formulas it is G(delta) of Zhao et al. 2019. For methods that always hold it is MaxEpsilon. Errors are
// *ArgumentError: "mechanism", "delta".
//
// Proof note. At sigma = c/eps we have mu = eps/c, x = c - eps/(2c) and y = c + eps/(2c). As eps grows, delta(eps) has
// the derivative phi(x)·(1/c - R(y)), which is positive since R(y) < 1/y < 1/c. So delta(eps) crosses delta once.
func (m Method) Threshold(d calibrate.Delta) (calibrate.Epsilon, error) {
	if err := d.Validate(); err != nil {
		return 0, err
	}
	if m == Analytic {
		return calibrate.MaxEpsilon, nil
	}
	f, err := m.form()
	if err != nil {
		return 0, err
	}
	if f.classic == 0 {
		return calibrate.MaxEpsilon, nil
	}
	c := classicFactor(f.classic, numeric.BigOf(float64(d)), numeric.BigPrec)
	const usual = 8 // the epsilon at which the search starts
	eps, _ := numeric.Boundary(usual, false, false, func(eps float64) bool {
		if eps == 0 || eps > calibrate.MaxEpsilon {
			return eps == 0
		}
		return numeric.MeetsAtRatio(eps, c, float64(d))
	})
	return calibrate.Epsilon(eps), nil
}
