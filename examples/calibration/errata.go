package main

import (
	"context"
	"fmt"
	"math"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/calibrate/methods"
	"github.com/dprelease/dprelease/examples/internal/experiment"
)

// erratum is a number that a paper prints, and the exact number.
type erratum struct {
	claim          string
	printed, exact float64
}

// errata compares numbers that the papers print with the exact ones.
func errata(_ context.Context, s *experiment.Session) error {
	var failed error
	// formula returns sigma by a method. If a method fails, it keeps the first error.
	formula := func(m methods.Method, eps, delta float64) float64 {
		x, err := m.Formula(unit, at(eps, delta))
		if err != nil && failed == nil {
			failed = err
		}
		return float64(x)
	}
	limit, err := methods.Dwork2014.Threshold(1e-5)
	if err != nil {
		return err
	}
	routes, err := pdpRoute(1, 1e-5)
	if err != nil {
		return err
	}
	list := []erratum{
		{"Balle & Wang, Theorem 4: sigma at eps 1, delta 0.4 is at least 1/sqrt(2)", 1 / math.Sqrt2,
			formula(methods.Analytic, 1, 0.4)},
		{"Zhao et al., G(1e-5) of Dwork-2014", 8.43, float64(limit)},
		{"Zhao et al., Table I: least sigma at eps 31.62, delta 1e-4", 0.1976, formula(methods.Analytic, 31.62, 1e-4)},
		{"Zhao et al., Table I: Dwork-2006 at eps 10, delta 0.01", 0.3325, formula(methods.Dwork2006, 10, 0.01)},
		{"Zhao et al., (7a): Mechanism 1 is near the optimum at eps 1e-6, delta 1e-5", formula(methods.Zhao1, 1e-6, 1e-5),
			formula(methods.Zhao1Guarded, 1e-6, 1e-5)},
		{"Zhao et al., VII: mean-concentrated DP implies pDP-OPT's epsilon (mu of eps 1, delta 1e-5)", routes[0], routes[1]},
	}
	if failed != nil {
		return failed
	}
	table := experiment.Table{Columns: []string{"claim", "printed", "exact", "ratio"}}
	for _, e := range list {
		table.Add(e.claim, e.printed, e.exact, e.printed/e.exact)
		s.Say("  %s: printed %.6g, exact %.6g", e.claim, e.printed, e.exact)
	}
	return s.Table("errata", table)
}

// pdpRoute returns the epsilon of probabilistic DP (pDP) for noise that is (eps, delta)-DP: first by the curve of pDP
// itself, as the paper claims, then by way of mean-concentrated DP.
func pdpRoute(eps, delta float64) (out [2]float64, err error) {
	mu, err := calibrate.GaussianMu(at(eps, delta))
	if err != nil {
		return out, err
	}
	routes, err := methods.Routes(mu, calibrate.Delta(delta))
	if err != nil {
		return out, err
	}
	for _, r := range routes {
		switch r.Name {
		case "pdp":
			out[0] = float64(r.Epsilon)
		case "mcdp-pdp":
			out[1] = float64(r.Epsilon)
		}
	}
	if out[0] == 0 || out[1] == 0 {
		return out, fmt.Errorf("a route has no answer at eps %g, delta %g", eps, delta)
	}
	return out, nil
}
