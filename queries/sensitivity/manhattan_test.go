package sensitivity

import (
	"math"
	"math/big"
	"testing"

	"github.com/dprelease/dprelease/queries/bounding"
)

// contributions returns all vectors of row counts of a unit within the limits.
func contributions(l bounding.Limits, cells int) (all [][]int64) {
	var next func(prefix []int64, rows, groups int64)
	next = func(prefix []int64, rows, groups int64) {
		if len(prefix) == cells {
			all = append(all, append([]int64{}, prefix...))
			return
		}
		for n := int64(0); n <= min(l.RowsPerCell, rows); n++ {
			if used := min(n, 1); used <= groups {
				next(append(prefix, n), rows-n, groups-used)
			}
		}
	}
	next(nil, l.Rows, l.Cells)
	return all
}

// smallLimits returns all limits over some cells, up to 4 rows.
func smallLimits(cells int) (all []bounding.Limits) {
	for k := int64(1); k <= 4; k++ {
		for groups := int64(1); groups <= int64(cells); groups++ {
			for m := int64(1); m <= k; m++ {
				all = append(all, bounding.Limits{Rows: min(k, groups*m), Cells: groups, RowsPerCell: min(m, k)})
			}
		}
	}
	return all
}

func abs(x int64) int64 { return max(x, -x) }

// largestDistance returns the largest distance between two contributions, the second of which is zero under add-remove.
// The distance is the sum over the cells of distance of two numbers of rows.
func largestDistance(l bounding.Limits, adj Adjacency, cells int, distance func(a, b int64) int64) (largest int64) {
	all := contributions(l, cells)
	others := all
	if adj == AddRemove {
		others = [][]int64{make([]int64, cells)}
	}
	for _, a := range all {
		for _, b := range others {
			d := int64(0)
			for i := range a {
				d += distance(a[i], b[i])
			}
			largest = max(largest, d)
		}
	}
	return largest
}

// forSmallLimits calls f for all limits over up to 4 cells, and both adjacencies.
func forSmallLimits(f func(l bounding.Limits, adj Adjacency, cells int)) {
	for cells := 1; cells <= 4; cells++ {
		for _, l := range smallLimits(cells) {
			f(l, AddRemove, cells)
			f(l, ReplaceOne, cells)
		}
	}
}

// TestAbsoluteCountsAreAttained compares with the largest distance over all pairs of contributions: it must be equal.
func TestAbsoluteCountsAreAttained(t *testing.T) {
	forSmallLimits(func(l bounding.Limits, adj Adjacency, cells int) {
		largest := largestDistance(l, adj, cells, func(a, b int64) int64 { return abs(a - b) })
		if got := L1Counts(l, adj, cells); got.Int64() != largest {
			t.Errorf("%+v, %s, %d cells: %v, and %d is attained", l, adj, cells, got, largest)
		}
	})
}

// TestAbsoluteSumsAreAttained compares with the largest distance over all pairs of contributions, with each row at an
// end of its range: if a cell has n rows in one table and n' in the other, the sums differ most if one is n times an
// end and the other n' times the other end, or zero.
func TestAbsoluteSumsAreAttained(t *testing.T) {
	for _, r := range []*Reach{{More: 5, Less: 0, Components: 1}, {More: 5, Less: 3, Components: 1},
		{More: 4, Less: 4, Components: 2}} {
		forSmallLimits(func(l bounding.Limits, adj Adjacency, cells int) {
			largest := largestDistance(l, adj, cells, func(a, b int64) int64 { // values in [-less, more]
				return max(r.More*a+r.Less*b, r.Less*a+r.More*b) * r.Components
			})
			if got := r.absolute(l, adj, cells); got.Int64() != largest {
				t.Errorf("%+v, %+v, %s, %d cells: %v, and %d is attained", r, l, adj, cells, got, largest)
			}
		})
	}
}

// TestAbsoluteOfClippedVectors checks that no integer vector with the bounded norm has a larger L1 norm.
func TestAbsoluteOfClippedVectors(t *testing.T) {
	one := bounding.Limits{Rows: 1, Cells: 1, RowsPerCell: 1}
	for norm := int64(1); norm <= 12; norm++ {
		r := &Reach{More: norm, Less: norm, Components: 1, Length: 3}
		largest := int64(0)
		for x := int64(0); x <= norm; x++ {
			for y := int64(0); y <= norm; y++ {
				for z := int64(0); z <= norm; z++ {
					if x*x+y*y+z*z <= norm*norm {
						largest = max(largest, x+y+z)
					}
				}
			}
		}
		if got := r.absolute(one, AddRemove, 1).Int64(); got < largest || got > largest+1 {
			t.Errorf("norm %d: %d, and %d is attained", norm, got, largest)
		}
		if got, want := r.absolute(one, ReplaceOne, 1).Int64(), int64(math.Sqrt(3*4*float64(norm*norm))); got != want {
			t.Errorf("norm %d, replaced: %d, want %d", norm, got, want)
		}
	}
}

func TestCeilingOf(t *testing.T) {
	for _, x := range []int64{0, 1, 1 << 53, 1<<53 + 1, math.MaxInt64} {
		up := CeilingOf(big.NewInt(x))
		if new(big.Rat).SetFloat64(up).Cmp(new(big.Rat).SetInt64(x)) < 0 {
			t.Errorf("%d: %v", x, up)
		}
	}
}

// Roots have commas between thousands, as all numbers for people.
func TestRootText(t *testing.T) {
	for x, want := range map[int64]string{9: "3", 12: "sqrt(12)", 1_000_000: "1,000", 1_234_567: "sqrt(1,234,567)"} {
		if got := RootText(big.NewInt(x)); got != want {
			t.Errorf("%d: %s, want %s", x, got, want)
		}
	}
}
