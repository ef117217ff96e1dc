package configs

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/dprelease/dprelease/configs/internal/wording"
	"github.com/dprelease/dprelease/configs/internal/yamltree"
)

// This file computes the edges of the cells of a dimension: equally spaced numbers, in exact decimal arithmetic, and
// days of the calendar.

// maxCells is the largest number of cells that are computed for one dimension.
const maxCells = 1_000_000

// maxDigits bounds the digits before and after the point of equally spaced edges.
const maxDigits = 30

// flaw describes what is wrong with one of the keys from, to, width and every.
type flaw struct{ Key, Text, Hint string }

// byWidth returns the edges from, from + width, …, to, as texts with equally many digits after the point.
func byWidth(from, to, width string) ([]string, *flaw) {
	var numbers [3]*big.Rat
	digits := 0
	for i, e := range []struct {
		key, value string
	}{{"from", from}, {"to", to}, {"width", width}} {
		r, ok := yamltree.ParseNumber(e.value)
		places := decimals(e.value)
		switch {
		case !ok:
			return nil, &flaw{e.key, "must be a number, is " + wording.Quote(e.value),
				"for dates write every: month, or list them as edges"}
		case places > maxDigits || r.Cmp(tooLarge) >= 0 || new(big.Rat).Neg(r).Cmp(tooLarge) >= 0:
			return nil, &flaw{e.key, "has too many digits", fmt.Sprintf("at most %d before and after the point", maxDigits)}
		}
		numbers[i], digits = r, max(digits, places)
	}
	at, last, step := numbers[0], numbers[1], numbers[2]
	switch {
	case step.Sign() <= 0:
		return nil, &flaw{"width", "must be greater than 0", ""}
	case at.Cmp(last) >= 0:
		return nil, &flaw{"to", "must be greater than from", ""}
	}
	cells := new(big.Rat).Sub(last, at)
	cells.Quo(cells, step)
	switch {
	case !cells.IsInt():
		return nil, &flaw{"width", "does not divide the range evenly: it makes " + cells.FloatString(2) + " cells",
			"change width or to, or list the edges"}
	case cells.Num().Cmp(big.NewInt(maxCells)) > 0:
		return nil, &flaw{"width", fmt.Sprintf("makes more than %d cells", maxCells), "use a larger width"}
	}
	// The edges are counted in units of the last digit: adding integers is much cheaper than adding fractions.
	edge, add := units(at, digits), units(step, digits)
	out := make([]string, cells.Num().Int64()+1)
	for i := range out {
		out[i] = fixedPoint(edge, digits)
		edge.Add(edge, add)
	}
	return out, nil
}

// units returns x·10^digits, which must be an integer.
func units(x *big.Rat, digits int) *big.Int {
	scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(digits)), nil)
	return scale.Mul(scale, x.Num()).Quo(scale, x.Denom())
}

// fixedPoint formats n·10^-digits with that many digits after the point.
func fixedPoint(n *big.Int, digits int) string {
	text := n.String()
	if digits == 0 {
		return text
	}
	size := strings.TrimPrefix(text, "-")
	sign := text[:len(text)-len(size)]
	if missing := digits + 1 - len(size); missing > 0 {
		size = strings.Repeat("0", missing) + size
	}
	return sign + size[:len(size)-digits] + "." + size[len(size)-digits:]
}

var tooLarge = new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(maxDigits), nil))

// decimals returns how many digits a number has after the point.
func decimals(s string) int {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(s), "e")
	_, fraction, _ := strings.Cut(mantissa, ".")
	e, err := strconv.Atoi(strings.TrimPrefix(exponent, "+"))
	if err != nil {
		e = 0
	}
	return max(0, len(fraction)-e)
}
