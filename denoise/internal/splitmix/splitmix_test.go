package splitmix_test

import (
	"testing"

	"github.com/dprelease/dprelease/denoise/internal/splitmix"
)

// The generator gives the numbers of Vigna's splitmix64.c for the seed 1234567.
func TestNext(t *testing.T) {
	state := uint64(1234567)
	for _, want := range []uint64{6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431,
		16408922859458223821} {
		if got := splitmix.Next(&state); got != want {
			t.Errorf("got %d, want %d", got, want)
		}
	}
}
