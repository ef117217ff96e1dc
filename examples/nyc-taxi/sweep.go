package main

import (
	"context"
	"fmt"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/calibrate/methods"
	"github.com/dprelease/dprelease/examples/internal/experiment"
	"github.com/dprelease/dprelease/report/picture"
)

// calibrations are the two formulas for the noise in the sweep.
var calibrations = []struct {
	name   string
	method methods.Method
}{{"analytic", methods.Analytic}, {"classical", methods.Dwork2014}}

// point is one epsilon and one formula in the sweep, with its releases and the errors of all estimators.
type point struct {
	noise          string
	epsilon        float64
	draws          []noisy
	plain, clipped []experiment.Moments
}

// sweep shows the error of all estimators against epsilon (Balle & Wang, Figure 6).
func (e *evaluation) sweep(ctx context.Context, r releases) error {
	epsilons, draws := []float64{0.1, 0.2, 0.25, 0.5, 1, 2, 5}, e.Pick(5, 1)
	if e.Quick {
		epsilons = []float64{0.2, 1, 5}
	}
	var points []*point
	for _, c := range calibrations {
		for _, eps := range epsilons {
			p, err := r.point(ctx, c.method, eps, draws)
			if err != nil {
				return err
			}
			p.noise = c.name
			points = append(points, p)
		}
	}
	if err := r.errors(ctx, points); err != nil {
		return err
	}
	table := experiment.Table{Columns: []string{"noise", "eps", "delta", "sigma", "estimator", "draws", "rmse", "std_err",
		"rmse_clipped"}}
	for _, p := range points {
		for i, est := range estimators {
			if m := p.plain[i]; m.N > 0 {
				table.Add(p.noise, p.epsilon, delta, p.draws[0].sigma, est.Name, m.N, m.Mean, m.StdErr(), p.clipped[i].Mean)
			}
		}
	}
	if err := e.Table("fig6_rmse", table); err != nil {
		return err
	}
	return e.Figure("fig6_rmse", sweepFigure(points, draws))
}

// point makes the releases of a setting. The job always calibrates with the analytic formula. To get the larger
// classical noise, point declares a larger sensitivity.
func (r releases) point(ctx context.Context, m methods.Method, eps float64, draws int) (*point, error) {
	g := calibrate.Guarantee{Epsilon: calibrate.Epsilon(eps), Delta: delta}
	one := calibrate.Sensitivity{L2: sensitivity, Why: "five events at one junction"}
	least, err := calibrate.AnalyticGaussian(one, g)
	if err != nil {
		return nil, err
	}
	sigma, err := m.Sigma(one, g)
	if err != nil {
		return nil, err
	}
	params := map[string]string{
		"epsilon": experiment.Text(eps), "sensitivity": experiment.Text(sensitivity * float64(sigma) / float64(least)),
	}
	p := &point{epsilon: eps, plain: make([]experiment.Moments, len(estimators)),
		clipped: make([]experiment.Moments, len(estimators))}
	for range draws {
		y, err := r.release(ctx, params)
		if err != nil {
			return nil, err
		}
		p.draws = append(p.draws, y)
	}
	return p, nil
}

// errors sets the errors of each estimator at each point. Slow estimators run on the point's first release only, or not
// at all.
func (r releases) errors(ctx context.Context, points []*point) error {
	return r.Each(ctx, "estimating", len(points)*len(estimators), func(ctx context.Context, i int) error {
		p, k := points[i/len(estimators)], i%len(estimators)
		draws := p.draws
		if estimators[k].slow {
			draws = draws[:1]
			if r.Quick {
				draws = nil
			}
		}
		for _, y := range draws {
			x, err := estimators[k].estimate(ctx, r.manhattan, y)
			if err != nil {
				return err
			}
			plain, clipped := r.rmse(x)
			p.plain[k].Add(plain)
			p.clipped[k].Add(clipped)
		}
		return nil
	})
}

func sweepFigure(points []*point, draws int) picture.Figure {
	f := picture.Figure{Width: 10, Height: 9, Note: fmt.Sprintf("releases of public records by the pipeline, δ = %g; "+
		"mean of %d draws (k = 1, 2: one); bars: ± 2 standard errors", delta, draws)}
	for _, c := range calibrations {
		chart := picture.Chart{Title: c.name + " noise", X: picture.Axis{Label: "ε", Log: true},
			Y: picture.Axis{Label: "RMSE, events per junction", Log: true, From: 2, To: 300}}
		for k, est := range estimators {
			line := picture.Line{Style: est.Style}
			for _, p := range points {
				if m := p.plain[k]; p.noise == c.name && m.N > 0 {
					line.X, line.Y, line.Errors = append(line.X, p.epsilon), append(line.Y, m.Mean), append(line.Errors, m.StdErr())
				}
			}
			chart.Lines = append(chart.Lines, line)
		}
		f.Panels = append(f.Panels, chart)
	}
	for _, est := range estimators {
		f.Keys = append(f.Keys, est.Key)
	}
	return f
}
