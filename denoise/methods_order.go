package denoise

import "context"

func init() { register(wavelet) }

func wavelet() Method {
	threshold := Param{
		Name: "threshold", Type: Decimal, Words: []string{"universal", "sure", "level"}, Default: "sure",
		Doc: "how differences become smaller: s*sqrt(2*ln(cells)) for all, the level of least estimated error for each " +
			"size of blocks, " +
			"James-Stein for each size of blocks, or a number in the query's unit for all", AtLeast0: true, Positive: true,
		InUnit: true, Example: "sure",
	}
	invariant := Param{
		Name: "invariant", Type: Boolean, Default: "true",
		Doc: "whether the estimate is the average over all positions of the blocks", Example: "false",
	}
	return Method{
		Name: "wavelet", Params: []Param{threshold, invariant}, KnownNoise: true, Needs: NeedsOrder,
		Doc: "computes the differences of neighbouring blocks (Haar) and reduces those that noise explains",
		build: func(a Args) rule {
			word, t := a.choice(threshold)
			w := Wavelet{Rule: ThresholdRule(word), Threshold: t, Invariant: a.boolean(invariant)}
			if word == "" {
				w.Rule = Fixed
			}
			return func(_ context.Context, p problem) (Fit, error) { return Haar(p.y, p.s, *p.shape, w) }
		},
	}
}

// lambdaParam returns the parameter lambda, the size of a penalty. It is a number, or the word sure: then λ has the
// smallest estimated error.
func lambdaParam() Param {
	return Param{
		Name: "lambda", Type: Decimal, Words: []string{"sure"}, Default: "sure",
		Doc: "the price of a difference between neighbours: the value of least estimated error, or a number in the query's " +
			"unit", AtLeast0: true, InUnit: true, Example: "sure",
	}
}

func init() { register(totalVariation) }

func totalVariation() Method {
	lambda := lambdaParam()
	return Method{
		Name: "total-variation", Aliases: []string{"tv",
			"fused_lasso"}, Params: []Param{lambda}, KnownNoise: true, Needs: NeedsLine,
		Doc: "finds runs of cells with one level, by the exact minimum of squared distance plus lambda times the sum of " +
			"jumps",
		build: func(a Args) rule {
			word, value := a.choice(lambda)
			return func(_ context.Context, p problem) (Fit, error) {
				if word == "" {
					return TotalVariation(p.y, *p.shape, value)
				}
				f, chosen, err := TotalVariationSURE(p.y, p.s, *p.shape)
				return noted(f, "lambda %.6g", chosen), err
			}
		},
	}
}

func init() { register(isotonic) }

func isotonic() Method {
	direction := Param{
		Name: "direction", Type: Word, Words: []string{"increasing", "decreasing"}, Default: "increasing",
		Doc: "whether the values increase or decrease along the order of the cells", Example: "decreasing",
	}
	return Method{
		Name: "isotonic", Aliases: []string{"monotone"}, Params: []Param{direction}, Needs: NeedsLine,
		Doc: "returns the nearest cells that never fall, or never rise, along the order",
		build: func(a Args) rule {
			decreasing := a.text(direction) == "decreasing"
			return func(_ context.Context, p problem) (Fit, error) { return Isotonic(p.y, *p.shape, decreasing) }
		},
	}
}
