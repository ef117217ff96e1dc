package ledger

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dprelease/dprelease/calibrate"
)

// Balance is the balance of an account. Amounts are mu squared: exact sums of terms that were rounded up to 256 bits,
// so that they depend neither on order nor on grouping (calibrate.ComposedMu2).
type Balance struct {
	Account Account
	Budget  Budget
	Cap     *big.Float // mu_cap squared
	Spent   *big.Float // by all runs that were not given back
	// Published is the share of Spent whose releases were published. Spent alone would tell a reader of runs that were
	// charged and never seen.
	Published *big.Float
	Left      *big.Float // Cap - Spent, at least 0
	Runs      int        // how many runs count
	// DeltaCap and DeltaSpent are the shares of delta that may fail, exactly.
	DeltaCap, DeltaSpent *big.Rat
	Periods              []Period
	// Largest is the largest mu_cap that the account ever had. That is what the account promises.
	Largest calibrate.Mu
	// History lists every budget that the account had, the first one first.
	History []BudgetChange
}

// BudgetChange is an entry that opened or changed a budget.
type BudgetChange struct {
	At     time.Time
	Budget Budget
	Reason string // as its owner gave it; may be empty
}

// balance returns the account's balance at a time.
func (a *account) balance(at time.Time) Balance {
	b := Balance{
		Account: a.Account, Budget: a.Budget, Spent: new(big.Float), Published: new(big.Float), Cap: square(a.caps.mu), DeltaCap: new(big.Rat).Set(a.caps.delta),
		DeltaSpent: new(big.Rat), Periods: a.periodsAt(at), Largest: a.largest, History: slices.Clone(a.history),
	}
	for _, r := range a.runs {
		if r.State != Released {
			b.Spent = sum(b.Spent, r.Mu2)
			b.DeltaSpent.Add(b.DeltaSpent, r.share)
			b.Runs++
		}
		if r.State == Published {
			b.Published = sum(b.Published, r.Mu2)
		}
	}
	b.Left = left(b.Cap, b.Spent)
	return b
}

// square returns mu squared, exactly.
func square(mu calibrate.Mu) *big.Float {
	x := new(big.Float).SetFloat64(float64(mu))
	return new(big.Float).SetPrec(106).Mul(x, x)
}

// left returns of - spent, exactly, or 0 if that is negative.
func left(of, spent *big.Float) *big.Float {
	if x := sum(of, new(big.Float).Neg(spent)); x.Sign() > 0 {
		return x
	}
	return new(big.Float)
}

// sum returns x + y exactly, with as many bits as that takes.
func sum(x, y *big.Float) *big.Float {
	z := new(big.Float)
	for prec := max(x.Prec(), y.Prec(), 64); ; prec += 64 {
		if z.SetPrec(prec).Add(x, y); z.Acc() == big.Exact {
			return z
		}
	}
}

// Share returns Spent/Cap, rounded up.
func (b Balance) Share() float64 {
	if b.Cap.Sign() == 0 {
		return 1
	}
	x, _ := new(big.Float).SetPrec(53).SetMode(big.ToPositiveInf).Quo(b.Spent, b.Cap).Float64()
	return x
}

// Fits returns the largest epsilon that a job at delta d could still ask, given what is left in all and in each period.
// It is a decimal rounded down to four digits, or empty if not even epsilon 0 fits.
func (b Balance) Fits(d calibrate.Delta) (epsilon string, err error) { return fits(b.Free(), d) }

func fits(free *big.Float, d calibrate.Delta) (epsilon string, err error) {
	if free.Sign() == 0 {
		return "", nil
	}
	if err := (calibrate.Guarantee{Delta: d}).Validate(); err != nil {
		return "", err
	}
	mu, _ := new(big.Float).Sqrt(free).Float64()
	e, err := calibrate.GaussianEpsilon(d, calibrate.Mu(mu))
	if err != nil {
		e = calibrate.MaxEpsilon // more is left than the largest epsilon at d takes
	}
	// The root and GaussianEpsilon may have rounded up. Step down until the job's own calibration fits.
	for _, text := range append(downward(float64(e)), "0") {
		if ok, err := pays(free, text, d); ok || err != nil {
			return text, err
		}
	}
	return "", nil
}

func pays(free *big.Float, epsilon string, d calibrate.Delta) (bool, error) {
	e, err := calibrate.ParseDown(epsilon)
	if err != nil {
		return false, err
	}
	mu, err := calibrate.GaussianMu(calibrate.Guarantee{Epsilon: calibrate.Epsilon(e), Delta: d})
	if err != nil {
		return false, err
	}
	return square(mu).Cmp(free) <= 0, nil
}

// downward returns the largest decimals of four digits at or below x > 0, the largest first.
func downward(x float64) []string {
	digits, exp, ok := strings.Cut(strconv.FormatFloat(x, 'e', 17, 64), "e")
	n, err1 := strconv.Atoi(digits[:1] + digits[2:5])
	k, err2 := strconv.Atoi(exp)
	if !ok || err1 != nil || err2 != nil {
		return nil
	}
	var out []string
	for i := range min(n, 3) {
		if v, err := strconv.ParseFloat(fmt.Sprintf("%de%d", n-i, k-3), 64); err == nil {
			out = append(out, strconv.FormatFloat(v, 'g', -1, 64))
		}
	}
	return out
}
