package denoise

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
)

func init() { register(auto) }

func auto() Method {
	floor := nonnegativeParam()
	return Method{
		Name: "auto", Params: []Param{floor}, KnownNoise: true, TakesGraph: true,
		Doc: "the method of least estimated error among those that suit the cells; the noisy values if none is clearly " +
			"better",
		build: func(a Args) rule {
			return func(ctx context.Context, p problem) (Fit, error) {
				f, err := choose(ctx, p, candidates(p.structure, a.text(floor)))
				if a.boolean(floor) && err == nil {
					f = clipped(f)
				}
				return f, err
			}
		},
	}
}

// candidate is a method and its parameters, one of several that the method auto tries.
type candidate struct {
	label, method string
	args          Args
	// preferred is set if this candidate is chosen unless another is clearly better.
	preferred bool
}

// candidates returns the candidates for these cells, the simplest first.
func candidates(cells structure, nonnegative string) []candidate {
	out := []candidate{
		{label: "james-stein", method: "james-stein"},
		{label: "james-stein toward the mean", method: "james-stein", args: Args{"toward": "mean"}},
		{label: "empirical-bayes", method: "empirical-bayes", args: Args{"nonnegative": nonnegative}},
	}
	if cells.shape != nil && len(cells.shape.ordered()) > 0 {
		out = append(out, candidate{label: "wavelet by SURE", method: "wavelet", args: Args{"threshold": "sure"}},
			candidate{label: "wavelet by level", method: "wavelet", args: Args{"threshold": "level"}})
		if len(cells.shape.ordered()) == 1 {
			out = append(out, candidate{label: "total-variation", method: "total-variation"})
		}
	}
	more := graphCandidates(cells)
	if more == nil { // on a graph, the estimated error of its threshold would be far too small
		out = append(out, candidate{label: "soft-threshold by SURE", method: "soft-threshold",
			args: Args{"threshold": "sure"}})
	}
	return append(out, more...)
}

// contender is a candidate's fit with its estimated squared error, in units of the noise variance s².
type contender struct {
	Fit
	label string
	risk  float64
}

// Another candidate replaces the preferred one only if its estimated error is lower by more than certainty standard
// deviations of the difference of the two.
const certainty = 2

// choose returns the fit with the smallest estimated error, averaged with the fits that are not significantly worse. To
// choose one of these would be chance, and in their average the errors partly cancel. If the best fit is not clearly
// better than the noisy values, choose returns the noisy values. Clearly better means: by more than the cost of one
// free parameter plus the standard deviation of the difference.
//
// On a graph, the differences between good estimators are smaller than the noise of their estimated errors. There,
// choose returns the preferred candidate, which is best on real tables, unless another is clearly better.
func choose(ctx context.Context, p problem, from []candidate) (Fit, error) {
	all := make([]contender, len(from))
	tried := make([]string, len(from))
	for k, c := range from {
		f, err := c.fit(ctx, p)
		if err != nil {
			return Fit{}, err
		}
		all[k] = contender{f, c.label, f.relativeRisk(p.y, p.s) + 2*c.tuned(p.structure)}
		tried[k] = fmt.Sprintf("%s %.3g", c.label, all[k].risk/float64(max(len(p.y), 1)))
	}
	noisy := contender{unchanged(p.y), "the noisy values, since nothing else is clearly better", float64(len(p.y))}
	best := slices.MinFunc(all, func(a, b contender) int { return cmp.Compare(a.risk, b.risk) })
	k := slices.IndexFunc(from, func(c candidate) bool { return c.preferred })
	if k >= 0 && !(all[k].risk-best.risk > 2+certainty*differenceDeviation(all[k].Fit, best.Fit, p)) {
		best = all[k]
	} else {
		k = -1
	}
	switch {
	case !(noisy.risk-best.risk > 2+differenceDeviation(noisy.Fit, best.Fit, p)):
		best = noisy
	case k < 0:
		best = average(best, all, p)
	}
	best.Notes = slices.Concat([]string{"chose " + best.label}, best.Notes,
		[]string{"estimated mean squared errors, as multiples of the noise variance: " + strings.Join(tried, ", ")})
	return best.Fit, nil
}

// tuned returns the number of wavelet levels with a threshold of their own. Each of these thresholds counts as a free
// parameter, since the smallest of many estimated errors is too small.
func (c candidate) tuned(cells structure) float64 {
	if c.method != "wavelet" || c.args["threshold"] != "sure" {
		return 0
	}
	var levels float64
	for _, axis := range cells.shape.ordered() {
		levels += math.Ceil(math.Log2(float64(cells.shape.Dims[axis]))) + 1
	}
	return levels
}

// average returns the mean of the best fit and of all fits that are not clearly worse: their estimated error exceeds
// the error of the best one by less than the standard deviation of the difference.
func average(best contender, all []contender, p problem) contender {
	out := contender{Fit: Fit{X: make([]float64, len(p.y))}}
	var labels []string
	for _, c := range all {
		if c.label != best.label && !(c.risk-best.risk < differenceDeviation(c.Fit, best.Fit, p)) {
			continue
		}
		labels = append(labels, c.label)
		out.DF += c.DF
		for i, x := range c.X {
			out.X[i] += (x - out.X[i]) / float64(len(labels))
		}
		for _, note := range c.Notes {
			out.Notes = append(out.Notes, c.label+": "+note)
		}
	}
	if len(labels) == 1 {
		return best
	}
	out.DF /= float64(len(labels))
	out.label = "the average of " + strings.Join(labels, " and ")
	return out
}

func (c candidate) fit(ctx context.Context, p problem) (Fit, error) {
	s, err := New(c.method, c.args)
	if err != nil {
		return Fit{}, err
	}
	own := *s
	own.cells = p.structure
	return own.fit(ctx, p.y, p.s)
}

// differenceDeviation returns the standard deviation of the difference between the estimated errors of two fits a and
// b, in units of s². It is 2·‖a − b‖/s, the standard deviation of 2·Z·(a − b)/s for the noise s·Z.
func differenceDeviation(a, b Fit, p problem) float64 {
	var sum float64
	for i, x := range a.X {
		u := clampFar((x - b.X[i]) / p.s)
		sum += float64(u * u)
	}
	return 2 * math.Sqrt(sum)
}

// maxCut is the largest number of nodes for which auto tries trend filtering, whose minimum cuts take minutes on large
// graphs.
const maxCut = 20_000

// graphCandidates returns the candidates for cells with a graph or on a grid, or nil for other cells.
func graphCandidates(cells structure) []candidate {
	if cells.graph == nil && (cells.shape == nil || len(cells.shape.ordered()) < 2) {
		return nil
	}
	out := []candidate{
		{label: "tree-wavelet", method: "tree-wavelet"},
		{label: "tree-ensemble", method: "tree-ensemble", preferred: true},
	}
	if nodes := cells.nodes(); nodes <= maxCut {
		out = append(out, candidate{label: "trend-filter", method: "trend-filter"})
	}
	return out
}
