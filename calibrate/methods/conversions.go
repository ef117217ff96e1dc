package methods

import (
	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/calibrate/internal/argument"
	"github.com/dprelease/dprelease/calibrate/internal/numeric"
)

// Conversions from (epsilon, delta) to other notions of privacy: each returns the largest parameters that imply the guarantee, by the rules in the
// file of that notion, rounded down.

// RenyiFor returns the largest Renyi epsilon at order alpha that implies g by the rules of Renyi.DPEpsilon, rounded down. Errors are
// *ArgumentError: see Guarantee.Validate; "alpha", also if no epsilon at this order implies g.
func RenyiFor(g calibrate.Guarantee, alpha float64) (Renyi, error) {
	if err := g.Validate(); err != nil {
		return Renyi{}, err
	}
	r := Renyi{Alpha: alpha}
	if err := r.validate(); err != nil {
		return Renyi{}, err
	}
	cost, gain := renyiCost(alpha, g.Delta)
	room := numeric.NewBig().Sub(numeric.BigOf(float64(g.Epsilon)), cost)
	lost := numeric.NewBig().Add(numeric.NewBig().Abs(gain), numeric.NewBig().Abs(cost))
	room.Sub(room, lost.SetMantExp(lost, -200))
	if room.Sign() > 0 {
		r.Epsilon = numeric.RoundedDown(room)
	}
	if r.Epsilon == 0 {
		return Renyi{}, argument.New("alpha", "= %g is too small for epsilon = %g at delta = %g", alpha, float64(g.Epsilon), float64(g.Delta))
	}
	return r, nil
}

// BestRenyiFor is RenyiFor at the order that allows Gaussian noise the largest mu: that of TightZCDPRho. Errors are those of ZCDPRho.
func BestRenyiFor(g calibrate.Guarantee) (Renyi, error) {
	rho, err := TightZCDPRho(g)
	if err != nil {
		return Renyi{}, err
	}
	best, err := rho.BestRenyi(g.Delta)
	if err != nil {
		return Renyi{}, err
	}
	return RenyiFor(g, best.Alpha)
}

// GaussianTruncated is what Gaussian noise of this mu satisfies for every omega, exactly: (mu²/2, omega), rounded up. Errors are
// *ArgumentError: "mu", "omega".
func GaussianTruncated(m calibrate.Mu, omega float64) (Truncated, error) {
	rho, err := GaussianRho(m)
	if err != nil {
		return Truncated{}, err
	}
	t := Truncated{Rho: rho, Omega: omega}
	if err := t.validateOmega(); err != nil {
		return Truncated{}, err
	}
	return t, nil
}

// Mu is the largest parameter of a Gaussian mechanism that satisfies t: sqrt(2·rho), rounded down. Errors are *ArgumentError: "rho",
// "omega".
func (t Truncated) Mu() (calibrate.Mu, error) {
	if err := t.validateOmega(); err != nil {
		return 0, err
	}
	return t.Rho.Mu()
}

// TruncatedFor returns the largest rho for which (rho, omega)-tCDP implies g by Truncated.DPEpsilon, rounded down: ZCDPRho's if
// ln(1/delta) <= (omega-1)²·rho, else (epsilon - ln(1/delta)/(omega-1))/omega. Errors are *ArgumentError: those of ZCDPRho; "omega"
// also if no rho implies g.
func TruncatedFor(g calibrate.Guarantee, omega float64) (Truncated, error) {
	rho, err := ZCDPRho(g)
	if err != nil {
		return Truncated{}, err
	}
	t := Truncated{Rho: rho, Omega: omega}
	if err := t.validateOmega(); err != nil {
		return Truncated{}, err
	}
	l, less := logInverse(g.Delta), numeric.NewBig().Sub(numeric.BigOf(omega), numeric.BigOf(1))
	limit := numeric.NewBig().Mul(less, less)
	if l.Cmp(limit.Mul(limit, numeric.BigOf(float64(rho)))) <= 0 {
		return t, nil
	}
	room := numeric.NewBig().Sub(numeric.BigOf(float64(g.Epsilon)), l.Quo(l, less))
	room.Sub(room, l.SetMantExp(l, -200))
	if t.Rho = 0; room.Sign() > 0 {
		t.Rho = Rho(numeric.RoundedDown(room.Quo(room, numeric.BigOf(omega))))
	}
	if t.Rho == 0 {
		return Truncated{}, argument.New("omega", "= %g is too small for epsilon = %g at delta = %g", omega, float64(g.Epsilon), float64(g.Delta))
	}
	return t, nil
}

