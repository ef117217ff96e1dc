package calibrate

import (
	"fmt"
	"math"
	"math/big"

	"github.com/dprelease/dprelease/calibrate/internal/argument"
	"github.com/dprelease/dprelease/calibrate/internal/numeric"
)

// A release answers several queries within one guarantee. The mu² of mechanisms add up, so the budget to divide is the
// mu² of the guarantee. Each query gets a fraction of it, by its weight. After rounding, the sum is checked exactly,
// with the function that the ledger uses.

// SplitBudget calibrates one Gaussian mechanism for each ask so that all of them together meet g. With mu =
// GaussianMu(g) and w_i the weight of ask i,
//
//	mu_i² = mu²·w_i/sum(w),  sigma_i = L2_i/mu_i.
//
// The mu² of mechanisms add up (Zhao et al. 2019, Lemma 15). Each sigma is rounded up, and the result is verified:
// ComposedMu2 of the result is at most mu², exactly, and its root is within 1e-12 of mu. Each mechanism gets the grid
// of its ask; see Ask.Grid. The mechanisms have the order of the asks. Errors are *ArgumentError: see
// Guarantee.Validate and Grid; "asks" if there are none; "asks[i].…" if a query has no name or the name of another
// query, or if a weight or sensitivity is not positive and finite.
func SplitBudget(g Guarantee, asks []Ask) ([]Mechanism, error) {
	if err := validateAsks(asks); err != nil {
		return nil, err
	}
	mu, err := GaussianMu(g)
	if err != nil {
		return nil, err
	}
	ms, err := divide(mu, asks)
	if err != nil {
		return nil, err
	}
	for i, a := range asks {
		if ms[i].Grid, err = a.Grid(ms[i].Sigma); err != nil {
			return nil, argument.In(fmt.Sprintf("asks[%d]", i), err)
		}
	}
	return ms, nil
}

// Grid returns the result of the function Grid for this ask. If Quantum and RowBound are both 0, it returns 0: the ask
// is then only for a sigma, and nothing can be released with it. Errors: as for the function Grid.
func (a Ask) Grid(sigma Sigma) (float64, error) {
	if a.Quantum == 0 && a.RowBound == 0 {
		return 0, nil
	}
	return Grid(sigma, a.Quantum, a.RowBound)
}

func validateAsks(asks []Ask) error {
	if len(asks) == 0 {
		return argument.New("asks", "must not be empty")
	}
	seen := make(map[string]bool, len(asks))
	for i, a := range asks {
		if err := a.validate(seen); err != nil {
			return argument.In(fmt.Sprintf("asks[%d]", i), err)
		}
		seen[a.Query] = true
	}
	return nil
}

func (a Ask) validate(seen map[string]bool) error {
	switch {
	case a.Query == "":
		return argument.New("query", "must have a name")
	case seen[a.Query]:
		return argument.New("query", "%q is asked twice", a.Query)
	}
	if err := argument.Positive("weight", a.Weight); err != nil {
		return err
	}
	return argument.Positive("sensitivity", a.Sens.L2)
}

// divide returns a mechanism for each ask, with a joint mu of at most mu. The mechanisms have no grid yet.
func divide(mu Mu, asks []Ask) ([]Mechanism, error) {
	total := numeric.NewUp()
	for _, a := range asks {
		total.Add(total, numeric.UpOf(a.Weight))
	}
	ms := make([]Mechanism, len(asks))
	for i, a := range asks {
		ms[i] = Mechanism{Query: a.Query, Sens: a.Sens, Sigma: a.sigma(mu, total), ChosenBy: a.ChosenBy,
			RuleVersion: a.RuleVersion}
	}
	if !mu.Covers(ComposedMu2(ms)) {
		for i := range ms {
			ms[i].Sigma = Sigma(math.Nextafter(float64(ms[i].Sigma), math.Inf(1)))
		}
	}
	if err := validateAll(ms); err != nil {
		return nil, argument.New("asks", "need a sigma above the largest float64")
	}
	if !mu.Covers(ComposedMu2(ms)) {
		return nil, argument.New("asks", "cannot be shared out within mu = %g", float64(mu))
	}
	return ms, nil
}

// sigma returns L2·sqrt(total/weight)/mu, rounded up, or +Inf if it is above every float64. Each step has a relative
// error below 2^-250, and the last step rounds up by more than that.
func (a Ask) sigma(mu Mu, total *big.Float) Sigma {
	s := numeric.NewUp().Quo(total, numeric.UpOf(a.Weight))
	s.Sqrt(s)
	s.Mul(s, numeric.UpOf(a.Sens.L2))
	s.Quo(s, numeric.UpOf(float64(mu)))
	return Sigma(numeric.Ceiling(s.Add(s, numeric.NewUp().SetMantExp(s, -250))))
}
