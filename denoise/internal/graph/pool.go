package graph

import "math"

// pool averages candidate estimates with the weights exp(−SURE/(4·s²)) (Leung & Barron, "Information theory and mixing
// least-squares regressions", IEEE Transactions on Information Theory 52, 2006). If one candidate is clearly best, it
// gets nearly all the weight. If the risk estimates do not distinguish the candidates, the average has less error than
// the candidate with the smallest risk estimate.
type pool struct {
	sigma float64
	// least is the smallest SURE so far; weights are relative to it. lambda and floor are the parameters of the candidate
	// with this SURE.
	least, lambda, floor float64
	// sums over all candidates: of the weights, and of weight times DF, estimates and leverages
	total, df   float64
	x, leverage []float64
}

func newPool(n int, sigma float64) *pool {
	return &pool{sigma: sigma, least: math.Inf(1), x: make([]float64, n), leverage: make([]float64, n)}
}

// addFit adds a candidate; cost is its SURE. The caller may overwrite f afterwards.
func (p *pool) addFit(f *Fit, cost float64) { p.include(f, cost, 1) }

// unite adds all candidates of another pool.
func (p *pool) unite(other *pool) { p.include(other.fit(), other.least, other.total) }

// include adds the weighted average f of some candidates. least is their smallest SURE, and total the sum of their
// weights relative to it.
func (p *pool) include(f *Fit, least, total float64) {
	if least < p.least {
		p.scale(p.weight(p.least - least))
		p.least, p.lambda, p.floor = least, f.Lambda, f.Floor
	}
	w := p.weight(least-p.least) * total
	p.total += w
	p.df += float64(w * f.DF)
	for i, v := range f.X {
		p.x[i] += float64(w * v)
		p.leverage[i] += float64(w * f.Leverage[i])
	}
}

// weight returns the weight of a candidate whose SURE exceeds the least SURE by excess.
func (p *pool) weight(excess float64) float64 {
	if excess == 0 { // the best candidate has the weight 1, also if sigma is 0
		return 1
	}
	return math.Exp(-excess / p.sigma / p.sigma / 4)
}

func (p *pool) scale(f float64) {
	p.total *= f
	p.df *= f
	for i := range p.x {
		p.x[i] *= f
		p.leverage[i] *= f
	}
}

// fit returns the average of all candidates.
func (p *pool) fit() *Fit {
	n := len(p.x)
	out := &Fit{X: make([]float64, n), Leverage: make([]float64, n), DF: p.df / p.total, Lambda: p.lambda, Floor: p.floor}
	for i := range p.x {
		out.X[i], out.Leverage[i] = p.x[i]/p.total, p.leverage[i]/p.total
	}
	return out
}
