package domain

import (
	"math/big"
	"strconv"

	"github.com/dprelease/dprelease/calibrate"
)

// Number parses a decimal number exactly.
func Number(text string) (*big.Rat, bool) {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return new(big.Rat).SetInt64(n), true // most edges are integers, and a dimension can have a million
	}
	x, err := calibrate.ParseDecimal(text)
	return x.Rat(), err == nil
}

// nearest parses a decimal number and rounds it to the nearest float64, as the readers of data do.
func nearest(text string) (float64, bool) {
	x, err := calibrate.ParseNearest(text)
	return x, err == nil
}

// Floor returns the largest integer that is at most x.
func Floor(x *big.Rat) *big.Int {
	return new(big.Int).Div(x.Num(), x.Denom()) // Div rounds down if the denominator is positive, as Denom's is
}

// Ceil returns the smallest integer that is at least x.
func Ceil(x *big.Rat) *big.Int {
	f := Floor(new(big.Rat).Neg(x))
	return f.Neg(f)
}
