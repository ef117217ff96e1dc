package main

import (
	"context"

	"github.com/dprelease/dprelease/denoise"
	"github.com/dprelease/dprelease/examples/internal/experiment"
)

// prior is a setting of Theorem 11: the truth has d independent normal numbers of variance w², and the noise has
// variance 1.
type prior struct {
	d int
	w float64
}

var priors = []prior{{3, 1}, {5, 1}, {10, 1}, {100, 1}, {3, 0.1}, {10, 0.1}, {10, 0.01}, {10, 3}}

// right returns the expected squared error of the James–Stein estimator under the prior, with the theorem's error
// corrected.
func (p prior) right() float64 {
	d := float64(p.d)
	return d - (d-2)/(p.w*p.w+1)
}

// printed returns the error as Theorem 11 prints it. The theorem has (d-2)²/d² in place of (d-2)/d, which is right.
func (p prior) printed() float64 {
	d := float64(p.d)
	return d - (d-2)*(d-2)/d/(p.w*p.w+1)
}

// bayes returns the expected squared error of the best estimator, the posterior mean.
func (p prior) bayes() float64 { return float64(p.d) * p.w * p.w / (p.w*p.w + 1) }

// theorem11 simulates the risk of the James–Stein estimator and compares it with both formulas.
func theorem11(ctx context.Context, s *experiment.Session) error {
	const blocks = 64
	draws := s.Pick(20000, 2000)
	risks := make([]experiment.Moments, len(priors)*blocks)
	err := s.Each(ctx, "Theorem 11", len(risks), func(_ context.Context, i int) error {
		p := priors[i/blocks]
		r := experiment.Random("theorem 11", i)
		f, y := make([]float64, p.d), make([]float64, p.d)
		for range draws {
			for j := range f {
				f[j] = p.w * r.NormFloat64()
				y[j] = f[j] + r.NormFloat64()
			}
			sum := 0.0
			for j, x := range denoise.JamesStein(y, 1, false) {
				sum += (x - f[j]) * (x - f[j])
			}
			risks[i].Add(sum)
		}
		return nil
	})
	if err != nil {
		return err
	}
	table := experiment.Table{Columns: []string{"d", "w", "s", "reps", "risk", "std_err", "right", "printed", "over_bayes",
		"claimed_bound"}}
	for i, p := range priors {
		var m experiment.Moments
		for _, part := range risks[i*blocks : (i+1)*blocks] {
			m.Merge(part)
		}
		ratio := float64(p.d) / float64(p.d-2)
		table.Add(p.d, p.w, 1, m.N, m.Mean, m.StdErr(), p.right(), p.printed(), m.Mean/p.bayes(), ratio*ratio)
		s.Say("  Theorem 11, d = %d, w = %g: risk %.4f ± %.4f, right %.4f, printed %.4f", p.d, p.w, m.Mean, m.StdErr(),
			p.right(), p.printed())
	}
	return s.Table("theorem11", table)
}
