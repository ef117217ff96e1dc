package domain

import (
	"cmp"
	"math"
	"math/bits"
)

// Ranks: how many of ascending numbers, the steps, are not above a value
//
// The range from the first step to the last is cut into buckets of equal width. A multiplication finds the bucket of a
// value, and a table says how many steps are in the buckets before it and which is the first step in it. Both ways to
// the bucket, of a value and of a step, are the same monotone function; so a step in an earlier bucket is below the
// value, one in a later bucket above it, and only the steps in the value's own bucket are compared with it: exactly one
// if the steps are evenly spaced. No answer depends on how the multiplication is rounded.

// The buckets of a table: as many as the gaps between the steps if these are about even, else fineBuckets or, for very
// many steps, at most mostBuckets.
const (
	fineBuckets = 1 << 12
	mostBuckets = 1 << 15
)

// rankBucket is what the table says of a bucket. The first step that is not below it is limit: the first of the n steps
// in it or, if it has none, one that no value of the bucket reaches.
type rankBucket[T cmp.Ordered] struct {
	limit     T
	before, n int32
}

// rankOf returns how many of the ascending steps are not above x, by bisection. The loop has no branch on x.
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

// fillBuckets makes a table of n buckets, and says whether none has two steps, apart from the last one, which also has
// the last step. of finds the bucket of a value from the first step to the last.
func fillBuckets[T cmp.Ordered](steps []T, n int, of func(T) int) (table []rankBucket[T], even bool) {
	table = make([]rankBucket[T], n)
	for _, x := range steps {
		table[of(x)].n++
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

// tableSizes are the numbers of buckets to try for n steps.
func tableSizes(n int) []int {
	if n < 2 {
		return nil
	}
	return []int{min(n-1, mostBuckets), max(fineBuckets, min(4*n, mostBuckets))}
}

// find finds the rank of a value from the first step to before the last, in its bucket.
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

// floatRanks are steps of floats.
type floatRanks struct {
	steps            []float64
	low, high, scale float64
	table            []rankBucket[float64] // nil if values are found by bisection
}

// newFloatRanks makes the table of ascending finite steps. They are kept.
func newFloatRanks(steps []float64) *floatRanks {
	f := &floatRanks{steps: steps}
	for _, n := range tableSizes(len(steps)) {
		f.low, f.high = steps[0], steps[len(steps)-1]
		// A little more than n buckets in the range, so that rounding does not put an even step in the bucket before its own.
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

// rank returns how many steps are not above x: 0 if it is NaN.
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

// beyond is the rank of a value that is not from the first step to before the last.
func (f *floatRanks) beyond(x float64) int32 {
	if x >= f.high {
		return int32(len(f.steps))
	}
	return 0
}

// intRanks are steps of integers.
type intRanks struct {
	steps     []int64
	low, high int64
	factor    uint64
	table     []rankBucket[int64] // nil if values are found by bisection
	// width is the distance of each step to the next one if it is the same for all, else 0; inverse is 2^64/width, rounded
	// down.
	width, inverse uint64
}

// newIntRanks makes the table of steps that do not descend. They are kept.
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
		quotient, rest := bits.Div64(uint64(n), 0, span) // n·2^64/span, below 2^64 for n < span
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

// setWidth notes the distance of steps that are evenly spaced.
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

// evenRanks is Ranks of evenly spaced steps. The product with the inverse is the quotient, or one less: it is below by
// less than the value over 2^64. The rest says which.
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

// rank returns how many steps are not above x.
func (s *intRanks) rank(x int64) int32 {
	if x >= s.low && x < s.high && s.table != nil {
		return s.table[s.bucket(x, len(s.table))].find(s.steps, x)
	}
	return rankOf(s.steps, x)
}

// ranks writes the rank of each value of a column, of which the bits in flip are flipped first.
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

// beyond is the rank of a value that is not from the first step to before the last.
func (s *intRanks) beyond(x int64) int32 {
	if x >= s.high {
		return int32(len(s.steps))
	}
	return 0
}
