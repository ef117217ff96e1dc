// Command synthetic-histogram reproduces the experiment on histograms of Balle & Wang 2018, section B.1 (Figures 1, 3
// and 4). From the repository's root:
//
//	go run ./examples/synthetic-histogram
package main

import (
	"math"
	"math/rand/v2"
	"os"
	"slices"

	"github.com/dprelease/dprelease/calibrate/methods"
	"github.com/dprelease/dprelease/examples/internal/experiment"
	"github.com/dprelease/dprelease/examples/internal/trial"
)

func main() { os.Exit(experiment.Main(histograms().Experiment().Execute)) }

// rows is the number of items in a table.
const rows = 500

// histograms returns the experiment. For each table, a distribution over d cells is drawn from the symmetric Dirichlet
// distribution of parameter 1/d, so that few cells have most of the probability. The items of the table are drawn from
// it. The query is the fraction of the items in each cell. If one item is replaced by another, the fractions move by
// sqrt(2)/rows, or by 2/rows in the L1 norm.
func histograms() trial.Paper {
	return trial.Paper{
		Setup: trial.Setup{
			Name:  "histograms",
			Truth: shares,
			L1:    func(int) float64 { return 2.0 / rows },
			L2:    func(int) float64 { return math.Sqrt2 / rows },
			Error: trial.L1,
		},
		Dir: "examples/synthetic-histogram", Table: "fig4_hist", ErrorName: "mean L1 error",
		Mechanisms: append(trial.Mechanisms(),
			trial.Mechanism{Name: "aGM-EB", Method: methods.Analytic, Denoise: trial.EmpiricalBayes, Every: 25}),
		Eps:   []float64{0.01, 0.1, 1},
		D:     []int{10, 20, 30, 50, 100, 200, 300, 500, 700, 1000, 1500, 2000, 5000, 10000},
		Delta: 1e-4, Full: 1000, Quick: 50,
	}
}

func shares(r *rand.Rand, d int) []float64 {
	// up[i] / total is the probability of the cells 0 to i.
	up := make([]float64, d)
	total := 0.0
	for i := range up {
		total += math.Exp(logGamma(r, 1/float64(d)))
		up[i] = total
	}
	x := make([]float64, d)
	for range rows {
		i, _ := slices.BinarySearch(up, r.Float64()*total)
		x[min(i, d-1)] += 1.0 / rows
	}
	return x
}

// logGamma draws the logarithm of a Gamma variable of shape a < 1 and scale 1: G(a) = G(a+1)·U^(1/a), with G(a+1) by
// Marsaglia and Tsang (2000).
func logGamma(r *rand.Rand, a float64) float64 {
	d := a + 1 - 1./3
	c := 1 / math.Sqrt(9*d)
	for {
		x := r.NormFloat64()
		v := 1 + c*x
		if v <= 0 {
			continue
		}
		v = v * v * v
		if math.Log(1-r.Float64()) < x*x/2+d-d*v+d*math.Log(v) {
			return math.Log(d*v) - r.ExpFloat64()/a // -ExpFloat64 is distributed as log U
		}
	}
}
