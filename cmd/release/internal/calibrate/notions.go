package calibrate

import (
	"strings"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/calibrate/methods"
	"github.com/dprelease/dprelease/cmd/release/internal/console"
)

// What is here answers for the flags of convert.

// convertFlags are what convert starts from.
type convertFlags struct{ epsilon, sigma, sensitivity, mu, rho, renyi, tcdp, mcdp, delta string }

// converted is one row: what a notion says.
type converted struct {
	Notion     string             `json:"notion"`
	Parameters map[string]float64 `json:"parameters,omitempty"`
	Epsilon    *float64           `json:"epsilon,omitempty"`
	Mu         *float64           `json:"mu,omitempty"`
	Sigma      *float64           `json:"sigma,omitempty"`
	Excess     *float64           `json:"excess,omitempty"`
	Error      string             `json:"error,omitempty"`
}

func fromGuarantee(f *convertFlags, delta calibrate.Delta) ([]converted, error) {
	in, err := read([]string{"epsilon"}, map[string]string{"epsilon": f.epsilon, "sensitivity": f.sensitivity})
	if err != nil {
		return nil, err
	}
	g := calibrate.Guarantee{Epsilon: in.guarantee.Epsilon, Delta: delta}
	routes, err := methods.NoiseRoutes(g)
	if err != nil {
		return nil, err
	}
	rows := make([]converted, 0, len(routes))
	for _, r := range routes {
		row := converted{Notion: r.Name}
		if r.Err != nil {
			row.Error = plain(r.Err)
			rows = append(rows, row)
			continue
		}
		row.Parameters = allowedParameters(r.Name, g)
		row.Mu, row.Excess = number(float64(r.Mu)), number(r.Excess)
		row.Sigma = sigmaFor(in.sensitivity, r.Mu)
		rows = append(rows, row)
	}
	return rows, nil
}

// sigmaFor is the least sigma that has this mu at a sensitivity; nil if there is none.
func sigmaFor(s calibrate.Sensitivity, mu calibrate.Mu) *float64 {
	if sigma, err := mu.Sigma(s); err == nil {
		return number(float64(sigma))
	}
	return nil
}

// allowedParameters are the largest of a notion that imply g.
func allowedParameters(name string, g calibrate.Guarantee) map[string]float64 {
	switch name {
	case "renyi":
		r, _ := methods.BestRenyiFor(g)
		return map[string]float64{"alpha": r.Alpha, "epsilon": r.Epsilon}
	case "zcdp":
		rho, _ := methods.ZCDPRho(g)
		return map[string]float64{"rho": float64(rho)}
	case "zcdp-tight":
		rho, _ := methods.TightZCDPRho(g)
		return map[string]float64{"rho": float64(rho)}
	case "mcdp-dp":
		c, _ := methods.MeanConcentratedFor(g)
		return map[string]float64{"mean": c.Mean, "spread": c.Spread}
	case "mcdp-pdp":
		c, _ := methods.MeanConcentratedForPDP(g)
		return map[string]float64{"mean": c.Mean, "spread": c.Spread}
	}
	return nil
}

func number(x float64) *float64 { return &x }

func fromSigma(f *convertFlags, delta calibrate.Delta) ([]converted, error) {
	in, err := read([]string{"sigma"}, map[string]string{"sigma": f.sigma, "sensitivity": f.sensitivity})
	if err != nil {
		return nil, err
	}
	if _, err := in.mechanism().Delta(0); err != nil { // names what is wrong with the sensitivity or sigma
		return nil, err
	}
	return gaussianNotions(in.mechanism().Mu(), delta)
}

func fromMu(f *convertFlags, delta calibrate.Delta) ([]converted, error) {
	x, err := parseNumber(roundedUp, "mu", f.mu)
	if err != nil {
		return nil, err
	}
	return gaussianNotions(calibrate.Mu(x), delta)
}

// gaussianNotions is what Gaussian noise satisfies.
func gaussianNotions(mu calibrate.Mu, delta calibrate.Delta) ([]converted, error) {
	routes, err := methods.Routes(mu, delta)
	if err != nil {
		return nil, err
	}
	rows := make([]converted, len(routes))
	for i, r := range routes {
		rows[i] = converted{Notion: r.Name, Parameters: satisfied(r.Name, mu, delta)}
		if r.Err != nil {
			rows[i].Error = plain(r.Err)
			continue
		}
		rows[i].Epsilon, rows[i].Excess = number(float64(r.Epsilon)), number(r.Excess)
	}
	return rows, nil
}

