package ledger

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/dprelease/dprelease/calibrate"
)

// The arithmetic of spends, in units of mu squared. Terms are rounded up to 256 bits when they are computed; their sums
// are exact.

func square(mu calibrate.Mu) *big.Float {
	x := new(big.Float).SetFloat64(float64(mu))
	return new(big.Float).SetPrec(106).Mul(x, x)
}

// remainder returns limit − spent exactly, or 0 if that is negative.
func remainder(limit, spent *big.Float) *big.Float {
	if x := sum(limit, new(big.Float).Neg(spent)); x.Sign() > 0 {
		return x
	}
	return new(big.Float)
}

// sum returns x + y exactly, with as many bits as the result needs.
func sum(x, y *big.Float) *big.Float {
	z := new(big.Float)
	for prec := max(x.Prec(), y.Prec(), 64); ; prec += 64 {
		if z.SetPrec(prec).Add(x, y); z.Acc() == big.Exact {
			return z
		}
	}
}

// ratio returns x / y as a float64, rounded by mode. x and y must not both be 0.
func ratio(x, y *big.Float, mode big.RoundingMode) float64 {
	// f is an infinity or 0 if the quotient is beyond float64's range
	f, _ := new(big.Float).SetPrec(53).SetMode(mode).Quo(x, y).Float64()
	return f
}

func orZero(x *big.Float) *big.Float {
	if x == nil {
		return new(big.Float)
	}
	return x
}

// percent returns part / whole in percent as a decimal of three significant digits, rounded up if up is set, else down:
// below a millionth of a percent to 0. whole must be above 0.
func percent(part, whole *big.Float, up bool) string {
	if part.Sign() == 0 {
		return "0"
	}
	q := new(big.Float).SetPrec(512).Quo(part, whole)
	text, exponent, _ := strings.Cut(q.Mul(q, big.NewFloat(100)).Text('e', 80), "e")
	digits, rest := text[:1]+text[2:4], text[4:]
	n, err1 := strconv.Atoi(digits)
	e, err2 := strconv.Atoi(exponent)
	if err1 != nil || err2 != nil {
		return text // part or whole is not finite
	}
	if !up && e < -6 {
		return "0"
	}
	if up && strings.Trim(rest, "0") != "" {
		n++
	}
	x, _ := strconv.ParseFloat(fmt.Sprintf("%de%d", n, e-2), 64) // an infinity or 0 if out of range
	return strconv.FormatFloat(x, 'g', -1, 64)
}
