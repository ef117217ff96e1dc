package kinds

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// rising is the isotonic regression: it does not fall, is nearest among all that do not, and leaves sums alone that do
// not fall.
func TestRisingIsTheNearest(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		sums := append([]float64{0}, rapid.SliceOfN(rapid.Float64Range(0, 9), 1, 12).Draw(rt, "sums")...)
		got := rising(sums)
		if len(got) != len(sums) || !slices.IsSorted(got) {
			rt.Fatalf("%v of %v", got, sums)
		}
		distance := func(x []float64) (d float64) {
			for i := range x {
				d += (x[i] - sums[i]) * (x[i] - sums[i])
			}
			return d
		}
		other := append([]float64{0}, rapid.SliceOfN(rapid.Float64Range(0, 9), len(sums)-1, len(sums)-1).Draw(rt, "other")...)
		slices.Sort(other)
		if distance(other) < distance(got)-1e-9 {
			rt.Fatalf("%v is nearer to %v than %v", other, sums, got)
		}
		if slices.IsSorted(sums) && distance(got) > 1e-18 {
			rt.Fatalf("%v became %v", sums, got)
		}
	})
}
