package mechanism

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/internal/ledger"
	"github.com/dprelease/dprelease/internal/mechanism/int128"
)

// KeyCounts describes counts of units by key.
type KeyCounts struct {
	// Least is the pre-threshold: before any noise, keys with a smaller count are dropped. 0 means 1, which drops none.
	Least int64
	// Weighted is set if the counts are sums of weights ([calibrate.KeySelection.Weights]), in multiples of
	// 2^-[calibrate.WeightBits]; otherwise a unit adds at most 1. Weighted counts have no pre-threshold.
	Weighted bool
}

func (c KeyCounts) least() int64 { return max(c.Least, 1) }

// quantum returns the binary logarithm of the counts' quantum.
func (c KeyCounts) quantum() int {
	if c.Weighted {
		return -calibrate.WeightBits
	}
	return 0
}

// HideKeyed hides counts by key, together with the keys: which keys exist is as private as the counts. It takes the
// slices over. Keys must be distinct and ascending. The result has no public number of cells; see [SelectKeys].
//
// Errors: ErrKeys if the keys are not distinct and ascending, ErrHalves if the slices differ in length.
func HideKeyed(form KeyCounts, keys []string, counts []int64) (Exact, error) {
	if len(keys) != len(counts) {
		return Exact{}, ErrHalves
	}
	for i := 1; i < len(keys); i++ {
		if keys[i-1] >= keys[i] {
			return Exact{}, ErrKeys
		}
	}
	keys, counts = leaveOut(form.Least, keys, counts)
	k := &keyed{keys: keys, form: form}
	if len(keys) > 0 {
		s := &hidden{quantum: form.quantum(), size: len(counts), held: &payload{cells: int128.Narrow(counts)}}
		k.counts = Exact{open: func() *hidden { return s }}
	}
	return Exact{keyed: func() *keyed { return k }}, nil
}

// leaveOut returns the keys with a count of at least minUnits, and these counts. It wipes the others.
func leaveOut(minUnits int64, keys []string, counts []int64) ([]string, []int64) {
	if minUnits <= 1 {
		return keys, counts
	}
	n := 0
	for i, x := range counts {
		if x >= minUnits {
			keys[n], counts[n] = keys[i], x
			n++
		}
	}
	clear(keys[n:])
	clear(counts[n:])
	return keys[:n:n], counts[:n:n]
}

// HideKeyBlocks does the same as HideKeyed for more keys than fit in memory; the keys need no order. SelectKeys reads
// the blocks.
func HideKeyBlocks(form KeyCounts, blocks KeyBlocks) Exact {
	k := &keyed{form: form, blocks: func(take func([]string, []int64) error) error {
		return blocks(func(keys []string, counts []int64) error {
			if len(keys) != len(counts) {
				return ErrHalves
			}
			if keys, counts = leaveOut(form.Least, keys, counts); len(keys) == 0 {
				return nil
			}
			return take(keys, counts)
		})
	}}
	return Exact{keyed: func() *keyed { return k }}
}

// SelectKeys adds noise to the count of every key as AddNoise does. It returns the keys whose noisy count reaches the
// threshold ([calibrate.KeySelection.Threshold]), with these counts, and wipes the others. Before the first draw it
// redeems r for s.Mechanism and for s.Failure, its probability of failure. Errors: as for AddNoise; ErrKeys if neither
// HideKeyed nor HideKeyBlocks made e, or if e and s differ in the pre-threshold or in whether counts are weighted,
// since the threshold depends on both.
func SelectKeys(ctx context.Context, e Exact, r ledger.Receipt, s calibrate.KeySelection, workers int) (Noisy, error) {
	if e.keyed == nil {
		return Noisy{}, ErrKeys
	}
	if r == (ledger.Receipt{}) {
		return Noisy{}, ErrReceipt
	}
	multiples, err := s.Threshold()
	if err != nil {
		return Noisy{}, errors.Join(ErrMechanism, err)
	}
	k := e.keyed()
	if k.form.least() != s.Least() || k.form.Weighted != s.Weighted {
		return Noisy{}, ErrKeys
	}
	if !k.markSpent() {
		return Noisy{}, ErrSpent
	}
	pay := func(m calibrate.Mechanism) error { return r.RedeemShare(m, s.Failure) }
	if k.blocks != nil {
		return k.selectBlocks(ctx, pay, s, multiples, workers)
	}
	n, err := k.noiseCounts(ctx, pay, s.Mechanism, workers)
	if err != nil {
		k.putBack()
		return Noisy{}, err
	}
	keys := k.keys
	k.keys = nil
	return n.keepAtLeast(multiples, keys, s), nil
}

