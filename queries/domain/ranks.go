package domain

import (
	"cmp"
	"math"
	"math/bits"
)

// Ranks of values among steps
//
// The rank of a value among ascending steps is the number of steps that are not above the value. To find it fast, the
// range from the first step to the last is divided into buckets of equal width. A multiplication finds a value's
// bucket. A table holds, for each bucket, the number of steps in earlier buckets, and the first step in the bucket
// itself. Values and steps are mapped to buckets by the same monotone function. So a step in an earlier bucket is below
// the value, and a step in a later bucket is above it. Only steps in the value's own bucket are compared with the
// value: one step if the steps are evenly spaced. Rounding in the multiplication does not affect the result.

// Numbers of buckets in a table: one bucket for each gap between steps if the gaps are about equal, otherwise
// fineBuckets or more, at most maxBuckets.
const (
	fineBuckets = 1 << 12
	maxBuckets  = 1 << 15
)

// rankBucket is one bucket of the table: it contains n steps, the first of which is limit. before is the number of
// steps in earlier buckets. If n is 0, limit is above all values of the bucket.
type rankBucket[T cmp.Ordered] struct {
	limit     T
	before, n int32
}

// rankOf returns the number of ascending steps that are not above x, by bisection. It does not branch on x.
func rankOf[T cmp.Ordered](steps []T, x T) int32 {
	low, n := 0, len(steps)
	for n > 0 {
		half := (n + 1) / 2
		if steps[low+half-1] <= x {
			low += half
		}
		n -= half
	}
	return int32(low)
}

// fillBuckets returns a table of n buckets. bucketOf maps a value between the first and the last step to its bucket.
// even is true if no bucket has more than one step; the last bucket may also contain the last step.
func fillBuckets[T cmp.Ordered](steps []T, n int, bucketOf func(T) int) (table []rankBucket[T], even bool) {
	table = make([]rankBucket[T], n)
	for _, x := range steps {
		table[bucketOf(x)].n++
	}
	before := int32(0)
	even = true
	for i := range table {
		table[i].before, table[i].limit = before, steps[min(int(before), len(steps)-1)]
		before += table[i].n
		even = even && (table[i].n <= 1 || i == n-1 && table[i].n == 2)
	}
	return table, even
}

// tableSizes returns the numbers of buckets to try for n steps, in order.
func tableSizes(n int) []int {
	if n < 2 {
		return nil
	}
	return []int{min(n-1, maxBuckets), max(fineBuckets, min(4*n, maxBuckets))}
}

// find returns the rank of a value that is in bucket b.
func (b *rankBucket[T]) find(steps []T, x T) int32 {
	r := b.before
	if x >= b.limit {
		r++
		if b.n > 1 {
			r += rankOf(steps[r:b.before+b.n], x)
		}
	}
	return r
}

// floatRanks computes the ranks of floats among steps.
type floatRanks struct {
	steps            []float64
	low, high, scale float64
	table            []rankBucket[float64] // nil if ranks are found by bisection
}

// newFloatRanks prepares ascending finite steps. It keeps the slice.
func newFloatRanks(steps []float64) *floatRanks {
	f := &floatRanks{steps: steps}
	for _, n := range tableSizes(len(steps)) {
		f.low, f.high = steps[0], steps[len(steps)-1]
		// slightly more than n buckets, so that rounding does not move an evenly spaced step to the bucket before its own
		f.scale = float64(n) / (f.high - f.low) * (1 + 0x1p-30)
		if !(f.scale > 0) || math.IsInf(f.scale, 0) {
			break
		}
		table, even := fillBuckets(steps, n, func(x float64) int { return f.bucket(x, n) })
		if f.table = table; even {
			break
		}
	}
	return f
}

func (f *floatRanks) bucket(x float64, n int) int { return min(int((x-f.low)*f.scale), n-1) }

// rank returns the number of steps that are not above x, or 0 if x is NaN.
func (f *floatRanks) rank(x float64) int32 {
	if x >= f.low && x < f.high && f.table != nil {
		return f.table[f.bucket(x, len(f.table))].find(f.steps, x)
	}
	return rankOf(f.steps, x)
}

// ranks writes the rank of each value of a column.
func (f *floatRanks) ranks(dst []int32, xs []float64) {
	low, high, scale, table := f.low, f.high, f.scale, f.table
	xs = xs[:len(dst)]
	if len(table) == 0 {
		for i, x := range xs {
			dst[i] = rankOf(f.steps, x)
		}
		return
	}
	last := len(table) - 1
	for i, x := range xs {
		if !(x >= low && x < high) {
			dst[i] = f.beyond(x)
			continue
		}
		b := &table[min(uint(int((x-low)*scale)), uint(last))]
		r := b.before
		if x >= b.limit {
			if r++; b.n > 1 {
				r = b.find(f.steps, x)
			}
		}
		dst[i] = r
	}
}

