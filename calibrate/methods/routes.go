package methods

import (
	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/calibrate/internal/argument"
)

// The guarantee of Gaussian noise can be derived by way of other notions of privacy. Every such route except the exact
// one states a weaker guarantee than the noise has. Routes shows how much larger epsilon is for given noise, and
// NoiseRoutes how much more noise a given guarantee needs.

// Route is one way to derive an epsilon for Gaussian noise.
type Route struct {
	// Name is "gaussian" (exact), "pdp" (probabilistic), "renyi", "zcdp", "mcdp-dp" and "mcdp-pdp" (mean-concentrated, by
	// DPEpsilon and PDPEpsilon) or "zcdp-tight".
	Name string
	// Parameters holds the parameters of the notion that the noise satisfies, by name: "mu" for "gaussian"; "alpha" and
	// "epsilon" for "renyi"; "rho" for "zcdp" and "zcdp-tight"; "mean" and "spread" for "mcdp-…". It is nil for "pdp".
	Parameters map[string]float64
	// Epsilon is the epsilon that the route derives at the given delta.
	Epsilon calibrate.Epsilon
	// Excess is Epsilon divided by the exact epsilon, minus 1. It is 0 if the exact epsilon is 0.
	Excess float64
	// Err is the reason why the route has no answer, or nil.
	Err error
}

// Routes returns the epsilon of Gaussian noise at delta by each conversion of the literature. The routes are the exact
// curve, probabilistic privacy (Zhao et al. 2019, Lemma 3), Renyi privacy at the best order of the simple rule, zCDP,
// mean-concentrated privacy with one tail and with two, and zCDP by the better rule at its own best order. Errors: as
// for GaussianEpsilon.
func Routes(mu calibrate.Mu, delta calibrate.Delta) ([]Route, error) {
	exact, err := calibrate.GaussianEpsilon(delta, mu)
	if err != nil {
		return nil, err
	}
	routes := []Route{{Name: "gaussian", Parameters: map[string]float64{"mu": float64(mu)}, Epsilon: exact}}
	add := func(name string, parameters map[string]float64, eps calibrate.Epsilon, err error) {
		route := Route{Name: name, Parameters: parameters, Epsilon: eps, Err: err}
		if err == nil && exact > 0 {
			route.Excess = excess(float64(eps), float64(exact))
		}
		routes = append(routes, route)
	}
	pdp, pdpErr := GaussianPDPEpsilon(delta, mu)
	add("pdp", nil, pdp, pdpErr)
	renyi, renyiErr := GaussianBestRenyi(mu, delta)
	rho, rhoErr := GaussianRho(mu)
	mean, meanErr := GaussianMeanConcentrated(mu)
	for _, r := range []struct {
		name   string
		notion notion
		err    error
		find   func(calibrate.Delta) (calibrate.Epsilon, error)
	}{
		{"renyi", renyi, renyiErr, renyi.DPEpsilon}, {"zcdp", rho, rhoErr, rho.Epsilon},
		{"mcdp-dp", mean, meanErr, mean.DPEpsilon}, {"mcdp-pdp", mean, meanErr, mean.PDPEpsilon},
		{"zcdp-tight", rho, rhoErr, rho.TightEpsilon},
	} {
		if r.err != nil {
			add(r.name, nil, 0, r.err)
			continue
		}
		eps, err := r.find(delta)
		add(r.name, r.notion.Parameters(), eps, err)
	}
	return routes, nil
}

// NoiseRoute is one way to derive the noise that a guarantee needs.
type NoiseRoute struct {
	// Name is the name of the route, as in Route.
	Name string
	// Parameters holds the largest parameters that imply the guarantee, as in Route; nil for "gaussian" and "pdp".
	Parameters map[string]float64
	// Mu is the largest parameter of Gaussian noise that the route allows: sigma is L2/Mu.
	Mu calibrate.Mu
	// Excess is the route's sigma divided by the least sigma, minus 1.
	Excess float64
	// Err is the reason why the route has no answer, or nil.
	Err error
}

// NoiseRoutes returns the Gaussian noise that a guarantee needs by each conversion of the literature. "renyi" uses the
// order that needs the least noise, by the better rule. Errors: as for GaussianMu.
func NoiseRoutes(g calibrate.Guarantee) ([]NoiseRoute, error) {
	exact, err := calibrate.GaussianMu(g)
	if err != nil {
		return nil, err
	}
	routes := []NoiseRoute{{Name: "gaussian", Mu: exact}}
	for _, r := range []struct {
		name string
		find func(calibrate.Guarantee) (map[string]float64, calibrate.Mu, error)
	}{
		{"pdp", func(g calibrate.Guarantee) (map[string]float64, calibrate.Mu, error) {
			mu, err := gaussianPDPMu(g)
			return nil, mu, err
		}}, {"renyi", parametersBy(BestRenyiFor)}, {"zcdp", parametersBy(ZCDPRho)},
		{"mcdp-dp", parametersBy(MeanConcentratedFor)},
		{"mcdp-pdp", parametersBy(MeanConcentratedForPDP)}, {"zcdp-tight", parametersBy(TightZCDPRho)},
	} {
		parameters, mu, err := r.find(g)
		if err == nil && mu == 0 {
			err = argument.New("epsilon", "= %g allows no mu above 0", float64(g.Epsilon))
		}
		route := NoiseRoute{Name: r.name, Parameters: parameters, Mu: mu, Err: err}
		if err == nil {
			route.Excess = excess(float64(exact), float64(mu))
		}
		routes = append(routes, route)
	}
	return routes, nil
}

// notion holds the parameters of one notion of privacy, such as [Rho].
type notion interface {
	Mu() (calibrate.Mu, error)
	Parameters() map[string]float64
}

// Parameters returns the order as "alpha" and the bound on the divergence as "epsilon".
func (r Renyi) Parameters() map[string]float64 {
	return map[string]float64{"alpha": r.Alpha, "epsilon": r.Epsilon}
}

// Parameters returns rho as "rho".
func (r Rho) Parameters() map[string]float64 { return map[string]float64{"rho": float64(r)} }

// Parameters returns the bounds on the privacy loss as "mean" and "spread".
func (c MeanConcentrated) Parameters() map[string]float64 {
	return map[string]float64{"mean": c.Mean, "spread": c.Spread}
}

// parametersBy returns a function of a guarantee. It calls find for the parameters of another notion of privacy, and
// returns them by name, together with the largest mu that they allow.
func parametersBy[N notion](find func(calibrate.Guarantee) (N, error)) func(calibrate.Guarantee) (map[string]float64,
	calibrate.Mu, error) {
	return func(g calibrate.Guarantee) (map[string]float64, calibrate.Mu, error) {
		notion, err := find(g)
		if err != nil {
			return nil, 0, err
		}
		mu, err := notion.Mu()
		return notion.Parameters(), mu, err
	}
}
