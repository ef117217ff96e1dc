package calibrate

// Route is one way to say what Gaussian noise guarantees.
type Route struct {
	// Name is "gaussian" (exact), "pdp", "renyi", "zcdp", "mcdp-dp", "mcdp-pdp" or "zcdp-tight".
	Name string
	// Epsilon is what the route says at the delta.
	Epsilon Epsilon
	// Excess is how much more that is than the exact one, relative; 0 if that is 0.
	Excess float64
	// Err says why the route has no answer.
	Err error
}

// Routes is what the conversions of the literature make of Gaussian noise at a delta, and what each costs: the exact epsilon, probabilistic
// privacy (Zhao et al. 2019, Lemma 3), the simple rule's best Renyi order by the better rule, zCDP, mean-concentrated privacy with one
// tail and with two, and zCDP by the better rule at its own best order. Errors are those of GaussianEpsilon.
func Routes(mu Mu, delta Delta) ([]Route, error) {
	exact, err := GaussianEpsilon(delta, mu)
	if err != nil {
		return nil, err
	}
	routes := []Route{{Name: "gaussian", Epsilon: exact}}
	for _, r := range []struct {
		name string
		find func(Mu, Delta) (Epsilon, error)
	}{{"pdp", pdpRoute}, {"renyi", renyiRoute}, {"zcdp", zcdpRoute}, {"mcdp-dp", mcdpRoute}, {"mcdp-pdp", mcdpPDPRoute}, {"zcdp-tight", tightRoute}} {
		eps, err := r.find(mu, delta)
		route := Route{Name: r.name, Epsilon: eps, Err: err}
		if err == nil && exact > 0 {
			route.Excess = excess(float64(eps), float64(exact))
		}
		routes = append(routes, route)
	}
	return routes, nil
}

func pdpRoute(mu Mu, delta Delta) (Epsilon, error) { return GaussianPDPEpsilon(delta, mu) }

func renyiRoute(mu Mu, delta Delta) (Epsilon, error) {
	r, err := mu.BestRenyi(delta)
	if err != nil {
		return 0, err
	}
	return r.DPEpsilon(delta)
}

func zcdpRoute(mu Mu, delta Delta) (Epsilon, error) {
	rho, err := mu.Rho()
	if err != nil {
		return 0, err
	}
	return rho.Epsilon(delta)
}

func mcdpRoute(mu Mu, delta Delta) (Epsilon, error) {
	c, err := mu.MeanConcentrated()
	if err != nil {
		return 0, err
	}
	return c.DPEpsilon(delta)
}

func mcdpPDPRoute(mu Mu, delta Delta) (Epsilon, error) {
	c, err := mu.MeanConcentrated()
	if err != nil {
		return 0, err
	}
	return c.PDPEpsilon(delta)
}

func tightRoute(mu Mu, delta Delta) (Epsilon, error) {
	rho, err := mu.Rho()
	if err != nil {
		return 0, err
	}
	return rho.TightEpsilon(delta)
}
