package pipeline

import (
	"math"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/dprelease/dprelease/queries/query"
)

// An estimate is rounded to a power of ten that is at most a hundredth of its error and above a thousandth of it; the
// ends of its interval move outward by less than one step; and each number is the float64 of a decimal with no digit
// below the step.
func TestEstimatesAreRoundedToAHundredthOfTheirError(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		deviation := rapid.Float64Range(1.001, 9.999).Draw(t, "error") *
			math.Pow10(rapid.IntRange(-9, 9).Draw(t, "its power of ten"))
		x := rapid.Float64Range(-1e4, 1e4).Draw(t, "estimate over error") * deviation
		const z = 1.959963984540054
		held := func(x float64) query.Series { return func(_ int, dst []float64) { dst[0] = x } }
		a := rounded(query.Answer{Cells: 1, Estimate: held(x), Low: held(x - z*deviation), High: held(x + z*deviation)})
		at := func(s query.Series) float64 { v := []float64{0}; s(0, v); return v[0] }
		estimate, low, high := at(a.Estimate), at(a.Low), at(a.High)
		exponent := int(math.Floor(math.Log10(deviation/100) + 1e-8))
		step := math.Pow10(exponent)
		if step > deviation/100*1.0001 || math.Abs(estimate-x) > step*0.5001 {
			t.Fatalf("%v with the error %v became %v", x, deviation, estimate)
		}
		if low > x-z*deviation || high < x+z*deviation || low < x-z*deviation-1.0001*step ||
			high > x+z*deviation+1.0001*step {
			t.Fatalf("the interval of %v ± %v became %v to %v", x, z*deviation, low, high)
		}
		for _, y := range []float64{estimate, low, high} {
			text := strconv.FormatFloat(y, 'f', max(-exponent, 0), 64)
			if back, _ := strconv.ParseFloat(text, 64); back != y {
				t.Fatalf("%v has digits below %v", y, step)
			}
		}
	})
}

// The rows of a computed table are rounded to one step, so that a cumulative table never falls.
func TestReadingsAreRoundedToOneStep(t *testing.T) {
	series := func(x ...float64) query.Series { return func(start int, dst []float64) { copy(dst, x[start:]) } }
	a := rounded(query.Answer{Readings: []query.Reading{{Name: "cdf", Answer: query.Answer{Cells: 3,
		Estimate: series(0.49494, 0.49506, 1), Low: series(0.4, 0.49, 1), High: series(0.6, 0.5, 1)}}}})
	got := make([]float64, 3)
	a.Readings[0].Answer.Estimate(0, got)
	if got[0] != 0.49494 || got[1] != 0.49506 || got[2] != 1 {
		t.Errorf("%v", got)
	}
}

// An end just beyond a multiple of the step moves to the next one, though the number of steps is rounded to the
// multiple.
func TestEndsThatAreNearlyMultiples(t *testing.T) {
	for exponent := -12; exponent <= 12; exponent++ {
		power := math.Pow10(max(exponent, -exponent))
		for n := 1.0; n < 400; n++ {
			at := n * power
			if exponent < 0 {
				at = n / power
			}
			for _, direction := range []float64{-1, 1} {
				x := math.Nextafter(at, math.Inf(int(direction)))
				if end := roundOutward(x, exponent, direction); (end-x)*direction < 0 ||
					math.Abs(end-x) > 1.001*math.Pow10(exponent) {
					t.Fatalf("%v becomes %v, with a step of 1e%d", x, end, exponent)
				}
			}
		}
	}
}

// Estimates that agree with others are not rounded: estimates of a query with margins, and of the margins.
func TestWhatAgreesIsNotRounded(t *testing.T) {
	p := planOfStays(t, "1e-6", "row", "", countsBy(byWard)+", margins: [q1]", "count: {}", "count: {}",
		countsBy(byWard)+", denoise: [{method: total, total: 50}]", "crosstabs: {by: ["+byWard+", "+bySex+"], ways: [1]}")
	c := p.NewRun()
	for i, want := range []bool{false, false, true, false, false} {
		if got := c.rounds(i); got != want {
			t.Errorf("query %d: rounded is %v", i, got)
		}
	}
}
