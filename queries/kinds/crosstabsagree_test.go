package kinds

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// draw draws tables that agree: they are marginals of one table, whose numbers have both signs.
func draw(r *rapid.T, most int) *tables {
	t := &tables{}
	for range rapid.IntRange(2, 4).Draw(r, "dimensions") {
		t.Sizes = append(t.Sizes, rapid.IntRange(1, 4).Draw(r, "size"))
		t.Deviations = append(t.Deviations, rapid.Float64Range(0, 5).Draw(r, "deviation"))
	}
	all := uint64(1)<<len(t.Sizes) - 1
	joint := make([]float64, t.cells(all))
	for i := range joint {
		joint[i] = rapid.Float64Range(-3, 8).Draw(r, "cell")
	}
	for a := range all + 1 {
		if n := popcount(a); n <= most && (a == 0 || rapid.Bool().Draw(r, "asked")) {
			t.Of, t.Values = append(t.Of, a), append(t.Values, t.sum(all, joint, a))
		}
	}
	return t
}

func popcount(a uint64) (n int) {
	for ; a != 0; a &= a - 1 {
		n++
	}
	return n
}

// A cancelled run ends soon, at whatever step it is: nonnegative calls Stopped often, and at most 60 times more after
// it returned true.
func TestStoppedTablesAreLeft(t *testing.T) {
	for _, base := range []float64{0, 1} {
		asked := math.MaxInt
		for limit := range 200 {
			x := unfit()
			n := 0
			x.Stopped = func() bool { n++; return n > limit }
			x.nonnegative(base)
			if n > limit { // it was stopped
				if more := n - limit; more > 60 {
					t.Fatalf("base %g: asked %d times after the end at %d", base, more, limit)
				}
				continue
			}
			asked = n
			break
		}
		if asked < 20 {
			t.Errorf("base %g: the work asked %d times", base, asked)
		}
	}
}

// unfit returns a table of three dimensions, some of whose cells are negative, and its marginals by two dimensions.
func unfit() *tables {
	t := &tables{Sizes: []int{3, 4, 5}, Deviations: []float64{1, 1, 1}}
	joint := make([]float64, t.cells(7))
	for i := range joint {
		joint[i] = float64(i*7919%23) - 6
	}
	for _, a := range []uint64{3, 5, 6, 7} {
		t.Of, t.Values = append(t.Of, a), append(t.Values, t.sum(7, joint, a))
	}
	return t
}

// disagree returns the largest difference between two tables in a cell of their common margin.
func (t *tables) disagree() float64 {
	far := 0.0
	for k, a := range t.Of {
		for l, b := range t.Of {
			one, other := t.sum(a, t.Values[k], a&b), t.sum(b, t.Values[l], a&b)
			for i := range one {
				far = max(far, math.Abs(one[i]-other[i]))
			}
		}
	}
	return far
}

func (t *tables) least() float64 {
	x := math.Inf(1)
	for _, v := range t.Values {
		for _, y := range v {
			x = min(x, y)
		}
	}
	return x
}

func TestNonnegativeTablesAgree(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		x := draw(r, 3)
		before := sumOf(x.Values[0])
		x.nonnegative(0)
		if x.least() < 0 || x.disagree() > 1e-6 {
			r.Fatalf("least %v, apart by %v: %v", x.least(), x.disagree(), x.Values)
		}
		if before > 0 && math.Abs(sumOf(x.Values[0])-before) > math.Abs(before)+100 {
			r.Fatalf("the total was %v and is %v", before, sumOf(x.Values[0]))
		}
	})
}

// Tables without negative cells do not change.
func TestNonnegativeTablesStay(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		x := draw(r, 3)
		x.nonnegative(0)
		var was [][]float64
		for _, v := range x.Values {
			was = append(was, append([]float64{}, v...))
		}
		x.nonnegative(0)
		for k := range was {
			for i := range was[k] {
				if math.Abs(was[k][i]-x.Values[k][i]) > 1e-5 {
					r.Fatalf("%v became %v", was[k], x.Values[k])
				}
			}
		}
	})
}

func TestRoundedTablesAgree(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		x := draw(r, 4)
		base := rapid.SampledFrom([]float64{1, 1, 3, 5}).Draw(r, "base")
		x.nonnegative(0)
		was := x.Values
		x.Values = nil
		for _, v := range was {
			x.Values = append(x.Values, append([]float64{}, v...))
		}
		x.round(base)
		if x.least() < 0 || x.disagree() != 0 {
			r.Fatalf("least %v, apart by %v: %v", x.least(), x.disagree(), x.Values)
		}
		for k, v := range x.Values {
			for i, y := range v {
				if y != base*math.Trunc(y/base) || popcount(x.Of[k]) < 2 && math.Abs(y-was[k][i]) > base+1e-6 {
					r.Fatalf("%v became %v", was[k], v)
				}
			}
		}
	})
}
