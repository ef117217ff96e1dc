package ledger

import "testing"

func TestDownward(t *testing.T) {
	t.Parallel()
	for x, want := range map[float64]string{0.31299: "0.3129", 3: "3", 2.9999999: "2.999", 12345: "12340",
		1.00049e-7: "1e-07", 9.9999e22: "9.999e+22"} {
		if got := listDecimalsBelow(x); len(got) != 3 || got[0] != want {
			t.Errorf("%g: %v, want %s first", x, got, want)
		}
	}
}
