package calibrate

// NoiseRoute is one way to find noise for a guarantee.
type NoiseRoute struct {
	// Name is as in Route.
	Name string
	// Mu is the largest parameter of Gaussian noise that the route allows: sigma is L2 over it.
	Mu Mu
	// Excess is how much more noise that is than the least, relative.
	Excess float64
	// Err says why the route has no answer.
	Err error
}

// NoiseRoutes is Routes the other way: how much Gaussian noise the conversions of the literature ask for a guarantee. "renyi" is at
// the order that serves best, by the better rule. Errors are those of GaussianMu.
func NoiseRoutes(g Guarantee) ([]NoiseRoute, error) {
	exact, err := GaussianMu(g)
	if err != nil {
		return nil, err
	}
	routes := []NoiseRoute{{Name: "gaussian", Mu: exact}}
	for _, r := range []struct {
		name string
		find func(Guarantee) (Mu, error)
	}{
		{"pdp", gaussianPDPMu}, {"renyi", allowed(BestRenyiFor)}, {"zcdp", allowed(ZCDPRho)}, {"mcdp-dp", allowed(MeanConcentratedFor)},
		{"mcdp-pdp", allowed(MeanConcentratedForPDP)}, {"zcdp-tight", allowed(TightZCDPRho)},
	} {
		mu, err := r.find(g)
		if err == nil && mu == 0 {
			err = argument("epsilon", "= %g allows no mu above 0", float64(g.Epsilon))
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
func allowed[N interface{ Mu() (Mu, error) }](find func(Guarantee) (N, error)) func(Guarantee) (Mu, error) {
	return func(g Guarantee) (Mu, error) {
		notion, err := find(g)
		if err != nil {
			return 0, err
		}
		return notion.Mu()
	}
}
