package methods

import (
	"math"
	"math/big"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/calibrate/internal/argument"
	"github.com/dprelease/dprelease/calibrate/internal/numeric"
)

// Relatives of differential privacy that bound moments of the privacy loss: Renyi and mean-concentrated privacy.
// Gaussian noise satisfies each of them, with parameters that follow exactly from mu. Each implies an (epsilon, delta),
// but with a larger epsilon than the exact curve. All parameters are rounded to the safe side.

// Renyi is Renyi differential privacy (Mironov 2017): the Renyi divergence of order Alpha is at most Epsilon.
type Renyi struct {
	// Alpha is the order, above 1.
	Alpha float64
	// Epsilon is an upper bound on the divergence, in nats.
	Epsilon float64
}

func (r Renyi) validate() error {
	if !(r.Alpha > 1 && r.Alpha <= math.MaxFloat64) {
		return argument.New("alpha", "must be above 1 and finite, not %g", r.Alpha)
	}
	if !(r.Epsilon >= 0 && r.Epsilon <= math.MaxFloat64) {
		return argument.New("epsilon", "must be finite and not negative, not %g", r.Epsilon)
	}
	return nil
}

// GaussianRenyi returns the Renyi privacy of Gaussian noise of this mu at order alpha, exactly alpha·mu²/2 (Mironov
// 2017, Corollary 3), rounded up. Errors are *ArgumentError: "mu", "alpha".
func GaussianRenyi(m calibrate.Mu, alpha float64) (Renyi, error) {
	if err := m.Validate(); err != nil {
		return Renyi{}, err
	}
	r := Renyi{Alpha: alpha}
	if err := r.validate(); err != nil {
		return Renyi{}, err
	}
	e := numeric.UpOf(float64(m))
	e.Mul(e, e)
	e.Mul(e, numeric.UpOf(alpha))
	if r.Epsilon = numeric.Ceiling(e.SetMantExp(e, -1)); math.IsInf(r.Epsilon, 0) {
		return Renyi{}, argument.New("mu", "= %g is too large at alpha = %g", float64(m), alpha)
	}
	return r, nil
}

// Mu returns the largest parameter of a Gaussian mechanism that satisfies r: sqrt(2·epsilon/alpha), rounded down; 0 if
// epsilon is 0. Errors are *ArgumentError: "alpha", "epsilon".
func (r Renyi) Mu() (calibrate.Mu, error) {
	if err := r.validate(); err != nil {
		return 0, err
	}
	if r.Epsilon == 0 {
		return 0, nil
	}
	square := numeric.NewBig().Quo(numeric.BigOf(r.Epsilon), numeric.BigOf(r.Alpha))
	return calibrate.Mu(numeric.RoundedDown(square.Sqrt(square.SetMantExp(square, 1)))), nil
}

// DPEpsilon returns the epsilon that r implies at delta, at least 0, rounded up. It is the smaller of two bounds:
// epsilon + ln(1/delta)/(alpha-1) (Mironov 2017, Proposition 3), and epsilon + ln((alpha-1)/alpha) - (ln(delta) +
// ln(alpha))/(alpha-1) (Canonne, Kamath & Steinke 2020, Proposition 12). Errors are *ArgumentError: "alpha"; "epsilon",
// also if the result is above MaxEpsilon; "delta".
func (r Renyi) DPEpsilon(delta calibrate.Delta) (calibrate.Epsilon, error) {
	if err := r.validate(); err != nil {
		return 0, err
	}
	if err := delta.Validate(); err != nil {
		return 0, err
	}
	cost, gain := renyiCost(r.Alpha, delta)
	eps := cost.Add(cost, numeric.BigOf(r.Epsilon))
	if eps.Sign() <= 0 {
		return 0, nil
	}
	return epsilonUp("epsilon", numeric.WithSlack(eps, gain))
}

