package gauss

import "math/big"

// wide is a 128-bit integer in two's complement: high·2^64 + low.
type wide struct {
	high int64
	low  uint64
}

// widen returns x with 128 bits.
func widen(x int64) wide { return wide{x >> 63, uint64(x)} }

// right returns floor(x/2^n).
func (x wide) right(n uint) wide {
	if n >= 64 {
		return widen(x.high >> (n - 64))
	}
	return wide{x.high >> n, x.low>>n | uint64(x.high)<<(64-n)}
}

// left returns x·2^n without the digits that do not fit.
func (x wide) left(n uint) wide {
	if n >= 64 {
		return wide{high: int64(x.low << (n - 64))}
	}
	return wide{x.high<<n | int64(x.low>>(64-n)), x.low << n}
}

// narrow says that x is in int64's range.
func (x wide) narrow() bool { return x == widen(int64(x.low)) }

// big returns x.
func (x wide) big() *big.Int {
	b := new(big.Int).Lsh(big.NewInt(x.high), 64)
	return b.Or(b, new(big.Int).SetUint64(x.low)) // the low 64 digits are zero, also of a negative number
}

// AddWide replaces every high[i] by floor(x + S·Z + 1/2), x = (high[i]·2^64 + low[i])·2^lift, as [Sampler.Add] does with
// its cells; low, which has as many items, becomes unspecified.
func (s *Sampler) AddWide(high []int64, low []uint64) error {
	s.raiseWide(high, low)
	return s.add(high, low)
}

// raiseWide turns cells into grid units if their unit is larger than the grid, and moves each that is then beyond
// int64 to the end that it is beyond.
func (s *Sampler) raiseWide(high []int64, low []uint64) {
	for i, h := range high {
		x := wide{h, low[i]}
		y := x.left(s.above)
		if y.right(s.above) != x || !y.right(s.below).narrow() {
			y = widen(end(h)).left(s.below)
		}
		high[i], low[i] = y.high, y.low
	}
}

// splitWide returns x = cell·2^lift as an integer and a fraction in units of 2^-64, rounded down; the integer is in
// int64's range.
func (s *Sampler) splitWide(x wide) (whole int64, fraction uint64) {
	whole = int64(x.right(s.below).low)
	if s.below < 64 {
		return whole, x.low << (64 - s.below)
	}
	return whole, x.right(s.below - 64).low
}

// from returns the items from i on; nil: there are none.
func from(low []uint64, i int) []uint64 {
	if low == nil {
		return nil
	}
	return low[i:]
}

// exact returns a cell.
func exact(cells []int64, low []uint64, i int) wide {
	if low == nil {
		return widen(cells[i])
	}
	return wide{cells[i], low[i]}
}