// selectBlocks does the same as SelectKeys for counts in blocks. It reads no block before the receipt is redeemed.
func (k *keyed) selectBlocks(ctx context.Context, pay redeemer, s calibrate.KeySelection, multiples int64,
	workers int) (Noisy, error) {
	d, err := newDraw(s.Mechanism, k.form.quantum(), workers)
	if err == nil {
		err = pay.redeem(ctx, s.Mechanism)
	}
	if err != nil {
		k.mu.Lock()
		defer k.mu.Unlock()
		k.spent = false
		return Noisy{}, err
	}
	blocks := k.blocks
	k.blocks = nil
	var kept []selectedKey
	err = blocks(func(keys []string, counts []int64) error {
		p := &payload{cells: int128.Narrow(counts)}
		defer p.wipe()
		if err := d.run(ctx, p); err != nil {
			return err
		}
		for i, x := range counts {
			if x >= multiples {
				kept = append(kept, selectedKey{keys[i], x})
			}
		}
		return nil
	})
	if err != nil {
		return Noisy{}, err
	}
	return noisyOf(s, kept)
}

// selectedKey is a key with its noisy count, in grid units.
type selectedKey struct {
	key       string
	multiples int64
}

// noisyOf returns the vector of the selected keys, sorted by key, or ErrKeys if a key occurs twice.
func noisyOf(s calibrate.KeySelection, kept []selectedKey) (Noisy, error) {
	slices.SortFunc(kept, func(a, b selectedKey) int { return strings.Compare(a.key, b.key) })
	n := Noisy{mechanism: s.Mechanism, keys: []string{}, selection: s}
	for i, x := range kept {
		if i > 0 && x.key == kept[i-1].key {
			return Noisy{}, ErrKeys
		}
		n.keys, n.multiples = append(n.keys, x.key), append(n.multiples, x.multiples)
	}
	return n, nil
}

// gather reads all blocks into memory, for fingerprints and tests.
func (k *keyed) gather() error {
	if k.blocks == nil {
		return nil
	}
	var all []selectedKey
	err := k.blocks(func(keys []string, counts []int64) error {
		for i, key := range keys {
			all = append(all, selectedKey{key, counts[i]})
		}
		return nil
	})
	if err != nil {
		return err
	}
	n, err := noisyOf(calibrate.KeySelection{}, all)
	if err != nil {
		return err
	}
	k.blocks, k.keys = nil, n.keys
	if len(n.keys) > 0 {
		s := &hidden{quantum: k.form.quantum(), size: len(n.multiples), held: &payload{cells: int128.Narrow(n.multiples)}}
		k.counts = Exact{open: func() *hidden { return s }}
	}
	return nil
}

func (k *keyed) markSpent() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	taken := !k.spent
	k.spent = true
	return taken
}

// noiseCounts adds noise to all counts. If there are no keys, it redeems the receipt all the same.
func (k *keyed) noiseCounts(ctx context.Context, pay redeemer, m calibrate.Mechanism, workers int) (Noisy, error) {
	if len(k.keys) > 0 {
		d, err := newDraw(m, k.counts.open().quantum, workers)
		if err != nil {
			return Noisy{}, err
		}
		return k.counts.noise(ctx, pay, d)
	}
	if err := pay.redeem(ctx, m); err != nil {
		return Noisy{}, err
	}
	return Noisy{mechanism: m}, nil
}

// putBack undoes markSpent, if no noise was drawn.
func (k *keyed) putBack() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.spent = len(k.keys) > 0 && !k.counts.untouched()
}

// untouched reports whether no noise was drawn for the answers yet.
func (e Exact) untouched() bool {
	s := e.open()
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.held != nil
}
