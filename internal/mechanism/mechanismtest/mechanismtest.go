// Package mechanismtest lets tests look behind the trust boundary of package mechanism. Its functions need a testing.TB
// and fail outside the tests of this module.
package mechanismtest

import (
	"math/big"
	"testing"
	"testing/cryptotest"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/internal/mechanism"
	"github.com/dprelease/dprelease/internal/mechanism/int128"
	"github.com/dprelease/dprelease/internal/mechanism/internal/door"
	"github.com/dprelease/dprelease/internal/owntest"
)

// Open returns a copy of the exact answers, in multiples of quantum, without spending e. It fails the test if e is
// empty or was noised, or if its cells have more than 64 bits.
func Open(tb testing.TB, e mechanism.Exact) (quantum float64, cells []int64) {
	tb.Helper()
	quantum, all := open(tb, e)
	if all.Low != nil {
		tb.Fatal("open: the cells have more than 64 bits")
	}
	return quantum, all.High
}

// OpenWide does the same as [Open] for exact answers of any width.
func OpenWide(tb testing.TB, e mechanism.Exact) (quantum float64, cells []*big.Int) {
	tb.Helper()
	quantum, all := open(tb, e)
	cells = make([]*big.Int, all.Len())
	for i := range cells {
		cells[i] = all.At(i).Big()
	}
	return quantum, cells
}

func open(tb testing.TB, e mechanism.Exact) (quantum float64, cells int128.Slice) {
	tb.Helper()
	if !owntest.Guard(tb) {
		return 0, cells
	}
	quantum, cells, err := door.Borrow().Open(e)
	if err != nil {
		tb.Fatalf("open: %v", err)
	}
	return quantum, cells
}

// OpenKeyed does the same as [Open] for exact answers whose keys are private too.
func OpenKeyed(tb testing.TB, e mechanism.Exact) (keys []string, counts []int64) {
	tb.Helper()
	if !owntest.Guard(tb) {
		return nil, nil
	}
	keys, counts, err := door.Borrow().OpenKeyed(e)
	if err != nil {
		tb.Fatalf("open: %v", err)
	}
	return keys, counts
}

// OpenForKeys does the same as [Open] for exact answers by private keys (mechanism.HideForKeys): it returns the answers
// of every key that can be selected, by key.
func OpenForKeys(tb testing.TB, e mechanism.Exact) (quantum float64, named map[string]*big.Int) {
	tb.Helper()
	if !owntest.Guard(tb) {
		return 0, nil
	}
	quantum, named, err := door.Borrow().OpenForKeys(e)
	if err != nil {
		tb.Fatalf("open: %v", err)
	}
	return quantum, named
}

// Make returns a noisy vector of these values, as if m had made it.
func Make(tb testing.TB, m calibrate.Mechanism, values []float64) mechanism.Noisy {
	tb.Helper()
	if !owntest.Guard(tb) {
		return mechanism.Noisy{}
	}
	n, ok := door.Borrow().Make(m, values).(mechanism.Noisy)
	if !ok {
		tb.Fatal("make: the door returned no mechanism.Noisy")
	}
	return n
}

// FixRandom makes all later draws of the test use the same random bits in each run, by testing/cryptotest. Without
// FixRandom, draws refuse random bits that a test has fixed.
func FixRandom(t *testing.T, seed uint64) {
	t.Helper()
	if !owntest.Guard(t) {
		return
	}
	cryptotest.SetGlobalRandom(t, seed)
	fix := door.Borrow().Fix
	fix(1)
	t.Cleanup(func() { fix(-1) })
}

// Select returns a vector of these keys, as if SelectKeys had selected them. Their counts are 0.
func Select(tb testing.TB, keys ...string) mechanism.Noisy {
	tb.Helper()
	if !owntest.Guard(tb) {
		return mechanism.Noisy{}
	}
	n, ok := door.Borrow().Select(keys).(mechanism.Noisy)
	if !ok {
		tb.Fatal("select: the door returned no mechanism.Noisy")
	}
	return n
}
