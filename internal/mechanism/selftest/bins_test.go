package selftest

import (
	"math"
	"testing"

	"github.com/dprelease/dprelease/internal/owntest"
)

func TestBins(t *testing.T) {
	for _, in := range append(inputs, paired) {
		d := in.exact()
		for what, b := range map[string]bins{"fine": newBins(d, minSamples), "coarse": coarse(d)} {
			if what == "coarse" && in != paired {
				continue
			}
			sum := 0.0
			for i, p := range b.probability {
				sum += p
				if p*minSamples < minExpected/4 {
					t.Errorf("%s bins of %+v: bin %d of %d expects %g", what, in, i, len(b.probability), p*minSamples)
				}
			}
			if len(b.probability) < 2 || math.Abs(sum-1) > 1e-12 {
				t.Errorf("%s bins of %+v: %d, of total probability %g", what, in, len(b.probability), sum)
			}
		}
	}
}

// The probabilities agree with their definitions, and the checks detect a scale that is 5 % wrong: the statistic is
// then expected at more than 1,000 above the threshold, which is 12 of its standard deviations.
func TestPureBins(t *testing.T) {
	q := math.Exp(-1.0)
	d := pureInput{input{1, 0, -5}, true}.exact()
	for k := int64(-3); k <= 3; k++ {
		want := (1 - q) / (1 + q) * math.Pow(q, math.Abs(float64(k)))
		if got := d.probabilityBetween(d.z(k-5), d.z(k-4)); math.Abs(got-want) > 1e-12 {
			t.Errorf("P(K = %d) = %g, want %g", k, got, want)
		}
	}
	for _, in := range pureInputs {
		b := newBins(in.exact(), minSamples)
		sum := 0.0
		for _, p := range b.probability {
			sum += p
		}
		wrong := in
		wrong.scale *= 1.05
		drawer, err := wrong.drawer()
		if err != nil {
			t.Fatal(err)
		}
		c, err := drawer.fit(t.Context(), 0, in.exact(), "")
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%v: %d bins, %+v", in, len(b.probability), c)
		if c.Pass || math.Abs(sum-1) > 1e-12 || len(b.probability) < 3 {
			t.Errorf("%v: %d bins of total probability %g, %+v", in, len(b.probability), sum, c)
		}
	}
}

// A number belongs to the bin whose edges enclose it.
func TestFind(t *testing.T) {
	b := bins{first: -10, width: 4, probability: make([]float64, 5)} // edges -10, -6, -2, 2
	for y, want := range map[int64]int{
		math.MinInt64: 0, -11: 0, -10: 1, -7: 1, -6: 2, -3: 2, -2: 3, 1: 3, 2: 4, math.MaxInt64: 4,
	} {
		if got := b.find(y); got != want {
			t.Errorf("%d lies in bin %d, want %d", y, got, want)
		}
	}
}

func TestExact(t *testing.T) {
	for in, want := range map[input]noise{
		{1, -4, 9}:  {0, 9.0 / 16, 1, 0},
		{1, -1, -1}: {-1, 0.5, 1, 0},
		{2, 0, -5}:  {-5, 0, 2, 0},
	} {
		if got := in.exact(); got != want {
			t.Errorf("%+v: %+v, want %+v", in, got, want)
		}
	}
}

// The checks detect a scale that is 2 % wrong, a shift of 2 % of sigma and a missing fraction. In two draws the
// statistic is expected at more than 1,000 above its threshold, 12 of its standard deviations: a miss has probability
// below 1e-30.
func TestSamplerSees(t *testing.T) {
	const draws = 2
	right := input{scale: 10}.exact()
	for _, wrong := range []input{{scale: 10.2}, {scale: 9.8}, {10, -3, 2}} {
		b := newBins(right, minSamples)
		counts := make([]int, len(b.probability))
		for range draws {
			err := draw(t.Context(), wrong, 0, func(cells []int64) {
				for _, y := range cells {
					counts[b.find(y)]++
				}
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		if c := chiSquare("", counts, b.probability); c.Pass {
			t.Errorf("%+v is not told from S = 10: %+v", wrong, c)
		}
	}
}

// The check detects low bits that depend on the input.
func TestNeighboursSees(t *testing.T) {
	if c := homogeneous("", []int{5000, 5000, 0}, []int{5000, 5000, 0}); !c.Pass {
		t.Errorf("equal counts differ: %+v", c)
	}
	if c := homogeneous("", []int{5500, 4500}, []int{4500, 5500}); c.Pass {
		t.Errorf("unequal counts are equal: %+v", c)
	}
}

// A NaN does not pass, and the result can be written as JSON.
func TestJudged(t *testing.T) {
	for _, x := range []float64{math.NaN(), math.Inf(1), 3} {
		if c := (Check{Statistic: x, Threshold: 2}).judged(); c.Pass || math.IsNaN(c.Statistic) ||
			math.IsInf(c.Statistic, 0) {
			t.Errorf("%g: %+v", x, c)
		}
	}
	if !(Check{Statistic: 2, Threshold: 2}).judged().Pass {
		t.Error("the threshold itself does not pass")
	}
}

// The sampler has at most maxChecks checks, over which the false-alarm probability is split, and their names differ.
func TestShares(t *testing.T) {
	owntest.Slow(t)
	if testing.Short() {
		t.Skip("it runs in one goroutine, which takes long with the race detector")
	}
	checks, err := sampler(t.Context(), 0)
	if err != nil || len(checks) > maxChecks {
		t.Error(len(checks), err)
	}
	names := map[string]bool{}
	for _, c := range checks {
		if names[c.Name] {
			t.Errorf("two checks are called %q", c.Name)
		}
		names[c.Name] = true
	}
}
