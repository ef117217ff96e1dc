package laplace

import (
	"crypto/rand"
	"errors"
	"math"
	"testing"

	"github.com/dprelease/dprelease/internal/mechanism/internal/gauss"
)

func newScale(tb testing.TB, b float64) gauss.Scale {
	tb.Helper()
	s, err := gauss.NewScale(b, 1)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

func newBits(tb testing.TB) *gauss.Bits {
	tb.Helper()
	b, err := gauss.NewBits(rand.Reader)
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

// adder is a Sampler or a Geometric.
type adder interface{ Add(cells []int64) error }

func newSampler(tb testing.TB, b float64, lift int, source BitSource) adder {
	tb.Helper()
	s, err := New(newScale(tb, b), lift, source)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

func newGeometric(tb testing.TB, b float64, lift int, source BitSource) adder {
	tb.Helper()
	s, err := NewGeometric(newScale(tb, b), lift, source)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

const half = 1 << 63

// For scripted words (sign bits, a descending run of uniform numbers, the digits of u), the samplers return the values
// that follow from these by hand.
func TestOneDraw(t *testing.T) {
	for what, c := range map[string]struct {
		new   func(testing.TB, float64, int, BitSource) adder
		b     float64
		lift  int
		cell  int64
		words []uint64
		want  int64
	}{
		"3 + 4·0.625":                 {newSampler, 4, 0, 3, []uint64{0, ^uint64(0), half + half/4}, 6}, // 5.5 rounds up
		"3 - 4·0.625":                 {newSampler, 4, 0, 3, []uint64{1, ^uint64(0), half + half/4 - 1}, 1},
		"open: u is 0.625 to 64 bits": {newSampler, 4, 0, 3, []uint64{1, ^uint64(0), half + half/4, half}, 0},
		"a = 1":                       {newSampler, 4, 0, 0, []uint64{0, 5, 9, 7, half + 1, half}, 6},
		"below the grid":              {newSampler, 4, -2, 3, []uint64{0, ^uint64(0), half/2 + half/16}, 2}, // 0.75 + 1.125
		"above the grid":              {newSampler, 4, 2, 3, []uint64{0, ^uint64(0), half}, 14},
		"floor":                       {newGeometric, 4, 0, 3, []uint64{0, ^uint64(0), half + half/4 - 1}, 5},
		"minus floor":                 {newGeometric, 4, 0, 3, []uint64{1, ^uint64(0), half + half/4 - 1}, 1},
		"floor is exact":              {newGeometric, 4, 0, 0, []uint64{0, ^uint64(0), half - 1, half}, 1},
		"minus 0 is drawn again":      {newGeometric, 4, 0, 3, []uint64{1, ^uint64(0), 0, ^uint64(0), half + 1}, 5},
		"geometric above the grid":    {newGeometric, 4, 2, 3, []uint64{0, ^uint64(0), half + 1}, 14},
	} {
		source := &script{c.words}
		cells := []int64{c.cell}
		if err := c.new(t, c.b, c.lift, source).Add(cells); err != nil || cells[0] != c.want || len(source.words) != 0 {
			t.Errorf("%s: %d, %v, %d words left; want %d", what, cells[0], err, len(source.words), c.want)
		}
		for n := range c.words {
			cells[0] = c.cell
			if err := c.new(t, c.b, c.lift, &script{c.words[:n]}).Add(cells); !errors.Is(err, errScript) {
				t.Errorf("%s, %d words: %v", what, n, err)
			}
		}
	}
}

func TestRefuses(t *testing.T) {
	for _, s := range []gauss.Scale{{}, newScale(t, 1<<52)} {
		if _, err := New(s, 0, nil); !errors.Is(err, gauss.ErrScale) {
			t.Errorf("%+v: %v", s, err)
		}
		if _, err := NewGeometric(s, 0, nil); !errors.Is(err, gauss.ErrScale) {
			t.Errorf("geometric, %+v: %v", s, err)
		}
	}
	if _, err := NewGeometric(newScale(t, 1), -1, nil); !errors.Is(err, ErrLift) {
		t.Errorf("below the grid: %v", err)
	}
}

// Noisy values are saturated at the limits of int64 and never wrap around.
func TestSaturation(t *testing.T) {
	for _, build := range []func(testing.TB, float64, int, BitSource) adder{newSampler, newGeometric} {
		for _, c := range []struct {
			cell int64
			lift int
		}{{math.MaxInt64, 0}, {math.MinInt64, 0}, {1, 63}, {-1, 63}, {1 << 40, 30}} {
			cells := make([]int64, 2000)
			for i := range cells {
				cells[i] = c.cell
			}
			if err := build(t, 1<<51, c.lift, newBits(t)).Add(cells); err != nil {
				t.Fatal(err)
			}
			ends := 0
			for _, y := range cells {
				if y < 0 != (c.cell < 0) {
					t.Fatalf("%+v: %d", c, y)
				}
				if y == math.MaxInt64 || y == math.MinInt64 {
					ends++
				}
			}
			if ends < 800 || ends > 1200 { // 1000 expected, 9 standard errors
				t.Errorf("%+v: %d of 2000 at the end", c, ends)
			}
		}
	}
}

// BenchmarkAdd draws exactly rounded Laplace samples at S = 2^40, in one goroutine.
func BenchmarkAdd(b *testing.B) {
	sampler, cells := newSampler(b, 1<<40, 0, newBits(b)), make([]int64, 1<<16)
	for b.Loop() {
		if err := sampler.Add(cells); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(cells)), "ns/sample")
}