// GaussianBestRenyi returns the Renyi privacy of Gaussian noise at the order that implies the least epsilon at delta by
// Mironov's rule. This order is 1 + sqrt(2·ln(1/delta))/mu. DPEpsilon of the result is below rho +
// 2·sqrt(rho·ln(1/delta)) with rho = mu²/2, since it also uses the better rule. Errors are *ArgumentError: "mu",
// "delta".
func GaussianBestRenyi(m calibrate.Mu, delta calibrate.Delta) (Renyi, error) {
	if err := m.Validate(); err != nil {
		return Renyi{}, err
	}
	if err := delta.Validate(); err != nil {
		return Renyi{}, err
	}
	alpha := 1 + math.Sqrt(-2*math.Log(float64(delta)))/float64(m)
	return GaussianRenyi(m, math.Max(math.Min(alpha, math.MaxFloat64), math.Nextafter(1, 2)))
}

// MeanConcentrated is mean-concentrated differential privacy (Dwork & Rothblum 2016): the privacy loss has a mean of at
// most Mean, and its difference from the mean is subgaussian with parameter Spread.
type MeanConcentrated struct {
	Mean, Spread float64
}

// GaussianMeanConcentrated returns the mean-concentrated privacy of Gaussian noise of this mu, exactly (mu²/2, mu),
// rounded up. Errors are *ArgumentError: "mu".
func GaussianMeanConcentrated(m calibrate.Mu) (MeanConcentrated, error) {
	rho, err := GaussianRho(m)
	if err != nil {
		return MeanConcentrated{}, err
	}
	return MeanConcentrated{Mean: float64(rho), Spread: float64(m)}, nil
}

// DPEpsilon returns the epsilon that c implies at delta, rounded up: mean + spread·sqrt(2·ln(1/delta)), from the bound
// on one tail of the loss (Dwork & Rothblum 2016). Errors are *ArgumentError: "mean", "spread", "delta".
func (c MeanConcentrated) DPEpsilon(delta calibrate.Delta) (calibrate.Epsilon, error) {
	return c.epsilon(delta, 1)
}

// PDPEpsilon returns the epsilon of probabilistic differential privacy that c implies at delta: mean +
// spread·sqrt(2·ln(2/delta)), since both tails of the loss count. For Gaussian noise it exceeds the exact
// GaussianPDPEpsilon; Zhao et al. 2019, section VII, claim otherwise. Errors are *ArgumentError: "mean", "spread",
// "delta".
func (c MeanConcentrated) PDPEpsilon(delta calibrate.Delta) (calibrate.Epsilon, error) {
	return c.epsilon(delta, 2)
}

func (c MeanConcentrated) epsilon(delta calibrate.Delta, tails float64) (calibrate.Epsilon, error) {
	if err := c.validate(); err != nil {
		return 0, err
	}
	if err := delta.Validate(); err != nil {
		return 0, err
	}
	l := classicFactor(tails, numeric.BigOf(float64(delta)), numeric.ShortPrec)
	l.Mul(l, numeric.BigOf(c.Spread))
	return epsilonUp("spread", l.Add(l, numeric.BigOf(c.Mean)))
}

func (c MeanConcentrated) validate() error {
	if !(c.Mean >= 0 && c.Mean <= math.MaxFloat64) {
		return argument.New("mean", "must be finite and not negative, not %g", c.Mean)
	}
	return argument.Positive("spread", c.Spread)
}

// renyiCost returns the cost of the conversion at order alpha: DPEpsilon is the Renyi epsilon plus cost. Mironov's rule
// has the cost ln(1/delta)/(alpha-1), and the rule of Canonne, Kamath & Steinke has gain more. If gain is negative, the
// second rule is better, and cost includes it. The errors of cost and gain are below 2^-228·(|gain| + |cost|).
func renyiCost(alpha float64, delta calibrate.Delta) (cost, gain *big.Float) {
	a, less := numeric.BigOf(alpha), numeric.NewBig().Sub(numeric.BigOf(alpha), numeric.BigOf(1))
	gain = numeric.LnAt(numeric.NewBig().Quo(less, a), numeric.ShortPrec)
	gain.Sub(gain, numeric.NewBig().Quo(numeric.LnAt(a, numeric.ShortPrec), less))
	cost = numeric.NewBig().Quo(logInverse(delta), less)
	if gain.Sign() < 0 {
		cost.Add(cost, gain)
	}
	return cost, gain
}
