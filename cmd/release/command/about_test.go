package command

import "testing"

// Row counts are shown with at most two digits, rounded down, and below 100 with one, so that they do not reveal single
// rows.
func TestNumbersOfRowsAreRounded(t *testing.T) {
	for n, want := range map[int64]int64{0: 0, 9: 0, 10: 10, 37: 30, 99: 90, 100: 100, 109: 100, 110: 110, 12_345: 12_000,
		999_999: 990_000, 1_000_000: 1_000_000} {
		if got := about(n); got != want {
			t.Errorf("%d rows are shown as %d, want %d", n, got, want)
		}
	}
}
