package denoise

import (
	"context"
	"fmt"
)

func init() { register(jamesStein) }

func jamesStein() Method {
	positive := Param{
		Name: "positive_part", Type: Boolean, Default: "true",
		Doc: "whether the factor is at least 0, so that no value is moved beyond its target", Example: "false",
	}
	toward := Param{
		Name: "toward", Type: Decimal, Words: []string{"zero", "mean"}, Default: "zero",
		Doc:    "the target towards which all cells are moved: 0, their mean, or a public number in the query's unit",
		InUnit: true, Example: "mean",
	}
	prior := Param{
		Name: "prior_variance", Type: Decimal, Default: "estimated from the noisy values",
		Doc:      "the public variance of the cells around their target, in the query's unit squared",
		AtLeast0: true, InUnit: true, Example: "400",
	}
	return Method{
		Name: "james-stein", Aliases: []string{"shrinkage"}, Params: []Param{positive, toward, prior}, KnownNoise: true,
		Doc: "multiplies all cells by one factor, which is smaller if more of the vector is noise; fewer than 3 cells stay " +
			"as they are",
		build: func(a Args) rule {
			p := shrinkage{positive: a.boolean(positive)}
			p.toward, p.target = a.choice(toward)
			p.prior, p.known = a.given(prior)
			return p.rule
		},
	}
}

// shrinkage holds the parameters of the method james-stein.
type shrinkage struct {
	positive, known bool
	toward          string // the text of the parameter towards, or empty if target is used
	target, prior   float64
}

func (p shrinkage) rule(_ context.Context, q problem) (Fit, error) {
	switch mean := p.toward == "mean"; {
	case p.known && mean:
		return BayesMean(q.y, q.s, p.prior), nil
	case p.known:
		return Bayes(q.y, q.s, p.target, p.prior), nil
	case mean:
		return Lindley(q.y, q.s, p.positive), nil
	case p.target == 0:
		f := JamesSteinTo(q.y, q.s, 0, p.positive)
		f.X = JamesStein(q.y, q.s, p.positive)
		return f, nil
	}
	return JamesSteinTo(q.y, q.s, p.target, p.positive), nil
}

func init() { register(softThreshold) }

func softThreshold() Method {
	return thresholding(Method{
		Name: "soft-threshold", Doc: "moves every cell towards 0 by the threshold, and small ones to 0: for tables in " +
			"which most cells are empty",
	}, "how far each cell moves towards 0", SUREThreshold, func(p problem, at float64) Fit { return softFit(p.y, at) })
}

func init() { register(hardThreshold) }

func hardThreshold() Method {
	return thresholding(Method{
		Name: "hard-threshold",
		Doc: "replaces cells up to the threshold by 0 and keeps the others: for tables in which few cells are not empty, " +
			"and those are large",
	}, "the size up to which a cell becomes 0", HardSUREThreshold, func(p problem, at float64) Fit {
		return hardFit(p.y,
			p.s, at)
	})
}

// thresholding adds the parameter threshold to a method. what describes the threshold for the reference page. sure
// returns the threshold of smallest estimated error. fit returns the estimate with a given threshold.
func thresholding(m Method, what string, sure func(y []float64, s float64) float64,
	fit func(p problem, at float64) Fit) Method {
	threshold := Param{
		Name: "threshold", Type: Decimal, Words: []string{"universal", "sure"}, Default: "universal",
		Doc: what + ": s*sqrt(2*ln(cells)) with the noise's standard deviation s, the level of least estimated error, " +
			"or a number in the query's unit",
		AtLeast0: true, Positive: true, InUnit: true, Example: "sure",
	}
	m.Params, m.KnownNoise = []Param{threshold}, true
	m.build = func(a Args) rule {
		word, t := a.choice(threshold)
		return func(_ context.Context, p problem) (Fit, error) {
			at := pick(word, t, p, sure)
			return noted(fit(p, at), "threshold %.6g", at), nil
		}
	}
	return m
}

// pick returns the threshold that a word means, such as universal or sure. If the word is empty, it returns t.
func pick(word string, t float64, p problem, sure func([]float64, float64) float64) float64 {
	switch word {
	case "universal":
		return publishable(UniversalThreshold(p.total(), p.s))
	case "sure":
		return sure(p.y, p.s)
	}
	return t
}

func noted(f Fit, format string, args ...any) Fit {
	f.Notes = append(f.Notes, fmt.Sprintf(format, args...))
	return f
}

// nonnegativeName is the name of a parameter that every estimator has.
const nonnegativeName = "nonnegative"

func nonnegativeParam() Param {
	return Param{Name: nonnegativeName, Type: Boolean, Default: "false",
		Doc: "whether the cells cannot be below 0, which is true of counts", Example: "true"}
}

func init() { register(empiricalBayes) }

func empiricalBayes() Method {
	floor := nonnegativeParam()
	return Method{
		Name: "empirical-bayes", Params: []Param{floor}, KnownNoise: true,
		Doc: "estimates how the cells are distributed and moves each towards its likely values: the best for cells without " +
			"an order",
		build: func(a Args) rule {
			return func(_ context.Context, p problem) (Fit, error) {
				return EmpiricalBayes(p.y, p.s, a.boolean(floor)), nil
			}
		},
	}
}
