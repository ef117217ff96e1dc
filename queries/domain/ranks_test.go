package domain

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestRank(t *testing.T) {
	for n := range 20 {
		steps := make([]int, n)
		for i := range steps {
			steps[i] = 2 * i
		}
		for x := -1; x <= 2*n; x++ {
			if got, want := rankOf(steps, x), min(max((x+2)/2, 0), n); int(got) != want {
				t.Errorf("rank of %d among %d: %d, want %d", x, n, got, want)
			}
		}
	}
}

// The table gives the same rank as a comparison with every step: for even steps, uneven ones, adjacent ones and steps
// whose range is beyond float64's, at the steps, next to them and anywhere.
func TestTableOfFloats(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		steps := floatSteps(rt)
		f := newFloatRanks(steps)
		values := []float64{math.NaN(), math.Inf(1), math.Inf(-1), 0, math.Copysign(0, -1), math.MaxFloat64, -math.MaxFloat64,
			math.SmallestNonzeroFloat64}
		for _, x := range rapid.SliceOfN(rapid.SampledFrom(steps), 1, 20).Draw(rt, "steps") {
			values = append(values, x, math.Nextafter(x, math.Inf(1)), math.Nextafter(x, math.Inf(-1)))
		}
		share := rapid.SliceOfN(rapid.Float64Range(-0.1, 1.1), 0, 20).Draw(rt, "shares")
		for _, s := range share {
			values = append(values, steps[0]*(1-s)+steps[len(steps)-1]*s)
		}
		ranks := make([]int32, len(values))
		f.ranks(ranks, values)
		for i, x := range values {
			want := int32(0)
			for _, s := range steps {
				if s <= x {
					want++
				}
			}
			if got := f.rank(x); got != want || ranks[i] != want {
				rt.Fatalf("%v among %v: %d, %d in a column, want %d", x, steps, got, ranks[i], want)
			}
		}
	})
}

func floatSteps(rt *rapid.T) []float64 {
	n := rapid.SampledFrom([]int{1, 2, 3, 7, 50, 101, 5000}).Draw(rt, "n")
	from := rapid.SampledFrom([]float64{0, -74.05, 1e-300, -1e15, math.MaxFloat64 / -2}).Draw(rt, "from")
	steps := make([]float64, n)
	switch rapid.SampledFrom([]string{"even", "uneven", "next", "powers"}).Draw(rt, "kind") {
	case "even":
		width := rapid.Float64Range(1e-6, 1e3).Draw(rt, "width")
		for i := range steps {
			steps[i] = from + float64(i)*width
		}
	case "uneven":
		for i := range steps {
			steps[i] = rapid.Float64().Draw(rt, "step")
		}
	case "next":
		for i := range steps {
			steps[i] = from
			from = math.Nextafter(from, math.Inf(1))
		}
	case "powers":
		for i := range steps {
			steps[i] = math.Ldexp(1, i%2000-1000)
		}
	}
	slices.Sort(steps)
	return slices.Compact(steps)
}

// The table of integers gives the same rank as a comparison with every step. Steps may be equal and may span all of
// int64.
func TestTableOfInts(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		steps := rapid.SliceOfN(rapid.OneOf(rapid.Int64Range(-1000, 1000), rapid.Int64()), 1, 60).Draw(rt, "uneven")
		if rapid.Bool().Draw(rt, "even") {
			from, width := rapid.Int64Range(-1e12, 1e12).Draw(rt, "from"), rapid.Int64Range(0, 1e9).Draw(rt, "width")
			steps = make([]int64, rapid.SampledFrom([]int{1, 2, 25, 5000}).Draw(rt, "n"))
			for i := range steps {
				steps[i] = from + int64(i)*width
			}
		}
		slices.Sort(steps)
		s := newIntRanks(steps)
		values := rapid.SliceOfN(rapid.OneOf(rapid.Int64(), rapid.Int64Range(-1100, 1100)), 0, 20).Draw(rt, "values")
		values = append(values, math.MinInt64, math.MaxInt64)
		for _, x := range rapid.SliceOfN(rapid.SampledFrom(steps), 1, 20).Draw(rt, "steps") {
			values = append(values, x, x-1, x+1)
		}
		flip := rapid.SampledFrom([]int64{0, math.MinInt64}).Draw(rt, "flip")
		flipped := make([]int64, len(values))
		for i, x := range values {
			flipped[i] = x ^ flip
		}
		ranks := make([]int32, len(values))
		s.ranks(ranks, flipped, flip)
		for i, x := range values {
			want := int32(0)
			for _, v := range steps {
				if v <= x {
					want++
				}
			}
			if got := s.rank(x); got != want || ranks[i] != want {
				rt.Fatalf("%d among %v: %d, %d in a column, want %d", x, steps, got, ranks[i], want)
			}
		}
	})
}

// Even steps need one comparison: no bucket of their table has two, but the last.
func TestEvenStepsHaveSmallTables(t *testing.T) {
	even := make([]float64, 101)
	for i := range even {
		even[i] = -74.05 + float64(i)*0.0035
	}
	if n := len(newFloatRanks(even).table); n != 100 {
		t.Errorf("%d buckets for 100 cells of equal width", n)
	}
}

func benchmarkFloats(b *testing.B, steps []float64) {
	xs, dst := make([]float64, 8192), make([]int32, 8192)
	low, high := steps[0], steps[len(steps)-1]
	for i := range xs {
		xs[i] = low + (high-low)*float64(i*2654435761%8192)/8192
	}
	f := newFloatRanks(steps)
	b.Run("table", func(b *testing.B) {
		for b.Loop() {
			f.ranks(dst, xs)
		}
	})
	b.Run("bisection", func(b *testing.B) {
		for b.Loop() {
			for i, x := range xs {
				dst[i] = rankOf(steps, x)
			}
		}
	})
}

func BenchmarkEven(b *testing.B) {
	steps := make([]float64, 101)
	for i := range steps {
		steps[i] = -74.05 + float64(i)*0.0035
	}
	benchmarkFloats(b, steps)
}

func BenchmarkUneven(b *testing.B) {
	steps := make([]float64, 51)
	for i := range steps {
		steps[i] = float64(i * i)
	}
	benchmarkFloats(b, steps)
}
