package mechanism_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/internal/ledger/ledgertest"
	"github.com/dprelease/dprelease/internal/mechanism"
	"github.com/dprelease/dprelease/internal/mechanism/int128"
	"github.com/dprelease/dprelease/internal/mechanism/mechanismtest"
)

// sumsByKey are answers of one cell for each key.
type sumsByKey map[string]int64

func (s sumsByKey) Of(keys []string) (mechanism.Exact, error) {
	var cells []int64
	for _, k := range keys {
		cells = append(cells, s[k])
	}
	return mechanism.Hide(1, cells)
}

func (s sumsByKey) All(among []string) (names []string, cells int128.Slice, quantum float64, err error) {
	for k := range s {
		if among == nil || slices.Contains(among, k) {
			names = append(names, k)
		}
	}
	slices.Sort(names)
	cells = int128.Make(len(names))
	for i, k := range names {
		cells.Set(i, int128.Of(s[k]))
	}
	return names, cells, 1, nil
}

// keyBlocks returns blocks of keys, with each keys in a block. Every key has one unit.
func keyBlocks(blocks, each int) mechanism.KeyBlocks {
	return func(take func([]string, []int64) error) error {
		for b := range blocks {
			var keys []string
			var counts []int64
			for i := range each {
				keys, counts = append(keys, string([]byte{byte(i), byte(i >> 8), byte(b)})), append(counts, 1)
			}
			if err := take(keys, counts); err != nil {
				return err
			}
		}
		return nil
	}
}

// Keys that come in blocks are selected like the keys of one list: each of 400,000 keys that one unit has is kept with
// a probability of at most 1 - (7/8)^(1/4), and not much less. Their order is kept. A false alarm has probability 1e-9,
// by the normal approximation of the binomial distribution.
func TestSelectOfBlocksFailsAsStated(t *testing.T) {
	const blocks, each = 40, 10_000
	m := gaussian(3, 0.125)
	m.Sens.L2 = 2
	s := calibrate.KeySelection{Mechanism: m, Keys: 4, Failure: 0.125}
	n, err := mechanism.SelectKeys(t.Context(), mechanism.HideKeyBlocks(mechanism.KeyCounts{}, keyBlocks(blocks, each)),
		ledgertest.ShareReceipt(t, "0.2", m),
		s, 2)
	if err != nil || !slices.IsSorted(n.Keys()) || n.Len() != len(n.Keys()) {
		t.Fatal(n.Len(), err)
	}
	p := 1 - math.Pow(7.0/8, 0.25)
	expected, deviation := p*blocks*each, math.Sqrt(blocks*each*p*(1-p))
	if got := float64(n.Len()); got > expected+6*deviation || got < 0.9*expected-6*deviation {
		t.Errorf("%g keys of one unit are kept, at most %g are to be expected", got, expected)
	}
}

// If a block cannot be read, the selection ends, and no later one is possible. Two blocks that share a key are refused.
// A receipt that does not cover the selection is refused before a block is read; another receipt is then accepted.
func TestSelectOfBrokenBlocks(t *testing.T) {
	m := gaussian(4, 0.25)
	s := calibrate.KeySelection{Mechanism: m, Keys: 1, Failure: 1e-6}
	broken, reads := errors.New("broken"), 0
	e := mechanism.HideKeyBlocks(mechanism.KeyCounts{}, func(take func([]string, []int64) error) error {
		if reads++; reads > 1 {
			t.Error("the blocks are read twice")
		}
		return errors.Join(take([]string{"a"}, []int64{1000}), broken)
	})
	other := gaussian(5, 0.25)
	if _, err := mechanism.SelectKeys(t.Context(), e, ledgertest.ShareReceipt(t, "0.2", other), s, 1); err == nil || reads > 0 {
		t.Errorf("the receipt of another mechanism: %v, %d reads", err, reads)
	}
	if n, err := mechanism.SelectKeys(t.Context(), e, ledgertest.ShareReceipt(t, "0.2", m), s, 1); !errors.Is(err, broken) ||
		n.Len() > 0 {
		t.Errorf("%v, %v", n.Keys(), err)
	}
	if _, err := mechanism.SelectKeys(t.Context(), e, ledgertest.ShareReceipt(t, "0.2", m), s, 1); !errors.Is(err, mechanism.ErrSpent) {
		t.Errorf("selected after a failure: %v", err)
	}
	twice := mechanism.HideKeyBlocks(mechanism.KeyCounts{}, func(take func([]string, []int64) error) error {
		return errors.Join(take([]string{"a"}, []int64{1000}), take([]string{"a"}, []int64{1000}))
	})
	if _, err := mechanism.SelectKeys(t.Context(), twice, ledgertest.ShareReceipt(t, "0.2", m), s, 1); !errors.Is(err,
		mechanism.ErrKeys) {
		t.Errorf("a key in two blocks: %v", err)
	}
}

// Answers that wait for keys get no noise before keys are selected, and they accept the keys of only one selection.
func TestForKeys(t *testing.T) {
	m := gaussian(4, 0.25)
	e := mechanism.HideForKeys(sumsByKey{"a": 1, "b": 20_000, "c": 3})
	if _, err := mechanism.AddNoise(t.Context(), e, ledgertest.Receipt(t, m), m, 1); !errors.Is(err, mechanism.ErrChoice) {
		t.Errorf("noise before the keys: %v", err)
	}
	if _, err := e.ForKeys(mechanismtest.Make(t, m, []float64{1})); !errors.Is(err, mechanism.ErrKeys) {
		t.Errorf("a vector without keys: %v", err)
	}
	chosen, err := e.ForKeys(mechanismtest.Select(t, "b", "x"))
	if err != nil {
		t.Fatal(err)
	}
	if _, cells := mechanismtest.Open(t, chosen); !slices.Equal(cells, []int64{20_000, 0}) {
		t.Errorf("%v", cells)
	}
	if _, err := e.ForKeys(mechanismtest.Select(t, "a")); !errors.Is(err, mechanism.ErrSpent) {
		t.Errorf("keys are given twice: %v", err)
	}
}
