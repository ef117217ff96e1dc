package methods

import (
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/dprelease/dprelease/calibrate"
)

func drawWeighedAsks(t *rapid.T) ([]calibrate.Ask, []float64) {
	n := rapid.IntRange(1, 6).Draw(t, "n")
	asks, numbers := make([]calibrate.Ask, n), make([]float64, n)
	for i := range asks {
		l2 := rapid.Float64Range(0.01, 100).Draw(t, "l2")
		asks[i] = calibrate.Ask{Query: string(rune('a' + i)), Sens: calibrate.Sensitivity{L2: l2}, Quantum: 1. / 1024,
			RowBound: 1}
		numbers[i] = rapid.Float64Range(0.01, 1e4).Draw(t, "number")
	}
	return asks, numbers
}

var splitGuarantee = calibrate.Guarantee{Epsilon: 1, Delta: 1e-6}

// TestEqualNoiseToSignalIsEqual: sigma over signal is equal for all queries, and the guarantee is used up.
func TestEqualNoiseToSignalIsEqual(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		asks, signals := drawWeighedAsks(t)
		ms := mustSplit(t, asks, signals, EqualNoiseToSignal)
		for i, m := range ms {
			if r := float64(m.Sigma) / signals[i] / (float64(ms[0].Sigma) / signals[0]); math.Abs(r-1) > 1e-13 {
				t.Fatalf("noise to signal differs by %g", r-1)
			}
		}
	})
}

func mustSplit(t *rapid.T, asks []calibrate.Ask, numbers []float64,
	weigh func([]calibrate.Ask, []float64) ([]calibrate.Ask, error)) []calibrate.Mechanism {
	weighed, err := weigh(asks, numbers)
	if err != nil {
		t.Fatal(err)
	}
	ms, err := calibrate.SplitBudget(splitGuarantee, weighed)
	if err != nil {
		t.Fatal(err)
	}
	mu, err := calibrate.GaussianMu(splitGuarantee)
	if used := float64(calibrate.ComposedMu(ms)) / float64(mu); err != nil || used > 1 || used < 1-1e-12 ||
		calibrate.Verify(ms, splitGuarantee) != nil {
		t.Fatalf("%g of mu is used, %v", used, err)
	}
	return ms
}

// TestLeastErrorsAreLeast: no split nearby, and no random split, has a smaller total; the total equals the closed form.
func TestLeastErrorsAreLeast(t *testing.T) {
	for power, weigh := range map[float64]func([]calibrate.Ask, []float64) ([]calibrate.Ask, error){2: LeastSquaredError,
		1: LeastAbsoluteError} {
		rapid.Check(t, func(t *rapid.T) {
			asks, costs := drawWeighedAsks(t)
			total := func(ms []calibrate.Mechanism) (sum float64) {
				for i, m := range ms {
					sum += costs[i] * math.Pow(float64(m.Sigma), power)
				}
				return sum
			}
			least := total(mustSplit(t, asks, costs, weigh))
			other := mustSplit(t, asks, costs, func(asks []calibrate.Ask, costs []float64) ([]calibrate.Ask, error) {
				best, err := weigh(asks, costs)
				for i := range best {
					best[i].Weight *= math.Exp(rapid.Float64Range(-1, 1).Draw(t, "change"))
				}
				return best, err
			})
			if total(other) < least*(1-1e-12) {
				t.Fatalf("another split has a total of %g, below %g", total(other), least)
			}
			sum, mu := 0.0, float64(calibrate.ComposedMu(other))
			for i, a := range asks {
				sum += math.Pow(costs[i]*math.Pow(a.Sens.L2, power), 2/(2+power))
			}
			if want := math.Pow(sum, (2+power)/2) / math.Pow(mu, power); math.Abs(least/want-1) > 1e-11 {
				t.Fatalf("the total is %g, the closed form says %g", least, want)
			}
		})
	}
}

// TestSplitToTargetsMeetsThem: feasible targets are met, even exactly at the boundary. For other targets the error has
// the least epsilon, which is feasible.
func TestSplitToTargetsMeetsThem(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		asks, numbers := drawWeighedAsks(t)
		targets := make([]calibrate.Sigma, len(numbers))
		for i, x := range numbers {
			targets[i] = calibrate.Sigma(x)
		}
		ms, err := SplitToTargets(splitGuarantee, asks, targets)
		var not *InfeasibleError
		if errors.As(err, &not) && !math.IsInf(float64(not.Epsilon), 1) {
			if !(not.Epsilon > splitGuarantee.Epsilon) || !errors.Is(err, ErrInfeasible) {
				t.Fatalf("error %v, want %v", err, ErrInfeasible)
			}
			ms, err = SplitToTargets(calibrate.Guarantee{Epsilon: not.Epsilon, Delta: splitGuarantee.Delta}, asks, targets)
			if err == nil && float64(ms[0].Sigma) < float64(targets[0])*(1-1e-9) {
				t.Fatalf("epsilon = %v is not the least", not.Epsilon)
			}
		}
		for i := range ms {
			if ms[i].Sigma > targets[i] || ms[i].Grid == 0 {
				t.Fatalf("%+v misses %v", ms[i], targets[i])
			}
		}
		if err != nil && !errors.Is(err, ErrInfeasible) {
			var grid *calibrate.ArgumentError // a sigma far below the bound of a row has no grid
			if !errors.As(err, &grid) {
				t.Fatalf("error %v, want a %T", err, grid)
			}
		}
	})
}

// TestWeightsNameABadArgument: a bad argument is an error that names it.
func TestWeightsNameABadArgument(t *testing.T) {
	ask := calibrate.Ask{Query: "a", Sens: calibrate.Sensitivity{L2: 1}, Quantum: 1, RowBound: 1}
	two := []calibrate.Ask{ask, {Query: "b", Sens: calibrate.Sensitivity{L2: 1e-300}, Quantum: 1, RowBound: 1}}
	for _, weigh := range []func([]calibrate.Ask, []float64) ([]calibrate.Ask, error){EqualNoiseToSignal,
		LeastSquaredError, LeastAbsoluteError} {
		for _, x := range [][]float64{nil, {1, 1}, {0}, {-1}, {math.NaN()}, {math.Inf(1)}} {
			if _, err := weigh([]calibrate.Ask{ask}, x); err == nil {
				t.Errorf("%v is taken", x)
			}
		}
		for _, x := range []float64{5e-324, 1e308} {
			got, err := weigh(two, []float64{x, 1})
			if err == nil && (!(got[0].Weight > 0) || !(got[1].Weight > 0)) {
				t.Errorf("%v: %v", x, got)
			}
		}
		if _, err := weigh(nil, nil); err == nil {
			t.Error("no asks")
		}
	}
	if _, err := SplitToTargets(splitGuarantee, []calibrate.Ask{ask}, []calibrate.Sigma{0}); err == nil ||
		errors.Is(err, ErrInfeasible) {
		t.Errorf("error %v, want one of the arguments", err)
	}
}
