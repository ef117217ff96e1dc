// Package int128 has integers of 128 bits, which sums of values over fewer than 2^48 rows cannot overflow.
//
// An [Int] is High·2^64 + Low in two's complement. A [Slice] holds many of them: all high halves in one slice, all low
// halves in another. Noise is added in place: afterwards the high half of each integer holds its noisy value, and the
// low halves are wiped.
package int128

import (
	"math/big"
	"math/bits"
	"slices"
)

// Int is an integer from -2^127 to 2^127 - 1: High·2^64 + Low.
type Int struct {
	High int64
	Low  uint64
}

// Of returns x with 128 bits.
func Of(x int64) Int { return Int{x >> 63, uint64(x)} }

// Product returns x·n. It does not overflow, since |x·n| < 2^127.
func Product(x int64, n uint64) Int {
	magnitude := uint64(x)
	if x < 0 {
		magnitude = -magnitude
	}
	high, low := bits.Mul64(magnitude, n)
	if x < 0 {
		var borrow uint64
		low, borrow = bits.Sub64(0, low, 0)
		high, _ = bits.Sub64(0, high, borrow)
	}
	return Int{int64(high), low}
}

// Square returns n², for n up to 2^63.
func Square(n uint64) Int {
	high, low := bits.Mul64(n, n)
	return Int{int64(high), low}
}

// Add returns x + y; digits that do not fit are dropped.
func (x Int) Add(y Int) Int {
	low, carry := bits.Add64(x.Low, y.Low, 0)
	return Int{x.High + y.High + int64(carry), low}
}

// Sub returns x - y, without the digits that do not fit.
func (x Int) Sub(y Int) Int {
	low, borrow := bits.Sub64(x.Low, y.Low, 0)
	return Int{x.High - y.High - int64(borrow), low}
}

// Times returns x·n, without the digits that do not fit.
func (x Int) Times(n int64) Int {
	high, low := bits.Mul64(x.Low, uint64(n))
	h := int64(high) + x.High*n
	if n < 0 { // uint64(n) is n + 2^64
		h -= int64(x.Low)
	}
	return Int{h, low}
}

// Cmp returns -1 if x < y, 0 if they are equal and 1 if x > y.
func (x Int) Cmp(y Int) int {
	switch {
	case x == y:
		return 0
	case x.High < y.High, x.High == y.High && x.Low < y.Low:
		return -1
	}
	return 1
}

// ShiftRight returns floor(x/2^n).
func (x Int) ShiftRight(n uint) Int {
	if n >= 64 {
		return Of(x.High >> (n - 64))
	}
	return Int{x.High >> n, x.Low>>n | uint64(x.High)<<(64-n)}
}

// ShiftLeft returns x·2^n; digits that do not fit are dropped.
func (x Int) ShiftLeft(n uint) Int {
	if n >= 64 {
		return Int{High: int64(x.Low << (n - 64))}
	}
	return Int{x.High<<n | int64(x.Low>>(64-n)), x.Low << n}
}

// IsInt64 reports whether x fits int64.
func (x Int) IsInt64() bool { return x == Of(int64(x.Low)) }

// Big returns x as a big integer.
func (x Int) Big() *big.Int {
	b := new(big.Int).Lsh(big.NewInt(x.High), 64)
	return b.Or(b, new(big.Int).SetUint64(x.Low)) // the low 64 digits of b are zero, even if it is negative
}

// Slice is a slice of integers. If Low is nil, item i is High[i]. Otherwise Low is as long as High, and item i is
// High[i]·2^64 + Low[i].
type Slice struct {
	High []int64
	Low  []uint64
}

// Make returns n zeros of 128 bits.
func Make(n int) Slice { return Slice{make([]int64, n), make([]uint64, n)} }

// Narrow returns the 64-bit integers of cells as a Slice that shares their memory.
func Narrow(cells []int64) Slice { return Slice{High: cells} }

// Len returns the number of integers.
func (s Slice) Len() int { return len(s.High) }

// At returns integer i.
func (s Slice) At(i int) Int {
	if s.Low == nil {
		return Of(s.High[i])
	}
	return Int{s.High[i], s.Low[i]}
}

// Set replaces integer i of a slice of 128-bit integers by x.
func (s Slice) Set(i int, x Int) { s.High[i], s.Low[i] = x.High, x.Low }

// Add adds x to integer i of a slice of 128-bit integers.
func (s Slice) Add(i int, x Int) {
	var carry uint64
	s.Low[i], carry = bits.Add64(s.Low[i], x.Low, 0)
	s.High[i] += x.High + int64(carry)
}

// AddSlice adds o.At(i) to integer i of s, for all i. s must have 128-bit integers.
func (s Slice) AddSlice(o Slice) {
	for i := range o.High {
		s.Add(i, o.At(i))
	}
}

// Cut returns the integers with indices in [from, to) as a Slice that shares the memory.
func (s Slice) Cut(from, to int) Slice {
	if s.Low == nil {
		return Slice{High: s.High[from:to]}
	}
	return Slice{s.High[from:to], s.Low[from:to]}
}

// Clone returns a copy.
func (s Slice) Clone() Slice { return Slice{slices.Clone(s.High), slices.Clone(s.Low)} }

// Wipe makes all integers 0.
func (s Slice) Wipe() {
	clear(s.High)
	clear(s.Low)
}
