package selftest

import (
	"context"
	"math"
	"time"

	"github.com/dprelease/dprelease/internal/mechanism/internal/gauss"
	"github.com/dprelease/dprelease/internal/mechanism/internal/laplace"
)

// pureInput is an input whose noise is Laplace or geometric.
type pureInput struct {
	input
	geometric bool
}

var pureInputs = []pureInput{{input{2.5, -4, 9}, false}, {input{1 << 40, 0, 0}, false}, {input{1, 0, -5}, true}}

// exact returns the distribution of the noisy number. With S the scale, P(Z < z) is e^z/2 for Laplace noise. For
// geometric noise K at an edge k <= 0, with z = (k − 1/2)/S, P(K < k) = e^((k−1)/S)/(1 + e^(−1/S)) =
// e^z/(2·cosh(1/(2S))).
func (in pureInput) exact() noise {
	d := in.input.exact()
	d.tail = 0.5
	if in.geometric {
		d.tail /= math.Cosh(1 / (2 * in.scale))
	}
	return d
}

func (in pureInput) drawer() (*drawer, error) {
	return in.drawnBy(func(scale gauss.Scale, source *gauss.Bits) (adder, error) {
		if in.geometric {
			return laplace.NewGeometric(scale, in.lift, source)
		}
		return laplace.New(scale, in.lift, source)
	})
}

// fit tests whether noisy copies of in have their exact distribution.
func (in pureInput) fit(ctx context.Context, budget time.Duration) (Check, error) {
	d, err := in.drawer()
	if err != nil {
		return Check{}, err
	}
	name := "Laplace"
	if in.geometric {
		name = "geometric"
	}
	return d.fit(ctx, budget, in.exact(), name+" sampler, exact probabilities, "+in.String())
}
