package mechanism

import (
	"math"
	"math/big"
	"slices"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/mechanism/internal/door"
)

// The way in for tests: package mechanismtest, whose functions need a testing.TB, gets these functions through an
// internal package.
func init() {
	door.Lend(door.Keys{Open: openForTest, OpenWide: openWideForTest, OpenKeyed: openKeyedForTest, Make: makeForTest})
}

func openForTest(exact any) (quantum float64, cells []int64, err error) {
	e, ok := exact.(Exact)
	if !ok || e.open == nil {
		return 0, nil, ErrEmpty
	}
	s := e.open()
	cells, err = s.peek()
	return math.Ldexp(1, s.quantum), cells, err
}

func openWideForTest(exact any) (quantum float64, cells []*big.Int, err error) {
	e, ok := exact.(Exact)
	if !ok || e.open == nil {
		return 0, nil, ErrEmpty
	}
	s := e.open()
	cells, err = s.peekWide()
	return math.Ldexp(1, s.quantum), cells, err
}

func openKeyedForTest(exact any) (keys []string, counts []int64, err error) {
	e, ok := exact.(Exact)
	if !ok || e.keyed == nil {
		return nil, nil, ErrKeys
	}
	return e.peekKeys()
}

func makeForTest(m calibrate.Mechanism, values []float64) any {
	return Noisy{mechanism: m, values: slices.Clone(values)}
}
