package bounding

import (
	"fmt"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mathext"

	"github.com/dprelease/dprelease/internal/owntest"
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/io/table/tabletest"
	"github.com/dprelease/dprelease/queries/internal/units"
)

// If numbers grow by a constant step, their digests choose rows as if at random: the positions of kept rows, and the
// distances between them, have the distributions of random rows. The inputs are fixed, so the test always has the same
// outcome.
func TestNumericDigestsOfSteadyNumbers(t *testing.T) {
	const people, rows, k = 4000, 200, 5
	steps := []int64{1, 86_400_000_000, 7, 1000, 1 << 16, 1 << 40}
	if !owntest.Checking() {
		steps = steps[:2]
	}
	for _, step := range steps {
		distances, places := make([]float64, rows), make([]float64, rows)
		for unit := range int64(people) {
			digests := numericDigests(t, unit, func(n int64) int64 { return n * step }, rows)
			order := make([]int, rows)
			for i := range order {
				order[i] = i
			}
			slices.SortFunc(order, func(a, b int) int { return int(digests[a]) - int(digests[b]) })
			for i, a := range order[:k] {
				places[a]++
				for _, b := range order[:i] {
					distances[max(a-b, b-a)]++
				}
			}
		}
		pairs, chosen := float64(people*k*(k-1)/2), float64(people*k)
		all := float64(rows*(rows-1)) / 2
		steady, even := 0.0, 0.0
		for d := 1; d < rows; d++ {
			expected := pairs * float64(rows-d) / all
			steady += (distances[d] - expected) * (distances[d] - expected) / expected
		}
		for _, n := range places {
			even += (n - chosen/rows) * (n - chosen/rows) / (chosen / rows)
		}
		if limit := 2 * mathext.GammaIncRegInv((rows-2)/2.0, 0.999); steady > limit || even > limit {
			t.Errorf("step %d: chi-square of distances %.0f, of places %.0f, above %.0f", step, steady, even, limit)
		}
	}
}

// numericDigests returns the digests of the rows of a unit.
func numericDigests(t *testing.T, unit int64, number func(n int64) int64, rows int) (digests []uint64) {
	t.Helper()
	whole := table.Type{Kind: table.Int}
	ids, numbers := make([]int64, rows), make([]int64, rows)
	for i := range ids {
		ids[i], numbers[i] = unit, number(int64(i))
	}
	names := []string{"unit", "number"}
	values := units.NewTexts(names, names, table.Schema{Fields: []table.Field{{Name: "unit", Type: whole}, {Name: "number",
		Type: whole}}})
	if err := values.Open(tabletest.Batch(tabletest.Ints(whole, ids, nil), tabletest.Ints(whole, numbers, nil))); err != nil {
		t.Fatal(err)
	}
	for i := range rows {
		digests = append(digests, numericDigest(values, 2, i))
	}
	return digests
}

// A time has the same digest in seconds, milliseconds and so on, before and after 1970, and also if its number of
// nanoseconds exceeds the prime.
func TestNumericDigestsOfTimes(t *testing.T) {
	for _, seconds := range []int64{0, 1, -1, 1_700_000_000, -62_135_596_800, 9_000_000_000} {
		digests := map[uint64]string{}
		for perSecond := int64(1); perSecond <= 1e9; perSecond *= 1000 {
			if seconds > 9e18/perSecond || seconds < -9e18/perSecond {
				continue
			}
			of := table.Type{Kind: table.Timestamp, Unit: 1e9 / perSecond}
			values := units.NewTexts([]string{"at"}, []string{"at"}, table.Schema{Fields: []table.Field{{Name: "at", Type: of}}})
			if err := values.Open(tabletest.Batch(tabletest.Ints(of, []int64{seconds * perSecond}, nil))); err != nil {
				t.Fatal(err)
			}
			digests[numericDigest(values, 1, 0)] += fmt.Sprint(" ", perSecond)
		}
		if len(digests) != 1 {
			t.Errorf("second %d: %v", seconds, digests)
		}
	}
}
