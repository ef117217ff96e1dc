package methods

import (
	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/calibrate/internal/argument"
)

// The guarantee of Gaussian noise can be stated through another notion of privacy. Every such route but the exact one
// costs something. Two tables show how much: in epsilon for given noise (Routes), or in noise for a given guarantee
// (NoiseRoutes).

// Route is one way to derive an epsilon for Gaussian noise.
type Route struct {
	// Name is "gaussian" (exact), "pdp", "renyi", "zcdp", "mcdp-dp", "mcdp-pdp" or "zcdp-tight".
	Name string
	// Epsilon is the route's epsilon at the delta.
	Epsilon calibrate.Epsilon
	// Excess is Epsilon over the exact epsilon, minus 1; 0 if the exact epsilon is 0.
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
	routes := []Route{{Name: "gaussian", Epsilon: exact}}
	for _, r := range []struct {
		name string
		find func(calibrate.Mu, calibrate.Delta) (calibrate.Epsilon, error)
	}{{"pdp", pdpRoute}, {"renyi", renyiRoute}, {"zcdp", zcdpRoute}, {"mcdp-dp", mcdpRoute}, {"mcdp-pdp",
		mcdpPDPRoute}, {"zcdp-tight", tightRoute}} {
		eps, err := r.find(mu, delta)
		route := Route{Name: r.name, Epsilon: eps, Err: err}
		if err == nil && exact > 0 {
			route.Excess = excess(float64(eps), float64(exact))
		}
		routes = append(routes, route)
	}
	return routes, nil
}

func pdpRoute(mu calibrate.Mu, delta calibrate.Delta) (calibrate.Epsilon, error) {
	return GaussianPDPEpsilon(delta, mu)
}

func renyiRoute(mu calibrate.Mu, delta calibrate.Delta) (calibrate.Epsilon, error) {
	r, err := GaussianBestRenyi(mu, delta)
	if err != nil {
		return 0, err
	}
	return r.DPEpsilon(delta)
}

func zcdpRoute(mu calibrate.Mu, delta calibrate.Delta) (calibrate.Epsilon, error) {
	rho, err := GaussianRho(mu)
	if err != nil {
		return 0, err
	}
	return rho.Epsilon(delta)
}

func mcdpRoute(mu calibrate.Mu, delta calibrate.Delta) (calibrate.Epsilon, error) {
	c, err := GaussianMeanConcentrated(mu)
	if err != nil {
		return 0, err
	}
	return c.DPEpsilon(delta)
}

func mcdpPDPRoute(mu calibrate.Mu, delta calibrate.Delta) (calibrate.Epsilon, error) {
	c, err := GaussianMeanConcentrated(mu)
	if err != nil {
		return 0, err
	}
	return c.PDPEpsilon(delta)
}

func tightRoute(mu calibrate.Mu, delta calibrate.Delta) (calibrate.Epsilon, error) {
	rho, err := GaussianRho(mu)
	if err != nil {
		return 0, err
	}
	return rho.TightEpsilon(delta)
}

// NoiseRoute is one way to find the noise for a guarantee.
type NoiseRoute struct {
	// Name is as in Route.
	Name string
	// Mu is the largest parameter of Gaussian noise that the route allows: sigma is L2/Mu.
	Mu calibrate.Mu
	// Excess is the route's sigma over the least sigma, minus 1.
	Excess float64
	// Err is the reason why the route has no answer, or nil.
	Err error
}

// NoiseRoutes returns how much Gaussian noise each conversion of the literature needs for a guarantee. "renyi" uses the
// order that allows the least noise, by the better rule. Errors: as for GaussianMu.
func NoiseRoutes(g calibrate.Guarantee) ([]NoiseRoute, error) {
	exact, err := calibrate.GaussianMu(g)
	if err != nil {
		return nil, err
	}
	routes := []NoiseRoute{{Name: "gaussian", Mu: exact}}
	for _, r := range []struct {
		name string
		find func(calibrate.Guarantee) (calibrate.Mu, error)
	}{
		{"pdp", gaussianPDPMu}, {"renyi", allowed(BestRenyiFor)}, {"zcdp", allowed(ZCDPRho)}, {"mcdp-dp",
			allowed(MeanConcentratedFor)},
		{"mcdp-pdp", allowed(MeanConcentratedForPDP)}, {"zcdp-tight", allowed(TightZCDPRho)},
	} {
		mu, err := r.find(g)
		if err == nil && mu == 0 {
			err = argument.New("epsilon", "= %g allows no mu above 0", float64(g.Epsilon))
		}
		route := NoiseRoute{Name: r.name, Mu: mu, Err: err}
		if err == nil {
			route.Excess = excess(float64(exact), float64(mu))
		}
		routes = append(routes, route)
	}
	return routes, nil
}

// allowed returns a function that finds another notion of privacy for a guarantee and returns the largest mu that it
// allows.
func allowed[N interface{ Mu() (calibrate.Mu, error) }](find func(calibrate.Guarantee) (N,
	error)) func(calibrate.Guarantee) (calibrate.Mu, error) {
	return func(g calibrate.Guarantee) (calibrate.Mu, error) {
		notion, err := find(g)
		if err != nil {
			return 0, err
		}
		return notion.Mu()
	}
}
