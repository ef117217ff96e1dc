package methods

import (
	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/calibrate/internal/argument"
)

// A guarantee of Gaussian noise can be stated by way of another notion of privacy. Every route but the exact one costs
// something, and these two tables say how much: in epsilon for a given noise (Routes), or in noise for a given
// guarantee (NoiseRoutes).

// Route is one way to say what Gaussian noise guarantees.
type Route struct {
	// Name is "gaussian" (exact), "pdp", "renyi", "zcdp", "mcdp-dp", "mcdp-pdp" or "zcdp-tight".
	Name string
	// Epsilon is what the route says at the delta.
	Epsilon calibrate.Epsilon
	// Excess is how much more that is than the exact one, relative; 0 if that is 0.
	Excess float64
	// Err says why the route has no answer.
	Err error
}

// Routes returns what the conversions of the literature make of Gaussian noise at a delta, and what each costs: the
// exact epsilon, probabilistic privacy (Zhao et al. 2019, Lemma 3), the simple rule's best Renyi order by the better
// rule, zCDP, mean-concentrated privacy with one tail and with two, and zCDP by the better rule at its own best order.
// Errors are those of GaussianEpsilon.
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

// NoiseRoute is one way to find noise for a guarantee.
type NoiseRoute struct {
	// Name is as in Route.
	Name string
	// Mu is the largest parameter of Gaussian noise that the route allows: sigma is L2 over it.
	Mu calibrate.Mu
	// Excess is how much more noise that is than the least, relative.
	Excess float64
	// Err says why the route has no answer.
	Err error
}

// NoiseRoutes returns how much Gaussian noise the conversions of the literature need for a guarantee. "renyi" is at
// the order that serves best, by the better rule. Errors are those of GaussianMu.
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

// allowed is the largest mu that Gaussian noise may have within what find finds.
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