// beyond returns the rank of a value that is below the first step, or not below the last one.
func (f *floatRanks) beyond(x float64) int32 {
	if x >= f.high {
		return int32(len(f.steps))
	}
	return 0
}

// intRanks computes the ranks of integers among steps.
type intRanks struct {
	steps     []int64
	low, high int64
	factor    uint64
	table     []rankBucket[int64] // nil if ranks are found by bisection
	// width is the distance between steps if they are evenly spaced, otherwise 0. inverse is 2^64/width, rounded down.
	width, inverse uint64
}

// newIntRanks prepares steps in ascending order, which may be equal. It keeps the slice.
func newIntRanks(steps []int64) *intRanks {
	s := &intRanks{steps: steps}
	s.setWidth()
	for _, n := range tableSizes(len(steps)) {
		s.low, s.high = steps[0], steps[len(steps)-1]
		span := uint64(s.high) - uint64(s.low)
		if span < 2 {
			break
		}
		n = int(min(uint64(n), span-1))
		quotient, rest := bits.Div64(uint64(n), 0, span) // n·2^64/span, which is below 2^64 since n < span
		if s.factor = quotient; rest > 0 {
			s.factor++
		}
		table, even := fillBuckets(steps, n, func(x int64) int { return s.bucket(x, n) })
		if s.table = table; even {
			break
		}
	}
	return s
}

// setWidth sets width if the steps are evenly spaced.
func (s *intRanks) setWidth() {
	if len(s.steps) < 2 {
		return
	}
	width := uint64(s.steps[1]) - uint64(s.steps[0])
	for i, x := range s.steps[1:] {
		if uint64(x)-uint64(s.steps[i]) != width {
			return
		}
	}
	if width >= 2 {
		s.width = width
		s.inverse, _ = bits.Div64(1, 0, width)
	}
}

// evenRanks computes ranks among evenly spaced steps by a division: (value - first step)/width. Multiplying by inverse
// gives the quotient or one less, because inverse was rounded down by less than 1. The remainder shows which.
func (s *intRanks) evenRanks(dst []int32, xs []int64, flip int64) {
	low, span, width, inverse := uint64(s.low), uint64(s.high)-uint64(s.low), s.width, s.inverse
	xs = xs[:len(dst)]
	for i, x := range xs {
		above := uint64(x^flip) - low
		if above >= span {
			dst[i] = s.beyond(x ^ flip)
			continue
		}
		quotient, _ := bits.Mul64(above, inverse)
		_, less := bits.Sub64(above-quotient*width, width, 0)
		dst[i] = int32(quotient+2) - int32(less)
	}
}

func (s *intRanks) bucket(x int64, n int) int {
	high, _ := bits.Mul64(uint64(x)-uint64(s.low), s.factor)
	return int(min(high, uint64(n-1)))
}

// rank returns the number of steps that are not above x.
func (s *intRanks) rank(x int64) int32 {
	if x >= s.low && x < s.high && s.table != nil {
		return s.table[s.bucket(x, len(s.table))].find(s.steps, x)
	}
	return rankOf(s.steps, x)
}

// ranks sets dst[i] to the rank of xs[i] after an exclusive or with flip, which is the sign bit for unsigned values.
func (s *intRanks) ranks(dst []int32, xs []int64, flip int64) {
	low, high, factor, table := s.low, s.high, s.factor, s.table
	xs = xs[:len(dst)]
	if s.width > 0 && len(table) > 0 {
		s.evenRanks(dst, xs, flip)
		return
	}
	if len(table) == 0 {
		for i, x := range xs {
			dst[i] = rankOf(s.steps, x^flip)
		}
		return
	}
	last := uint64(len(table) - 1)
	for i, x := range xs {
		x ^= flip
		if x < low || x >= high {
			dst[i] = s.beyond(x)
			continue
		}
		at, _ := bits.Mul64(uint64(x)-uint64(low), factor)
		b := &table[min(at, last)]
		r := b.before
		if x >= b.limit {
			if r++; b.n > 1 {
				r = b.find(s.steps, x)
			}
		}
		dst[i] = r
	}
}

// beyond returns the rank of a value that is below the first step, or not below the last one.
func (s *intRanks) beyond(x int64) int32 {
	if x >= s.high {
		return int32(len(s.steps))
	}
	return 0
}
