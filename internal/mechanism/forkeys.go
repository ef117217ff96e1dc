package mechanism

import (
	"github.com/dprelease/dprelease/internal/mechanism/int128"
)

// Exact answers for keys that are selected
//
// Sums by private keys are computed for all keys when the rows are read. A private selection then decides which keys
// are published, and only the sums of these keys may be noised. An Exact that [HideForKeys] made has no cells.
// [Exact.ForKeys] turns it into one that has the sums of the keys of a [Noisy], which are public, and drops the sums of
// all other keys. Only one selection can be answered, so that no row is noised twice.

// HideForKeys hides exact answers by private keys.
func HideForKeys(a KeyedAnswers) Exact {
	k := &forKeys{answers: a}
	return Exact{selected: func() *forKeys { return k }}
}

// Among makes leader the counts from which the keys of e are selected. It matters only to tests that open e: they see
// only the keys that leader does not drop for small counts. Errors: ErrKeys if HideForKeys did not make e, or if
// neither HideKeyed nor HideKeyBlocks made leader.
func (e Exact) Among(leader Exact) error {
	if e.selected == nil || leader.keyed == nil {
		return ErrKeys
	}
	k, counts := e.selected(), leader.keyed()
	k.mu.Lock()
	defer k.mu.Unlock()
	if counts.form.Least > 1 {
		k.leader = counts
	}
	return nil
}

// selectable returns the keys whose answers may be read: among, unless it is nil, and otherwise the keys that can be
// selected. A nil result means all keys.
func (k *forKeys) selectable(among []string) ([]string, error) {
	if k.leader == nil || among != nil {
		return among, nil
	}
	return k.leader.keptKeys()
}

// keptKeys returns the keys that are not dropped, or ErrSpent if their counts were noised.
func (k *keyed) keptKeys() ([]string, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.spent {
		return nil, ErrSpent
	}
	if err := k.gather(); err != nil {
		return nil, err
	}
	return append([]string{}, k.keys...), nil
}

// ForKeys returns the exact answers of the keys of n, which [SelectKeys] returned, and drops all others. If no key was
// selected, the result has no cells, and can be noised all the same. Errors: ErrKeys if HideForKeys did not make e, or
// if n has no keys or is synthetic; ErrSpent if ForKeys was called before; the error of the answers, after which e is
// spent.
func (e Exact) ForKeys(n Noisy) (Exact, error) {
	if e.selected == nil || n.keys == nil || n.synthetic {
		return Exact{}, ErrKeys
	}
	k := e.selected()
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.answers == nil {
		return Exact{}, ErrSpent
	}
	answers := k.answers
	k.answers = nil
	if len(n.keys) == 0 {
		s := &hidden{held: &payload{cells: int128.Narrow([]int64{})}}
		return Exact{open: func() *hidden { return s }}, nil
	}
	return answers.Of(n.Keys())
}
