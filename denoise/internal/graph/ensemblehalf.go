package graph

import (
	"context"
	"math"
)

// floors holds the floors from which [TreeEnsemble] chooses. An infinite floor stands for the estimate of the first
// pass.
var floors = []float64{0.03, 0.1, 0.3, 1, math.Inf(1)}

// halfOptions holds the options of one half of the ensemble's trees. bias is the length bias b at each edge (see
// lengthBias), or nil for uniform trees.
type halfOptions struct {
	bias    []float64
	options EnsembleOptions
}

// ensembleHalf is the computation with one half of the ensemble's trees.
type ensembleHalf struct {
	*family
	y     []float64
	o     EnsembleOptions
	sigma float64
	// tried and expected count estimates, for a progress bar. If a search extends its grid, it tries more than
	// expected.
	tried, expected int
}

// The number of values of λ that each pass tries: the values of its grid, and the values between the best one and its
// two neighbours.
const firstTries, secondTries = 8 + 2*2, 3 + 2*1

func (h *ensembleHalf) report(tried int) {
	h.tried = min(tried, h.expected)
	if h.o.Run.Progress != nil {
		h.o.Run.Progress(h.tried, h.expected)
	}
}

func estimateHalf(ctx context.Context, g *Graph, y []float64, l halfOptions) (*Fit, error) {
	f, err := newFamily(ctx, g, l.bias, l.options)
	if err != nil {
		return nil, err
	}
	choices := floors
	if l.options.Floor > 0 {
		choices = []float64{l.options.Floor}
	}
	h := &ensembleHalf{family: f, y: y, o: l.options, sigma: l.options.Penalty.Sigma, expected: firstTries +
		secondTries*len(choices)}
	h.pilot(nil)
	first := newPool(len(y), h.sigma)
	if err := h.candidates(ctx, scan{h.sigma / 16 / mean(h.scale), 2, 8, 2}, math.Inf(1), first); err != nil {
		return nil, err
	}
	return h.runSecondPass(ctx, choices, first)
}

// runSecondPass carries out the second pass with each floor in choices, and returns the average of all candidates.
// first holds the candidates of the first pass.
func (h *ensembleHalf) runSecondPass(ctx context.Context, choices []float64, first *pool) (*Fit, error) {
	pilot := first.fit().X
	all := newPool(len(h.y), h.sigma)
	for _, floor := range choices {
		if math.IsInf(floor, 1) {
			all.unite(first)
		} else {
			h.pilot(pilotValues(h.y, pilot, floor, h.sigma))
			if err := h.candidates(ctx, scan{first.lambda / 2, 2, 3, 1}, floor, all); err != nil {
				return nil, err
			}
		}
	}
	h.report(h.expected)
	return all.fit(), nil
}

// candidates adds the estimates for several λ to a pool, or the estimate for the given λ. It uses the current factors
// of λ at the edges.
func (h *ensembleHalf) candidates(ctx context.Context, grid scan, floor float64, to *pool) error {
	risk := func(ctx context.Context, lambda []float64) ([]float64, error) {
		out := make([]float64, len(lambda))
		for i, l := range lambda {
			fit, err := h.estimate(ctx, h.y, l)
			if err != nil {
				return nil, err
			}
			fit.Floor = floor
			out[i] = fit.SURE(h.y, h.sigma)
			to.addFit(fit, out[i])
			h.report(h.tried + 1)
		}
		return out, nil
	}
	if h.sigma == 0 {
		_, err := risk(ctx, []float64{h.o.Penalty.Lambda})
		return err
	}
	_, err := h.o.Penalty.find(ctx, grid, &search{risk: risk})
	return err
}

// pilotValues returns max(x_i, 0) + c·mean(y) for each node i, divided by the geometric mean of these sums over all
// nodes, and limited to 10⁻⁶ … 10⁶. x is the pilot estimate and c the floor. If the mean of y is below s/64, s/64 is
// used instead.
func pilotValues(y, x []float64, c, s float64) []float64 {
	var sum, largest, logs float64
	for i, v := range y {
		sum += v
		largest = max(largest, x[i])
	}
	floor := c * max(sum/float64(len(y)), s/64)
	if floor <= 0 {
		floor = max(1e-6*largest, math.SmallestNonzeroFloat64)
	}
	w := make([]float64, len(x))
	for i, v := range x {
		w[i] = max(v, 0) + floor
		logs += math.Log(w[i])
	}
	centre := math.Exp(logs / float64(len(x)))
	for i := range w {
		w[i] = min(max(w[i]/centre, 1e-6), 1e6)
	}
	return w
}
