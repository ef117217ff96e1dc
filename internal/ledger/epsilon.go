package ledger

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/dprelease/dprelease/calibrate"
)

// fits returns the largest epsilon that a job with delta d can ask for if the mu squared free is left. It is a decimal
// rounded down to four digits, or empty if not even epsilon 0 fits. A job with delta 0 is taken to have one query with
// Laplace or geometric noise; several queries that share an epsilon cost no more.
func fits(free *big.Float, d calibrate.Delta) (epsilon string, err error) {
	if free.Sign() == 0 {
		return "", nil
	}
	mu, _ := new(big.Float).Sqrt(free).Float64()
	if d == 0 {
		// the epsilon at which calibrate.PureMu is mu
		return largestPaid(free, d, listDecimalsBelow(min(2*math.Atanh(math.Erf(mu/math.Sqrt(8))), calibrate.MaxPure)))
	}
	if err := (calibrate.Guarantee{Delta: d}).Validate(); err != nil {
		return "", err
	}
	e, err := calibrate.GaussianEpsilon(d, calibrate.Mu(mu))
	if err != nil {
		e = calibrate.MaxEpsilon // the amount left is more than the largest permitted epsilon costs
	}
	return largestPaid(free, d, append(listDecimalsBelow(float64(e)), "0"))
}

// largestPaid returns the first one of the decimals whose guarantee costs at most free, or "". Earlier decimals can
// cost more, because they come from a rounded formula; the check uses the calibration that charges a job.
func largestPaid(free *big.Float, d calibrate.Delta, decimals []string) (string, error) {
	for _, text := range decimals {
		if ok, err := pays(free, text, d); ok || err != nil {
			return text, err
		}
	}
	return "", nil
}

// pays reports whether a job with this epsilon and delta costs at most the mu squared free.
func pays(free *big.Float, epsilon string, d calibrate.Delta) (bool, error) {
	e, err := calibrate.ParseDown(epsilon)
	if err != nil {
		return false, err
	}
	var mu calibrate.Mu
	if d == 0 {
		mu, err = calibrate.PureMu(calibrate.Epsilon(e))
	} else {
		mu, err = calibrate.GaussianMu(calibrate.Guarantee{Epsilon: calibrate.Epsilon(e), Delta: d})
	}
	if err != nil {
		return false, err
	}
	return square(mu).Cmp(free) <= 0, nil
}

// listDecimalsBelow returns up to three decimals of four digits at or below x > 0, the largest first.
func listDecimalsBelow(x float64) []string {
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

// muCap returns the largest mu whose privacy curve meets epsilon at delta − less, rounded down.
func muCap(epsilon, delta string, less *big.Rat) (calibrate.Mu, error) {
	g, err := guarantee(epsilon, delta, less)
	if err != nil {
		return 0, err
	}
	return calibrate.GaussianMu(g)
}

// guarantee parses an epsilon and a delta, and subtracts less from delta. Both results are rounded down.
func guarantee(epsilon, delta string, less *big.Rat) (g calibrate.Guarantee, err error) {
	e, err := calibrate.ParseDecimal(epsilon)
	if err != nil {
		return g, err
	}
	d, err := calibrate.ParseDecimal(delta)
	if err != nil {
		return g, err
	}
	g = calibrate.Guarantee{Epsilon: calibrate.Epsilon(e.Down()), Delta: calibrate.Delta(d.Down())}
	if less.Sign() > 0 {
		left := new(big.Rat).Sub(d.Rat(), less)
		if left.Sign() <= 0 {
			return g, errShares
		}
		g.Delta = calibrate.Delta(calibrate.RoundDown(left))
	}
	return g, g.Validate()
}

// errShares means that delta_cap leaves no delta for mechanisms.
var errShares = errors.New("delta_cap must be smaller than delta, a period's too")
