package queries

import (
	"math/big"
	"slices"

	"github.com/dprelease/dprelease/io/table"
)

// refBounds returns the quantum u of a query's values, and the ends of their range in quanta. For vectors with a
// bounded norm, the ends are minus and plus the norm.
func refBounds(s Spec) (u *big.Rat, low, high *big.Int) {
	v := s.Value
	lo, hi := v.Lo, v.Hi
	if v.ClipL2 != "" {
		lo, hi = "-"+v.ClipL2, v.ClipL2
	}
	a, _ := new(big.Rat).SetString(lo)
	b, _ := new(big.Rat).SetString(hi)
	largest := new(big.Rat).Abs(a)
	if c := new(big.Rat).Abs(b); c.Cmp(largest) > 0 {
		largest = c
	}
	u = big.NewRat(1, 1)
	two := big.NewRat(2, 1)
	size := int64(1 << 40)
	if s.Kind == Variance {
		size = 1 << 30
	}
	for n := big.NewRat(size, 1); new(big.Rat).Mul(u, n).Cmp(largest) >= 0; u = new(big.Rat).Quo(u, two) {
	}
	for n := big.NewRat(size, 1); new(big.Rat).Mul(u, n).Cmp(largest) < 0; u = new(big.Rat).Mul(u, two) {
	}
	a.Quo(a, u)
	b.Quo(b, u)
	low = new(big.Int).Neg(new(big.Int).Div(new(big.Int).Neg(a.Num()), a.Denom()))
	high = new(big.Int).Div(b.Num(), b.Denom())
	if width := new(big.Int).Sub(high, low); s.Kind != Sum && width.Bit(0) == 1 {
		high.Sub(high, big.NewInt(1))
	}
	return u, low, high
}

// refNumber returns a value in quanta of u, rounded to the nearest integer or towards zero. It is nil if the value is
// not a number. Infinite values become large numbers.
func refNumber(t table.Type, v value, u *big.Rat, towardsZero bool) *big.Int {
	x, infinite := exactly(t, v)
	switch {
	case x == nil:
		return nil
	case infinite != 0:
		return new(big.Int).Mul(big.NewInt(int64(infinite)), new(big.Int).Lsh(big.NewInt(1), 2000))
	}
	if f, exact := x.Float64(); !exact {
		x = new(big.Rat).SetFloat64(f)
	}
	x.Quo(x, u)
	if towardsZero {
		return new(big.Int).Quo(x.Num(), x.Denom())
	}
	down := new(big.Int).Div(x.Num(), x.Denom())
	switch c := new(big.Rat).Sub(x, new(big.Rat).SetInt(down)).Cmp(big.NewRat(1, 2)); {
	case c > 0, c == 0 && down.Bit(0) == 1:
		down.Add(down, big.NewInt(1))
	}
	return down
}

// refValue returns the clamped value of a row in quanta, and false if the row has none.
func refValue(s Spec, t *testTable, row []value) ([]int, bool) {
	u, low, high := refBounds(s)
	var all []*big.Int
	for _, c := range s.Value.Columns {
		at := t.schema().Index(c)
		x := refNumber(t.fields[at].Type, row[at], u, s.Value.ClipL2 != "")
		if x == nil {
			return nil, false
		}
		if s.Value.ClipL2 == "" && x.Cmp(low) < 0 {
			x = low
		}
		if s.Value.ClipL2 == "" && x.Cmp(high) > 0 {
			x = high
		}
		all = append(all, x)
	}
	if s.Value.ClipL2 != "" {
		refClip(all, high)
	}
	out := make([]int, len(all))
	for i, x := range all {
		out[i] = int(x.Int64())
	}
	return out, true
}

// refClip shortens a vector to a norm. If a component is far above 2^53 quanta, only the leading digits are used.
func refClip(x []*big.Int, norm *big.Int) {
	longest := 0
	for _, v := range x {
		longest = max(longest, v.BitLen())
	}
	squares := new(big.Int)
	for _, v := range x {
		if longest > 2000 {
			v.Quo(v, new(big.Int).Lsh(big.NewInt(1), 2000-41))
		}
		squares.Add(squares, new(big.Int).Mul(v, v))
	}
	own := new(big.Int).Sqrt(squares)
	if new(big.Int).Mul(own, own).Cmp(squares) < 0 {
		own.Add(own, big.NewInt(1))
	}
	if own.Cmp(norm) <= 0 {
		return
	}
	for _, v := range x {
		v.Quo(v.Mul(v, norm), own)
	}
}

// refSums computes the exact totals of a sum or mean row by row: in quanta, the sums of values minus the centre, and
// the numbers of rows.
func refSums(s Spec, t *testTable) (sums []*big.Int, rows []int64) {
	cells, dims := 1, len(s.Value.Columns)
	for _, d := range s.By {
		cells *= refSize(d)
	}
	_, low, high := refBounds(s)
	centre := new(big.Int)
	if s.Kind != Sum {
		centre.Rsh(centre.Add(low, high), 1)
	}
	rows = make([]int64, cells)
	for range cells * dims {
		sums = append(sums, new(big.Int))
	}
	for _, r := range refAnswered(s, t, func(row []value) ([]int, bool) { return refValue(s, t, row) }) {
		rows[r.cell]++
		for i, x := range r.content {
			cell := sums[r.cell*dims+i]
			cell.Add(cell, big.NewInt(int64(x))).Sub(cell, centre)
		}
	}
	return sums, rows
}

func equalInts(a, b []*big.Int) bool {
	return slices.EqualFunc(a, b, func(x, y *big.Int) bool { return x.Cmp(y) == 0 })
}
