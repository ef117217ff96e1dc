// Command mean-estimation reproduces the experiment on means of Balle & Wang 2018, section 5.2 (Figures 1, 3 and 4),
// and of Zhao et al. 2019, VIII-A (Figure 4). From the repository's root:
//
//	go run ./examples/mean-estimation
package main

import (
	"math"
	"math/rand/v2"
	"os"

	"github.com/dprelease/dprelease/examples/internal/experiment"
	"github.com/dprelease/dprelease/examples/internal/trial"
)

func main() { os.Exit(experiment.Main(all().Execute)) }

// all returns the experiment on means, followed by the simulation of Theorem 11.
func all() experiment.Experiment {
	e := means().Experiment()
	e.Run = experiment.Parts(e.Run, theorem11)
	return e
}

// rows is the number of vectors in a table.
const rows = 500

// means returns the experiment. A table has a random centre x0 ~ N(0, I), and its rows are uniform in the unit cube
// around x0. The query is their mean. If the centre is public, one row moves the mean by at most sqrt(d)/rows. The
// paper does not say that the centre is public, but otherwise the rows would not be bounded.
func means() trial.Paper {
	return trial.Paper{
		Setup: trial.Setup{
			Name:  "means",
			Truth: mean,
			L1:    func(d int) float64 { return float64(d) / rows },
			L2:    func(d int) float64 { return math.Sqrt(float64(d)) / rows },
			Error: trial.L2,
		},
		Dir: "examples/mean-estimation", Table: "fig1_mean", ErrorName: "mean L2 error",
		Mechanisms: trial.Mechanisms(),
		Eps:        []float64{0.01, 0.1, 1},
		D:          []int{10, 20, 30, 50, 100, 200, 300, 500, 700, 1000, 1500, 2000},
		Delta:      1e-4, Full: 1000, Quick: 50,
	}
}

func mean(r *rand.Rand, d int) []float64 {
	x := make([]float64, d)
	for i := range x {
		sum := 0.0
		for range rows {
			sum += r.Float64() - 0.5
		}
		x[i] = r.NormFloat64() + sum/rows
	}
	return x
}
