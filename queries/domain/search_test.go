package domain

import "testing"

func TestRank(t *testing.T) {
	for n := range 20 {
		starts := make([]int, n)
		for i := range starts {
			starts[i] = 2 * i
		}
		for x := -1; x <= 2*n; x++ {
			if got, want := rank(starts, x), min(max((x+2)/2, 0), n); int(got) != want {
				t.Errorf("rank of %d among %d: %d, want %d", x, n, got, want)
			}
		}
	}
}
