package main

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/examples/internal/experiment"
	"github.com/dprelease/dprelease/report/picture"
)

// The size of the graph, and how many random sets of each size are drawn.
const (
	nodes  = 200
	setsOf = 8
	// share is the fraction of mu² that is spent on the noisy degrees.
	share = 1. / 3
)

var sizes = []int{1, 2, 5, 10, 20, 50, 100}

// ways are the mechanisms that estimate cuts, as keys of the figure.
var ways = []picture.Key{
	{Name: "Johnson–Lindenstrauss, r = 100", Style: picture.Style{Color: picture.Blue, Line: picture.Solid,
		Mark: picture.Square}},
	{Name: "Johnson–Lindenstrauss, r = 1,000", Style: picture.Style{Color: picture.SkyBlue, Line: picture.Solid,
		Mark: picture.Square}},
	{Name: "noise on edges", Style: picture.Style{Color: picture.Black, Line: picture.Solid, Mark: picture.Circle}},
	{Name: "noise on edges and degrees, least squares", Style: picture.Style{Color: picture.Vermilion, Line: picture.Solid,
		Mark: picture.Triangle}},
	{Name: "number of edges alone", Style: picture.Style{Color: picture.Gray, Line: picture.Dotted}},
}

// set is a set of nodes, its group, and the exact weight of its cut. There is one group for each size of sets, and a
// last one for the planted set.
type set struct {
	in    []bool
	group int
	cut   float64
}

// contest holds the graph, the sets, and the noise of each mechanism.
type contest struct {
	network
	sets   []set
	groups int
	mu     float64
	lines  [2]lindenstrauss
}

func newContest() (*contest, error) {
	r := experiment.Random("cuts", 0)
	c := &contest{network: communities(r, nodes), groups: len(sizes) + 1}
	for k, size := range sizes {
		for range setsOf {
			in := make([]bool, nodes)
			for _, u := range r.Perm(nodes)[:size] {
				in[u] = true
			}
			c.sets = append(c.sets, set{in, k, c.cut(in)})
		}
	}
	planted := make([]bool, nodes)
	for u := range nodes / 2 {
		planted[u] = true
	}
	c.sets = append(c.sets, set{planted, len(sizes), c.cut(planted)})
	mu, err := calibrate.GaussianMu(at(cutEpsilon, cutDelta))
	c.mu = float64(mu)
	for i, rows := range []int{100, 1000} {
		c.lines[i] = lindenstrauss{nodes, rows, exact(nodes, rows, cutEpsilon, cutDelta)}
	}
	return c, err
}

// cuts compares the mechanisms on the cuts of an invented graph. All have the same guarantee for graphs in which the
// weight of one edge differs by at most 1.
func cuts(ctx context.Context, s *experiment.Session) error {
	c, err := newContest()
	if err != nil {
		return err
	}
	draws := s.Pick(200, 24)
	each := make([][][]float64, draws)
	if err := s.Each(ctx, "cuts", draws, func(_ context.Context, i int) error {
		each[i] = c.draw(experiment.Random("cuts", i+1))
		return nil
	}); err != nil {
		return err
	}
	table := experiment.Table{Columns: []string{"mechanism", "eps", "delta", "nodes", "set_size", "sets", "draws", "mse",
		"std_err", "rmse"}}
	chart := picture.Chart{X: picture.Axis{Label: "nodes in the set", Log: true},
		Y: picture.Axis{Label: "RMSE of a cut", Log: true}}
	for w, way := range ways {
		line := picture.Line{Style: way.Style}
		for k := range c.groups {
			var m experiment.Moments
			for i := range each {
				m.Add(each[i][w][k])
			}
			rmse := math.Sqrt(m.Mean)
			if k == len(sizes) {
				table.Add(way.Name, cutEpsilon, cutDelta, nodes, nodes/2, "planted", m.N, m.Mean, m.StdErr(), rmse)
				continue
			}
			table.Add(way.Name, cutEpsilon, cutDelta, nodes, sizes[k], "random", m.N, m.Mean, m.StdErr(), rmse)
			line.X, line.Y, line.Errors = append(line.X, float64(sizes[k])), append(line.Y, rmse), append(line.Errors,
				m.StdErr()/(2*rmse))
		}
		chart.Lines = append(chart.Lines, line)
	}
	if err := s.Table("cuts", table); err != nil {
		return err
	}
	return s.Figure("cuts", picture.Figure{
		Width: 13, Height: 9, Panels: []picture.Panel{chart}, Keys: ways,
		Note: "random sets of an invented graph of 200 nodes in two groups, ε = 1, δ = 1e-6; bars: ± 2 standard errors",
	})
}

// draw runs each mechanism once, and returns the mean squared errors of the estimated cuts: [way][group].
func (c *contest) draw(r *rand.Rand) [][]float64 {
	answers := make([]func(in []bool) float64, 0, len(ways))
	for _, j := range c.lines {
		release := j.project(r, c.network)
		answers = append(answers, func(in []bool) float64 { return j.cut(release, in) })
	}
	for _, pairs := range [][]float64{noisyPairs(r, c.network, 1/c.mu), c.leastSquares(r), c.guess()} {
		answers = append(answers, func(in []bool) float64 { return cutOf(nodes, pairs, in) })
	}
	out := make([][]float64, len(ways))
	for w, answer := range answers {
		m := make([]experiment.Moments, c.groups)
		for _, x := range c.sets {
			e := answer(x.in) - x.cut
			m[x.group].Add(e * e)
		}
		for k := range m {
			out[w] = append(out[w], m[k].Mean)
		}
	}
	return out
}

// leastSquares releases noisy weights of all pairs and noisy degrees of all nodes, and returns their least-squares
// estimate of the pairs. One edge changes the pairs by 1 and the degrees by sqrt 2, in L2.
func (c *contest) leastSquares(r *rand.Rand) []float64 {
	pairSigma := 1 / (c.mu * math.Sqrt(1-share))
	degreeSigma := math.Sqrt2 / (c.mu * math.Sqrt(share))
	z := degrees(nodes, c.pairs)
	for u := range z {
		z[u] += degreeSigma * r.NormFloat64()
	}
	return agreeing(nodes, noisyPairs(r, c.network, pairSigma), z, (degreeSigma*degreeSigma)/(pairSigma*pairSigma))
}

// guess spreads the total weight of the edges evenly over all pairs. It uses the exact total, without noise.
func (c *contest) guess() []float64 {
	sum := 0.0
	for _, x := range c.pairs {
		sum += x
	}
	pairs := make([]float64, len(c.pairs))
	for i := range pairs {
		pairs[i] = sum / float64(len(pairs))
	}
	return pairs
}
