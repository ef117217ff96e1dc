package mechanism

import (
	"math"
	"math/big"
	"slices"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/internal/mechanism/int128"
	"github.com/dprelease/dprelease/internal/mechanism/internal/door"
)

// The entry point for tests. Package door passes these functions to package mechanismtest, whose own functions need a
// testing.TB.
func init() {
	door.Lend(door.Keys{Open: openForTest, OpenKeyed: openKeyedForTest, OpenForKeys: openForKeysForTest, Make: makeForTest,
		Select: selectForTest, Fix: func(by int32) { fixed.Add(by) }})
}

func openForTest(exact any) (quantum float64, cells int128.Slice, err error) {
	e, ok := exact.(Exact)
	if !ok || e.open == nil {
		return 0, cells, ErrEmpty
	}
	s := e.open()
	cells, err = s.peek()
	return math.Ldexp(1, s.quantum), cells, err
}

func openKeyedForTest(exact any) (keys []string, counts []int64, err error) {
	e, ok := exact.(Exact)
	if !ok || e.keyed == nil {
		return nil, nil, ErrKeys
	}
	return e.peekKeys()
}

func openForKeysForTest(exact any) (quantum float64, named map[string]*big.Int, err error) {
	e, ok := exact.(Exact)
	if !ok || e.selected == nil {
		return 0, nil, ErrKeys
	}
	k := e.selected()
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.answers == nil {
		return 0, nil, ErrSpent
	}
	among, err := k.selectable(nil)
	if err != nil {
		return 0, nil, err
	}
	names, cells, quantum, err := k.answers.All(among)
	named = map[string]*big.Int{}
	for i, name := range names {
		named[name] = cells.At(i).Big()
	}
	return quantum, named, err
}

func makeForTest(m calibrate.Mechanism, values []float64) any {
	return Noisy{mechanism: m, values: slices.Clone(values)}
}

// peek returns a copy of the answers, for tests.
func (s *hidden) peek() (int128.Slice, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held == nil {
		return int128.Slice{}, ErrSpent
	}
	return s.held.clone().spread(s.size).cells, nil
}

// peekKeys returns a copy of the keys and counts, for tests.
func (e Exact) peekKeys() (keys []string, counts []int64, err error) {
	k := e.keyed()
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.spent {
		return nil, nil, ErrSpent
	}
	if err := k.gather(); err != nil {
		return nil, nil, err
	}
	var cells int128.Slice
	if len(k.keys) > 0 {
		cells, err = k.counts.open().peek()
	}
	return append(keys, k.keys...), cells.High, err // counts have 64 bits
}

func selectForTest(keys []string) any {
	return Noisy{multiples: make([]int64, len(keys)), keys: append([]string{}, keys...)}
}
