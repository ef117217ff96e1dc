package calibrate

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/dprelease/dprelease/calibrate/internal/curvetest"
	"github.com/dprelease/dprelease/calibrate/internal/numeric"
)

// TestOddArgumentsAreAnsweredOrNamed checks that every function returns a valid answer or an error that names an
// argument, for all combinations of extreme and invalid arguments.
func TestOddArgumentsAreAnsweredOrNamed(t *testing.T) {
	const least = math.SmallestNonzeroFloat64
	for _, x := range curvetest.Odd {
		for _, y := range curvetest.Odd {
			at := fmt.Sprintf("(%v, %v)", x, y)
			delta, err := GaussianDelta(Epsilon(x), Mu(y))
			curvetest.MustAnswer(t, "GaussianDelta"+at, float64(delta), least, 1, err, "epsilon mu")
			eps, err := GaussianEpsilon(Delta(x), Mu(y))
			curvetest.MustAnswer(t, "GaussianEpsilon"+at, float64(eps), 0, MaxEpsilon, err, "delta mu")
			mu, err := GaussianMu(Guarantee{Epsilon(x), Delta(y)})
			curvetest.MustAnswer(t, "GaussianMu"+at, float64(mu), least, 2000, err, "epsilon delta")
			for _, z := range curvetest.Odd {
				oddTriple(t, x, y, z)
			}
		}
	}
}

func oddTriple(t *testing.T, x, y, z float64) {
	const least, most = math.SmallestNonzeroFloat64, math.MaxFloat64
	at := fmt.Sprintf("(%v, %v, %v)", x, y, z)
	sigma, err := AnalyticGaussian(Sensitivity{L2: z}, Guarantee{Epsilon(x), Delta(y)})
	curvetest.MustAnswer(t, "AnalyticGaussian"+at, float64(sigma), least, most, err, "sensitivity epsilon delta")
	grid, err := Grid(Sigma(x), y, z)
	curvetest.MustAnswer(t, "Grid"+at, grid, 0x1p-1022, most, err, "sigma quantum rowBound")
	m := Mechanism{Query: "q", Sens: Sensitivity{L2: x}, Sigma: Sigma(y), Grid: z}
	curvetest.MustAnswer(t, "Mu"+at, float64(m.Mu()), least, math.Inf(1), nil, "")
	curvetest.MustAnswer(t, "Deviation"+at, m.Deviation(), least, math.Inf(1), nil, "")
	delta, err := m.Delta(Epsilon(z))
	curvetest.MustAnswer(t, "Delta"+at, float64(delta), least, 1, err, "epsilon sensitivity sigma")
	eps, err := m.Epsilon(Delta(z))
	curvetest.MustAnswer(t, "Epsilon"+at, float64(eps), 0, MaxEpsilon, err, "delta sensitivity sigma mu")
	both, err := Compose([]Mechanism{m, {Sens: Sensitivity{L2: 1}, Sigma: 1}}, Delta(z))
	curvetest.MustAnswer(t, "Compose"+at, float64(both.Epsilon), 0, MaxEpsilon, err,
		"delta mechanisms mechanisms[0].sensitivity mechanisms[0].sigma")
	if ComposedMu2([]Mechanism{m}).Sign() <= 0 {
		t.Errorf("ComposedMu2%s is not positive", at)
	}
	Mu(z).Covers(ComposedMu2([]Mechanism{m}))
}

// TestOddSplitsAreAnsweredOrNamed checks SplitBudget with extreme and invalid fields of an ask: it returns usable
// mechanisms within the budget, or an error that names the ask and the field.
func TestOddSplitsAreAnsweredOrNamed(t *testing.T) {
	g := Guarantee{1, 1e-6}
	fields := []func(*Ask, float64){
		func(a *Ask, x float64) { a.Sens.L2 = x },
		func(a *Ask, x float64) { a.Weight = x },
		func(a *Ask, x float64) { a.Quantum = x },
		func(a *Ask, x float64) { a.RowBound = x },
	}
	const arguments = "asks asks[1].sensitivity asks[1].weight asks[1].quantum asks[1].rowBound asks[1].sigma " +
		"asks[0].sigma"
	for _, x := range curvetest.Odd {
		for i, set := range fields {
			asks := []Ask{
				{Query: "a", Sens: Sensitivity{L2: 1}, Weight: 1, Quantum: 1, RowBound: 1},
				{Query: "b", Sens: Sensitivity{L2: 1}, Weight: 1, Quantum: 1, RowBound: 1},
			}
			set(&asks[1], x)
			ms, err := SplitBudget(g, asks)
			curvetest.MustAnswer(t, fmt.Sprintf("Split(field %d = %v)", i, x), float64(len(ms)), 2, 2, err, arguments)
			if err == nil && Verify(ms, g) != nil {
				t.Errorf("field %d = %v: the split does not fit: %v", i, x, ms)
			}
		}
	}
}

func TestSplitNamesABadAsk(t *testing.T) {
	good := Ask{Query: "a", Sens: Sensitivity{L2: 1}, Weight: 1, Quantum: 1, RowBound: 1}
	nameless := good
	nameless.Query = ""
	for want, c := range map[string]struct {
		g    Guarantee
		asks []Ask
	}{
		"asks ":          {Guarantee{1, 1e-6}, nil},
		"asks[1].query ": {Guarantee{1, 1e-6}, []Ask{good, good}},
		"asks[0].query ": {Guarantee{1, 1e-6}, []Ask{nameless}},
		"epsilon ":       {Guarantee{-1, 1e-6}, []Ask{good}},
		"delta ":         {Guarantee{1, 0}, []Ask{good}},
	} {
		if ms, err := SplitBudget(c.g, c.asks); err == nil || ms != nil || !strings.HasPrefix(err.Error(),
			"calibrate: "+want) {
			t.Errorf("want an error about %q: %v, %v", want, ms, err)
		}
	}
}

func TestValidateTakesTheWholeRange(t *testing.T) {
	for _, g := range []Guarantee{{0, MinDelta}, {MaxEpsilon, 1 - 0x1p-53}, {1, 1e-6}} {
		if err := g.Validate(); err != nil {
			t.Errorf("%v: %v", g, err)
		}
	}
	if least, err := ParseDown("1e-300"); err != nil || least != numeric.MinDelta ||
		(Guarantee{1, Delta(least)}).Validate() != nil {
		t.Errorf("the decimal 1e-300 is %g, %v: not taken", least, err)
	}
	nan := math.NaN()
	for want, gs := range map[string][]Guarantee{
		"epsilon": {{-5e-324, 0.5}, {Epsilon(math.Nextafter(MaxEpsilon, 2e6)), 0.5}, {Epsilon(nan), 0.5},
			{Epsilon(math.Inf(1)), 0.5}},
		"delta": {{1, 0}, {1, 1}, {1, Delta(nan)}, {1, Delta(math.Inf(1))}, {1, -1},
			{1, Delta(math.Nextafter(numeric.MinDelta, 0))}},
	} {
		for _, g := range gs {
			var bad *ArgumentError
			if err := g.Validate(); !errors.As(err, &bad) || bad.Argument != want {
				t.Errorf("%v: %v", g, err)
			}
		}
	}
}
