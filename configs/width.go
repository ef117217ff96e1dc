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

// ladder is a sequence of equally spaced edges: first + i*step for i from 0 to cells. Each edge is written with
// `digits` digits after the decimal point.
type ladder struct {
	first, step   *big.Rat
	cells, digits int
}

// flaw describes what is wrong with one of the keys from, to, width and every.
type flaw struct{ Key, Text, Hint string }

// byWidth returns the edges from, from + width, …, to, as texts with equally many digits after the point.
func byWidth(from, to, width string) ([]string, *flaw) {
	l, flaw := steps(from, to, width)
	if flaw != nil {
		return nil, flaw
	}
	out := make([]string, l.cells+1)
	at := new(big.Rat).Set(l.first)
	for i := range out {
		out[i] = at.FloatString(l.digits)
		at.Add(at, l.step)
	}
	return out, nil
}

// steps computes the ladder from from, to and width.
func steps(first, last, step string) (*ladder, *flaw) {
	var numbers [3]*big.Rat
	digits := 0
	for i, e := range []struct {
		key, value string
	}{{"from", first}, {"to", last}, {"width", step}} {
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
	from, to, width := numbers[0], numbers[1], numbers[2]
	switch {
	case width.Sign() <= 0:
		return nil, &flaw{"width", "must be greater than 0", ""}
	case from.Cmp(to) >= 0:
		return nil, &flaw{"to", "must be greater than from", ""}
	}
	return evenly(from, to, width, digits)
}

var tooLarge = new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(maxDigits), nil))

func evenly(from, to, width *big.Rat, digits int) (*ladder, *flaw) {
	n := new(big.Rat).Sub(to, from)
	n.Quo(n, width)
	switch {
	case !n.IsInt():
		return nil, &flaw{"width", "does not divide the range evenly: it makes " + n.FloatString(2) + " cells",
			"change width or to, or list the edges"}
	case n.Num().Cmp(big.NewInt(maxCells)) > 0:
		return nil, &flaw{"width", fmt.Sprintf("makes more than %d cells", maxCells), "use a larger width"}
	}
	return &ladder{from, width, int(n.Num().Int64()), digits}, nil
}

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
