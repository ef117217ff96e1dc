package configs

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/dprelease/dprelease/configs/internal/wording"
)

const (
	// maxCells is the largest number of cells that from/to/width or a grid may make in one dimension.
	maxCells = 1_000_000
	// maxDigits bounds the digits before and after the point of equally spaced edges.
	maxDigits = 30
)

// ladder is a sequence of equally spaced edges: first + i*step for i from 0 to cells, each with `digits` digits after
// the point.
type ladder struct {
	first, step   *big.Rat
	cells, digits int
}

// flaw is a problem of from, to or width.
type flaw struct{ key, text, hint string }

// steps computes the edges from from, to and width in exact decimal arithmetic.
func (d *Dimension) steps() (*ladder, *flaw) {
	var numbers [3]*big.Rat
	digits := 0
	for i, e := range []struct {
		key   string
		value *Scalar
	}{{"from", d.From}, {"to", d.To}, {"width", d.Width}} {
		r, ok := e.value.number()
		places := decimals(*e.value)
		switch {
		case !ok:
			return nil, &flaw{e.key, "must be a number, is " + wording.Quote(string(*e.value)), "for dates write every: month, or list them as edges"}
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
		return nil, &flaw{"width", "does not divide the range evenly: it makes " + n.FloatString(2) + " cells", "change width or to, or list the edges"}
	case n.Num().Cmp(big.NewInt(maxCells)) > 0:
		return nil, &flaw{"width", fmt.Sprintf("makes more than %d cells", maxCells), "use a larger width"}
	}
	return &ladder{from, width, int(n.Num().Int64()), digits}, nil
}

// decimals returns how many digits a number has after the point.
func decimals(s Scalar) int {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(string(s)), "e")
	_, fraction, _ := strings.Cut(mantissa, ".")
	e, err := strconv.Atoi(strings.TrimPrefix(exponent, "+"))
	if err != nil {
		e = 0
	}
	return max(0, len(fraction)-e)
}

// Expanded returns the edges of a dimension as source texts: its edges, or those that from, to and width (in exact
// decimal arithmetic) or from, to and every give. It returns nil if the dimension has no edges.
func (d Dimension) Expanded() []Scalar {
	if d.From == nil || d.To == nil {
		return d.Edges
	}
	edges, flaw := d.ladder()
	if flaw != nil {
		return nil
	}
	return edges
}

// HalfOpen reports whether no cell includes its upper edge.
func (d Dimension) HalfOpen() bool { return d.LastEdge == "excluded" || d.Every != "" }

// ladder returns the edges between from and to. It returns nil if there is neither a width nor a calendar step.
func (d *Dimension) ladder() ([]Scalar, *flaw) {
	if d.Every != "" {
		return d.calendar()
	}
	if d.Width == nil {
		return nil, nil
	}
	l, flaw := d.steps()
	if flaw != nil {
		return nil, flaw
	}
	out := make([]Scalar, l.cells+1)
	at := new(big.Rat).Set(l.first)
	for i := range out {
		out[i] = Scalar(at.FloatString(l.digits))
		at.Add(at, l.step)
	}
	return out, nil
}
