package ledger

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/dprelease/dprelease/calibrate"
)

// Balance is where an account stands. Amounts are mu squared, exact sums of terms that were rounded up to 256 bits, so
// that they depend neither on order nor on grouping (calibrate.ComposedMu2).
type Balance struct {
	Account Account
	Budget  Budget
	Cap     *big.Float // mu_cap squared
	Spent   *big.Float // by every run that was not given back
	Left    *big.Float // Cap - Spent, at least 0
	Runs    int        // how many runs count
}

// guarantee reads the decimals of a budget, rounded down.
func (b Budget) guarantee() (calibrate.Guarantee, error) {
	e, err := calibrate.ParseDown(b.Epsilon)
	if err != nil {
		return calibrate.Guarantee{}, err
	}
	d, err := calibrate.ParseDown(b.Delta)
	if err != nil {
		return calibrate.Guarantee{}, err
	}
	g := calibrate.Guarantee{Epsilon: calibrate.Epsilon(e), Delta: calibrate.Delta(d)}
	return g, g.Validate()
}

// mu returns mu_cap, the largest mu whose mechanisms meet the budget.
func (b Budget) mu() (calibrate.Mu, error) {
	g, err := b.guarantee()
	if err != nil {
		return 0, err
	}
	return calibrate.GaussianMu(g)
}

func (a *account) balance() Balance {
	b := Balance{Account: a.Account, Budget: a.Budget, Spent: new(big.Float)}
	for _, r := range a.runs {
		if r.State != Released {
			b.Spent = sum(b.Spent, r.mu2)
			b.Runs++
		}
	}
	mu := new(big.Float).SetFloat64(float64(a.mu))
	b.Cap = new(big.Float).SetPrec(106).Mul(mu, mu) // exact
	b.Left = sum(b.Cap, new(big.Float).Neg(b.Spent))
	if b.Left.Sign() < 0 {
		b.Left = new(big.Float)
	}
	return b
}

// sum is exact, with as many bits as that takes.
func sum(x, y *big.Float) *big.Float {
	z := new(big.Float)
	for prec := max(x.Prec(), y.Prec(), 64); ; prec += 64 {
		if z.SetPrec(prec).Add(x, y); z.Acc() == big.Exact {
			return z
		}
	}
}

// Share returns what part of the budget's mu squared is spent, from 0 to 1, rounded up.
func (b Balance) Share() float64 {
	if b.Cap.Sign() == 0 {
		return 1
	}
	x, _ := new(big.Float).SetPrec(53).SetMode(big.ToPositiveInf).Quo(b.Spent, b.Cap).Float64()
	return x
}

// Fits returns the largest epsilon, as a decimal rounded down to four digits, of a job at delta d that what is left can
// pay; empty where it cannot pay for any, not even epsilon 0.
func (b Balance) Fits(d calibrate.Delta) (epsilon string, err error) {
	if b.Left.Sign() == 0 {
		return "", nil
	}
	if err := (calibrate.Guarantee{Delta: d}).Validate(); err != nil {
		return "", err
	}
	mu, _ := new(big.Float).Sqrt(b.Left).Float64()
	e, err := calibrate.GaussianEpsilon(d, calibrate.Mu(mu))
	if err != nil {
		e = calibrate.MaxEpsilon // more is left than any epsilon at d takes
	}
	// The root and GaussianEpsilon may have rounded up: step down until the job's own calibration fits.
	for _, text := range append(downward(float64(e)), "0") {
		if ok, err := b.pays(text, d); ok || err != nil {
			return text, err
		}
	}
	return "", nil
}

func (b Balance) pays(epsilon string, d calibrate.Delta) (bool, error) {
	e, err := calibrate.ParseDown(epsilon)
	if err != nil {
		return false, err
	}
	mu, err := calibrate.GaussianMu(calibrate.Guarantee{Epsilon: calibrate.Epsilon(e), Delta: d})
	if err != nil {
		return false, err
	}
	asked := new(big.Float).SetFloat64(float64(mu))
	return asked.SetPrec(106).Mul(asked, asked).Cmp(b.Left) <= 0, nil
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
