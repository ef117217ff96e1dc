package trial

import (
	"math"
	"math/rand/v2"

	"github.com/dprelease/dprelease/calibrate/methods"
	"github.com/dprelease/dprelease/denoise"
	"github.com/dprelease/dprelease/examples/internal/experiment"
)

// Mechanism is a way to answer a query: with Gaussian noise calibrated by Method, with Laplace noise, or with 0 and no
// noise.
type Mechanism struct {
	Name    string
	Method  methods.Method
	Laplace bool
	Denoise Denoise
	// Every makes a slow estimator run in only one of Every repetitions; 0 means in all.
	Every int
}

// Denoise is the estimator that is applied to the noisy answer.
type Denoise int

// The estimators.
const (
	Raw Denoise = iota
	// JamesStein is the plain estimator of Balle & Wang 2018, Theorem 11. JamesSteinPlus is its positive part.
	JamesStein
	JamesSteinPlus
	// SoftThreshold uses the threshold sigma·sqrt(2·ln d), as in section 4 of that paper.
	SoftThreshold
	// EmpiricalBayes is not in the papers. It is the posterior mean under the most likely prior.
	EmpiricalBayes
)

// Mechanisms returns the mechanisms of Balle & Wang's experiments, with the names in their figures.
func Mechanisms() []Mechanism {
	return []Mechanism{
		{Name: "cGM", Method: methods.Dwork2014},
		{Name: "cGM-JS", Method: methods.Dwork2014, Denoise: JamesStein},
		{Name: "cGM-TH", Method: methods.Dwork2014, Denoise: SoftThreshold},
		{Name: "aGM", Method: methods.Analytic},
		{Name: "aGM-JS", Method: methods.Analytic, Denoise: JamesStein},
		{Name: "aGM-JS+", Method: methods.Analytic, Denoise: JamesSteinPlus},
		{Name: "aGM-TH", Method: methods.Analytic, Denoise: SoftThreshold},
		{Name: "Lap", Laplace: true},
		{Name: "zero"},
	}
}

// formulas returns the mechanisms of Zhao et al.'s experiments.
func formulas() []Mechanism {
	return []Mechanism{
		{Name: "DP-OPT", Method: methods.Analytic},
		{Name: "Mechanism 1", Method: methods.Zhao1},
		{Name: "Mechanism 2", Method: methods.Zhao2},
		{Name: "pDP-OPT", Method: methods.PDPOpt},
		{Name: "Mechanism 3", Method: methods.Zhao3},
		{Name: "Mechanism 4", Method: methods.Zhao4},
		{Name: "Dwork-2014", Method: methods.Dwork2014},
		{Name: "Dwork-2006", Method: methods.Dwork2006},
		{Name: "DP-OPT, James-Stein", Method: methods.Analytic, Denoise: JamesStein},
		{Name: "Laplace", Laplace: true},
	}
}

// answer returns the true answer with noise of the given size.
func (m Mechanism) answer(r *rand.Rand, truth []float64, noise float64) []float64 {
	y := make([]float64, len(truth))
	for i, f := range truth {
		switch {
		case m.Laplace:
			y[i] = f + experiment.Laplace(r, noise)
		case m.Method != "":
			y[i] = f + noise*r.NormFloat64()
		}
	}
	return y
}

func (d Denoise) apply(y []float64, sigma float64) []float64 {
	switch d {
	case JamesStein, JamesSteinPlus:
		return denoise.JamesStein(y, sigma, d == JamesSteinPlus)
	case SoftThreshold:
		return denoise.SoftThreshold(y, denoise.UniversalThreshold(len(y), sigma))
	case EmpiricalBayes:
		return denoise.EmpiricalBayes(y, sigma, true).X
	default:
		return y
	}
}

// L2 returns the Euclidean distance.
func L2(x, y []float64) float64 {
	sum := 0.0
	for i := range x {
		sum += (x[i] - y[i]) * (x[i] - y[i])
	}
	return math.Sqrt(sum)
}

// L1 returns the sum of absolute differences.
func L1(x, y []float64) float64 {
	sum := 0.0
	for i := range x {
		sum += math.Abs(x[i] - y[i])
	}
	return sum
}