// Mu is the largest parameter of a Gaussian mechanism that satisfies c: the less of sqrt(2·mean) and spread, rounded down; 0 if the
// mean is 0. Errors are *ArgumentError: "mean", "spread".
func (c MeanConcentrated) Mu() (calibrate.Mu, error) {
	if err := c.validate(); err != nil {
		return 0, err
	}
	if c.Mean == 0 {
		return 0, nil
	}
	mu, err := Rho(c.Mean).Mu()
	return min(mu, calibrate.Mu(c.Spread)), err
}

// MeanConcentratedFor returns the largest (spread²/2, spread), the shape of Gaussian noise, that implies g by MeanConcentrated.DPEpsilon,
// rounded down. Errors are those of ZCDPRho.
func MeanConcentratedFor(g calibrate.Guarantee) (MeanConcentrated, error) {
	return meanConcentratedFor(g, 1)
}

// MeanConcentratedForPDP is the same for probabilistic differential privacy, by MeanConcentrated.PDPEpsilon.
func MeanConcentratedForPDP(g calibrate.Guarantee) (MeanConcentrated, error) {
	return meanConcentratedFor(g, 2)
}

// meanConcentratedFor solves spread²/2 + spread·sqrt(2·L) = epsilon, L = ln(tails/delta), without cancellation.
func meanConcentratedFor(g calibrate.Guarantee, tails float64) (MeanConcentrated, error) {
	if err := g.Validate(); err != nil {
		return MeanConcentrated{}, err
	}
	l, eps := numeric.LnAt(numeric.NewBig().Quo(numeric.BigOf(tails), numeric.BigOf(float64(g.Delta))), numeric.ShortPrec), numeric.BigOf(float64(g.Epsilon))
	sum := numeric.NewBig().Sqrt(numeric.NewBig().Add(l, eps))
	root := numeric.NewBig().Quo(eps, sum.Add(sum, l.Sqrt(l)))
	c := MeanConcentrated{Mean: numeric.RoundedDown(numeric.NewBig().Mul(root, root)), Spread: numeric.RoundedDown(root.Mul(root, numeric.BigSqrt2()))}
	if c.Mean == 0 || c.Spread == 0 {
		return MeanConcentrated{}, argument.New("epsilon", "= %g allows no mean above 0", float64(g.Epsilon))
	}
	return c, nil
}

// DPToProbabilisticEpsilon is the epsilon of the probabilistic differential privacy that g implies at a delta above its own, if
// DPToProbabilistic comes to it: ln((delta + g.Delta·e^-g.Epsilon)/(delta - g.Delta)) above g's epsilon, rounded up. Errors are
// *ArgumentError: see Guarantee.Validate; "delta" if it is not above g's; "epsilon" if the answer is above MaxEpsilon.
func DPToProbabilisticEpsilon(g calibrate.Guarantee, delta calibrate.Delta) (calibrate.Epsilon, error) {
	if err := g.Validate(); err != nil {
		return 0, err
	}
	if !(delta > g.Delta && delta < 1) {
		return 0, argument.New("delta", "must be above %g and below 1, not %g", float64(g.Delta), float64(delta))
	}
	own := numeric.BigOf(float64(g.Delta))
	gap := numeric.NewBig().Sub(numeric.BigOf(float64(delta)), own)
	own.Mul(own, numeric.BigExpFar(numeric.BigOf(-float64(g.Epsilon))))
	ratio := own.Add(own, numeric.BigOf(float64(delta)))
	eps := numeric.BigLn(ratio.Quo(ratio, gap))
	return epsilonUp("epsilon", eps.Add(eps, numeric.BigOf(float64(g.Epsilon))))
}

// gaussianPDPMu is the largest mu with which Gaussian noise is g, probabilistically: pDP-OPT.
func gaussianPDPMu(g calibrate.Guarantee) (calibrate.Mu, error) {
	if err := (closedForm{method: PDPOpt}).accepts(calibrate.Sensitivity{L2: 1}, g); err != nil {
		return 0, err
	}
	unit := pdpOpt(numeric.BigOf(float64(g.Epsilon)), numeric.BigOf(float64(g.Delta)))
	return calibrate.Mu(numeric.RoundedDown(unit.Quo(numeric.BigOf(1), unit))), nil
}