// satisfied are the parameters of a notion that Gaussian noise satisfies.
func satisfied(name string, mu calibrate.Mu, delta calibrate.Delta) map[string]float64 {
	switch name {
	case "gaussian":
		return map[string]float64{"mu": float64(mu)}
	case "renyi":
		if r, err := methods.GaussianBestRenyi(mu, delta); err == nil {
			return map[string]float64{"alpha": r.Alpha, "epsilon": r.Epsilon}
		}
	case "zcdp", "zcdp-tight":
		if rho, err := methods.GaussianRho(mu); err == nil {
			return map[string]float64{"rho": float64(rho)}
		}
	case "mcdp-dp", "mcdp-pdp":
		if c, err := methods.GaussianMeanConcentrated(mu); err == nil {
			return map[string]float64{"mean": c.Mean, "spread": c.Spread}
		}
	}
	return nil
}

// notionRow is what one rule makes of a notion.
func notionRow(name string, of map[string]float64, eps calibrate.Epsilon, err error) converted {
	row := converted{Notion: name, Parameters: of}
	if err != nil {
		row.Error = plain(err)
		return row
	}
	row.Epsilon = number(float64(eps))
	return row
}

// withMu adds the largest mu of Gaussian noise that satisfies the notion; 0 is none.
func withMu(rows []converted, mu calibrate.Mu, err error) ([]converted, error) {
	if err != nil {
		return nil, err
	}
	for i := range rows {
		if rows[i].Error == "" {
			rows[i].Mu = number(float64(mu))
		}
	}
	return rows, nil
}

func fromRho(f *convertFlags, delta calibrate.Delta) ([]converted, error) {
	x, err := parseNumber(roundedUp, "rho", f.rho)
	if err != nil {
		return nil, err
	}
	rho, of := methods.Rho(x), map[string]float64{"rho": x}
	mu, err := rho.Mu()
	simple, simpleErr := rho.Epsilon(delta)
	tight, tightErr := rho.TightEpsilon(delta)
	return withMu([]converted{notionRow("zcdp", of, simple, simpleErr), notionRow("zcdp-tight", of, tight, tightErr)}, mu,
		err)
}

func fromRenyi(f *convertFlags, delta calibrate.Delta) ([]converted, error) {
	alpha, eps, err := pair("renyi", f.renyi, "alpha", "epsilon")
	if err != nil {
		return nil, err
	}
	r := methods.Renyi{Alpha: alpha, Epsilon: eps}
	mu, err := r.Mu()
	e, epsErr := r.DPEpsilon(delta)
	return withMu([]converted{notionRow("renyi", map[string]float64{"alpha": alpha, "epsilon": eps}, e, epsErr)}, mu, err)
}

func fromTruncated(f *convertFlags, delta calibrate.Delta) ([]converted, error) {
	rho, omega, err := pair("tcdp", f.tcdp, "rho", "omega")
	if err != nil {
		return nil, err
	}
	t := methods.Truncated{Rho: methods.Rho(rho), Omega: omega}
	mu, err := t.Mu()
	e, epsErr := t.DPEpsilon(delta)
	return withMu([]converted{notionRow("tcdp", map[string]float64{"rho": rho, "omega": omega}, e, epsErr)}, mu, err)
}

func fromMeanConcentrated(f *convertFlags, delta calibrate.Delta) ([]converted, error) {
	mean, spread, err := pair("mcdp", f.mcdp, "mean", "spread")
	if err != nil {
		return nil, err
	}
	c := methods.MeanConcentrated{Mean: mean, Spread: spread}
	of := map[string]float64{"mean": mean, "spread": spread}
	mu, err := c.Mu()
	dp, dpErr := c.DPEpsilon(delta)
	pdp, pdpErr := c.PDPEpsilon(delta)
	return withMu([]converted{notionRow("mcdp-dp", of, dp, dpErr), notionRow("mcdp-pdp", of, pdp, pdpErr)}, mu, err)
}

// roundedUp takes every number up: towards more loss, if it is one. Orders are taken down, if a notion says less.
func roundedUp(name string) func(string) (float64, error) {
	if name == "alpha" || name == "omega" {
		return calibrate.ParseDown
	}
	return calibrate.ParseUp
}

// pair reads "x,y".
func pair(flag, text, first, second string) (x, y float64, err error) {
	fields := strings.Split(text, ",")
	if len(fields) != 2 {
		return 0, 0, console.Usagef("--%s: write %s,%s", flag, strings.ToUpper(first), strings.ToUpper(second))
	}
	if x, err = parseNumber(roundedUp, first, fields[0]); err != nil {
		return 0, 0, err
	}
	y, err = parseNumber(roundedUp, second, fields[1])
	return x, y, err
}
