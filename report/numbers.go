package report

import (
	"math/big"
	"strconv"
	"strings"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/internal/spelling"
)

// This file prints numbers as exact decimals. A bound is rounded up or down so that it still holds.

// ceilTo returns x rounded up to the given number of decimals.
func ceilTo(x *big.Rat, decimals int) string {
	scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(decimals)), nil)
	scaled := new(big.Rat).Mul(x, new(big.Rat).SetInt(scale))
	n := new(big.Int).Set(scaled.Num())
	n.Neg(n)
	n.Div(n, scaled.Denom()) // Euclidean: rounds down for a positive divisor
	n.Neg(n)
	return new(big.Rat).SetFrac(n, scale).FloatString(decimals)
}

// floorTo returns x rounded down to the given number of decimals.
func floorTo(x *big.Rat, decimals int) string {
	text := ceilTo(new(big.Rat).Neg(x), decimals)
	if rest, negative := strings.CutPrefix(text, "-"); negative {
		return rest
	}
	if strings.Trim(text, "0.") == "" {
		return text
	}
	return "-" + text
}

// percentUp returns a probability in percent with two decimals, rounded up.
func percentUp(x *big.Rat) string {
	return ceilTo(new(big.Rat).Mul(x, big.NewRat(100, 1)), 2) + " %"
}

// tinyGain is a probability. If an attacker's probability to be right exceeds the prior belief by less than tinyGain,
// the page shows no gain. Rounded up, such a gain would look like a hundredth of a percent.
const tinyGain = 1e-14

// rightText formats the probability of a right guess in percent, rounded up. right is that probability, and alone is
// the prior belief. If right exceeds alone by less than tinyGain, rightText formats alone.
func rightText(alone, right *big.Rat) string {
	if gain, _ := new(big.Rat).Sub(right, alone).Float64(); gain < tinyGain {
		return wholePercent(alone)
	}
	return percentUp(right)
}

// percentDown formats a fraction in percent with one decimal, rounded down.
func percentDown(x float64) string {
	r := new(big.Rat).SetFloat64(x)
	if r == nil {
		return "0.0 %"
	}
	return floorTo(r.Mul(r, big.NewRat(100, 1)), 1) + " %"
}

// short returns a number with four significant digits, rounded away from zero.
func short(x float64) string { return spelling.Up(x, 4) }

// AsStated returns a job's number as the job states it. x is the job's decimal, rounded down to a float64; AsStated
// returns the shortest decimal that gives x when it is rounded down.
func AsStated(x float64) string {
	for digits := 1; digits < 17; digits++ {
		s := strconv.FormatFloat(x, 'g', digits, 64)
		if y, err := calibrate.ParseDown(s); err == nil && y == x {
			return plainExponent(s)
		}
	}
	return plainExponent(strconv.FormatFloat(x, 'g', -1, 64))
}

// plainExponent writes 1e-06 as 1e-6.
func plainExponent(s string) string {
	return strings.NewReplacer("e-0", "e-", "e+0", "e+").Replace(s)
}
