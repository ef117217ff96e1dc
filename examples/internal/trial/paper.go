package trial

import (
	"context"
	"flag"
	"fmt"

	"github.com/dprelease/dprelease/examples/internal/experiment"
	"github.com/dprelease/dprelease/report/picture"
)

// Paper is the whole experiment of a paper: the error against the dimension for some values of epsilon, and sweeps over
// epsilon, delta and the dimension.
type Paper struct {
	Setup
	Dir string
	// Table names the table and the figure that show errors by dimension. Mechanisms are the mechanisms in them.
	Table      string
	Mechanisms []Mechanism
	Eps        []float64
	D          []int
	// Delta is the delta of the papers. Full and Quick are the numbers of repetitions at each point.
	Delta       float64
	Full, Quick int
	// ErrorName is the label of the axis of errors.
	ErrorName string
}

// Experiment returns the program of the example. Flags can replace the values in the table of errors by dimension; then
// there are no sweeps.
func (p Paper) Experiment() experiment.Experiment {
	var own lists
	return experiment.Experiment{Dir: p.Dir, Flags: own.flags,
		Run: func(ctx context.Context, s *experiment.Session) error {
			if err := own.over(p).dimensions(ctx, s); err != nil || own.given() {
				return err
			}
			return p.sweeps(ctx, s)
		}}
}

// lists are the lists of numbers that flags give: --eps 0.1,1 --d 10,100 --delta 1e-6 --reps 50.
type lists struct {
	eps   []float64
	d     []int
	delta float64
	reps  int
}

func (l *lists) flags(flags *flag.FlagSet) {
	flags.Func("eps", "the values of epsilon, with commas, instead of the paper's", func(text string) (err error) {
		l.eps, err = experiment.Numbers(text)
		return err
	})
	flags.Func("d", "the dimensions, with commas, instead of the paper's", func(text string) error {
		numbers, err := experiment.Numbers(text)
		l.d = nil
		for _, x := range numbers {
			l.d = append(l.d, int(x))
		}
		return err
	})
	flags.Float64Var(&l.delta, "delta", 0, "delta, instead of the paper's")
	flags.IntVar(&l.reps, "reps", 0, "the number of repetitions, instead of the paper's")
}

func (l *lists) given() bool { return l.eps != nil || l.d != nil || l.delta > 0 || l.reps > 0 }

// over returns the experiment p with the numbers of the flags in place of its own.
func (l *lists) over(p Paper) Paper {
	if l.eps != nil {
		p.Eps = l.eps
	}
	if l.d != nil {
		p.D = l.d
	}
	if l.delta > 0 {
		p.Delta = l.delta
	}
	if l.reps > 0 {
		p.Full, p.Quick = l.reps, l.reps
	}
	return p
}

// dimensions shows the error against the dimension, for each epsilon.
func (p Paper) dimensions(ctx context.Context, s *experiment.Session) error {
	reps := s.Pick(p.Full, p.Quick)
	var points []Point
	for _, e := range p.Eps {
		points = append(points, p.byDimension(e, reps)...)
	}
	results, err := p.Run(ctx, s, points, p.Mechanisms)
	if err != nil {
		return err
	}
	if err := writeReference(s, p.Table, results); err != nil {
		return err
	}
	keys := p.keys()
	f := picture.Figure{Keys: keys, Width: 6.5, Height: 6.5, Columns: 3}
	f.Note = fmt.Sprintf("invented data, n = 500, δ = %g, %d repetitions; bars: ± 2 standard errors", p.Delta, reps)
	for _, e := range p.Eps {
		at := Having(results, func(r Result) bool { return r.Eps == e })
		chart := picture.Chart{Title: fmt.Sprintf("ε = %g", e), X: picture.Axis{Label: "dimension d", Log: true},
			Y: picture.Axis{Label: p.ErrorName, Log: true}}
		f.Panels = append(f.Panels, panel(chart, keys, at, func(r Result) float64 { return float64(r.D) }))
	}
	return s.Figure(p.Table, f)
}

func (p Paper) byDimension(eps float64, reps int) (out []Point) {
	for _, d := range p.D {
		out = append(out, Point{Eps: eps, Delta: p.Delta, D: d, Reps: reps})
	}
	return out
}

// keys returns the figure's keys for the mechanisms in the experiment.
func (p Paper) keys() (out []picture.Key) {
	for _, k := range styles {
		for _, m := range p.Mechanisms {
			if m.Name == k.Name {
				out = append(out, k)
			}
		}
	}
	return out
}

// The values that stay fixed in a sweep over another parameter.
const (
	sweptEps = 1
	sweptD   = 100
)

// sweeps shows the errors of all Gaussian formulas against epsilon, delta and the dimension.
func (p Paper) sweeps(ctx context.Context, s *experiment.Session) error {
	reps := s.Pick(400, 30)
	f := picture.Figure{Keys: formulaStyles, Width: 6.5, Height: 6.5}
	f.Note = fmt.Sprintf("invented data, n = 500, %d repetitions; where not on the axis: ε = %d, δ = %g, d = %d", reps,
		sweptEps, p.Delta, sweptD)
	var all []Result
	for _, w := range []struct {
		points []Point
		axis   string
		x      func(Result) float64
	}{
		{p.byEpsilon(reps), "ε", func(r Result) float64 { return r.Eps }},
		{p.byDelta(reps), "δ", func(r Result) float64 { return r.Delta }},
		{p.byDimension(sweptEps, reps), "dimension d", func(r Result) float64 { return float64(r.D) }},
	} {
		results, err := p.Run(ctx, s, w.points, formulas())
		if err != nil {
			return err
		}
		all = append(all, results...)
		chart := picture.Chart{X: picture.Axis{Label: w.axis, Log: true}, Y: picture.Axis{Label: p.ErrorName, Log: true}}
		f.Panels = append(f.Panels, panel(chart, formulaStyles, results, w.x))
	}
	if err := write(s, "sweeps", all); err != nil {
		return err
	}
	return s.Figure("sweeps", f)
}

// byEpsilon returns the points of the sweep over epsilon. The sweep ends at 6, because the classical formulas give too
// little noise from about 8 on.
func (p Paper) byEpsilon(reps int) (out []Point) {
	for _, e := range []float64{0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 4, 6} {
		out = append(out, Point{Eps: e, Delta: p.Delta, D: sweptD, Reps: reps})
	}
	return out
}

func (p Paper) byDelta(reps int) (out []Point) {
	for _, d := range []float64{1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2} {
		out = append(out, Point{Eps: sweptEps, Delta: d, D: sweptD, Reps: reps})
	}
	return out
}
