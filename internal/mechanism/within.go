package mechanism

import (
	"errors"
	"math/big"
	"slices"

	"github.com/dprelease/dprelease/calibrate"
	"github.com/dprelease/dprelease/internal/mechanism/int128"
	"github.com/dprelease/dprelease/internal/mechanism/internal/gauss"
)

// Within reports whether ‖a − b‖₂ <= m.Sens.L2, in exact integers. If m's noise is not Gaussian, m.Sens.L2 is the L1
// sensitivity, and Within uses ‖a − b‖₁. An operator audits the bounds of a job with it, on neighbouring tables of the
// real input. If L2 is 0, it reports whether a and b are equal.
//
// The caller learns one bit about answers that are never released: neither a nor b can be noised afterwards (ErrSpent),
// so a comparison never exists beside a release of the same answer. Both can be compared again.
//
// Errors depend only on shapes: ErrEmpty; ErrSpent; ErrQuantum if the quanta differ; ErrHalves if the numbers of cells
// differ; ErrKeys if only one has private keys; ErrMechanism if L2 is not a finite number >= 0.
func Within(a, b Exact, m calibrate.Mechanism) (bool, error) {
	most := m.Sens.Squared()
	if most == nil {
		return false, ErrMechanism
	}
	norm := squared
	if m.Noise != calibrate.Gaussian {
		norm = func(d *big.Int) *big.Int { return d.Abs(d) }
	}
	sum, quantum, err := distance(a, b, norm)
	if err != nil {
		return false, err
	}
	if m.Noise != calibrate.Gaussian {
		sum.Mul(sum, sum)
	}
	scale := new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(max(quantum, -quantum))))
	if quantum < 0 {
		scale.Inv(scale)
	}
	scale.Mul(scale, scale)
	return scale.Mul(scale, new(big.Rat).SetInt(sum)).Cmp(most) <= 0, nil
}

// squared returns d², in d.
func squared(d *big.Int) *big.Int { return d.Mul(d, d) }

// distance returns the sum of norm(d) over the differences d, in quanta, and the binary logarithm of the quantum.
func distance(a, b Exact, norm func(d *big.Int) *big.Int) (sum *big.Int, quantum int, err error) {
	switch {
	case (a.keyed == nil) != (b.keyed == nil), (a.selected == nil) != (b.selected == nil):
		return nil, 0, ErrKeys
	case a.selected != nil:
		return forKeysDistance(a.selected(), b.selected(), norm)
	case a.keyed != nil:
		sum, err = keysDistance(a.keyed(), b.keyed(), norm)
		return sum, 0, err
	case a.open == nil || b.open == nil:
		return nil, 0, ErrEmpty
	}
	s, t := a.open(), b.open()
	p, err := s.openForComparison()
	if err != nil {
		return nil, 0, err
	}
	q, err := t.openForComparison()
	switch {
	case err != nil:
		return nil, 0, err
	case s.quantum != t.quantum:
		return nil, 0, ErrQuantum
	case s.size != t.size:
		return nil, 0, ErrHalves
	}
	return cellsDistance(p, q, s.size, norm), s.quantum, nil
}

// openForComparison returns the payload to read. It can never be noised afterwards.
func (s *hidden) openForComparison() (*payload, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held == nil {
		return nil, ErrSpent
	}
	s.compared = true
	return s.held, nil
}

// cellsDistance adds up the norms of the differences. Most cells of neighbouring tables are equal and cost one
// comparison.
func cellsDistance(p, q *payload, size int, norm func(*big.Int) *big.Int) *big.Int {
	x, y := cursor{payload: p, size: size}, cursor{payload: q, size: size}
	sum := new(big.Int)
	for cell := min(x.nextCell(), y.nextCell()); cell < size; cell = min(x.nextCell(), y.nextCell()) {
		if a, b := x.answerAt(cell), y.answerAt(cell); a != b {
			d := a.Big()
			sum.Add(sum, norm(d.Sub(d, b.Big())))
		}
	}
	return sum
}

// cursor goes through the answers of a payload, sparse or not, in the order of the cells.
type cursor struct {
	*payload
	size, i int
}

// nextCell returns the cell of the next answer, or the number of cells if there is none.
func (c *cursor) nextCell() int {
	switch {
	case c.i >= c.cells.Len():
		return c.size
	case c.at != nil:
		return c.at[c.i]
	}
	return c.i
}

// answerAt returns the answer of a cell, which must not be after nextCell.
func (c *cursor) answerAt(cell int) int128.Int {
	if c.nextCell() != cell {
		return int128.Int{}
	}
	c.i++
	return c.cells.At(c.i - 1)
}

// keysDistance is distance for counts by private keys. A key that only one of them has counts as 0 in the other or, if
// keys with small counts were dropped, as one less than the least count.
func keysDistance(a, b *keyed, norm func(*big.Int) *big.Int) (*big.Int, error) {
	x, err := a.openForComparison()
	if err != nil {
		return nil, err
	}
	y, err := b.openForComparison()
	if err != nil {
		return nil, err
	}
	if a.least != b.least {
		return nil, ErrKeys
	}
	return namedDistance(namedCells{a.keys, x.cells}, namedCells{b.keys, y.cells}, big.NewInt(a.least-1), norm), nil
}

// namedCells are answers under names that are ascending.
type namedCells struct {
	names []string
	cells int128.Slice
}

// namedDistance adds up the norms of the differences. absent is the value of a missing name.
func namedDistance(a, b namedCells, absent *big.Int, norm func(*big.Int) *big.Int) *big.Int {
	sum := new(big.Int)
	for i, j := 0, 0; i < len(a.names) || j < len(b.names); {
		d := new(big.Int).Set(absent)
		first, second := j == len(b.names) || i < len(a.names) && a.names[i] <= b.names[j], i == len(a.names) ||
			j < len(b.names) && b.names[j] <= a.names[i]
		if first {
			d = a.cells.At(i).Big()
			i++
		}
		if second {
			d.Sub(d, b.cells.At(j).Big())
			j++
		} else {
			d.Sub(d, absent)
		}
		sum.Add(sum, norm(d))
	}
	return sum
}

// openForComparison returns the counts, which are empty if there are no keys. They can never be noised afterwards.
func (k *keyed) openForComparison() (*payload, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.spent && !k.compared {
		return nil, ErrSpent
	}
	if err := k.gather(); err != nil {
		return nil, err
	}
	if len(k.keys) == 0 {
		k.spent, k.compared = true, true
		return &payload{}, nil
	}
	p, err := k.counts.open().openForComparison()
	if err == nil {
		k.spent, k.compared = true, true
	}
	return p, err
}

// forKeysDistance is distance for answers by keys that are not selected yet. A key that only one of them has counts as
// 0 in the other. If keys were dropped for their counts, only the keys that neither table dropped are compared: any
// other key is selected at most with the probability of failure.
func forKeysDistance(a, b *forKeys, norm func(*big.Int) *big.Int) (sum *big.Int, quantum int, err error) {
	among, err := sharedKeys(a.leader, b.leader)
	if err != nil {
		return nil, 0, err
	}
	x, err := a.openForComparison(among)
	if err != nil {
		return nil, 0, err
	}
	y, err := b.openForComparison(among)
	if err != nil {
		return nil, 0, err
	}
	if x.quantum != y.quantum {
		return nil, 0, ErrQuantum
	}
	return namedDistance(x.namedCells, y.namedCells, new(big.Int), norm), x.quantum, nil
}

// sharedKeys returns the keys that two selections have in common, or nil if neither drops keys.
func sharedKeys(a, b *keyed) ([]string, error) {
	if a == nil && b == nil {
		return nil, nil
	}
	if a == nil || b == nil || a.least != b.least {
		return nil, ErrKeys
	}
	x, err := a.held()
	if err != nil {
		return nil, err
	}
	y, err := b.held()
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(x, func(key string) bool {
		_, has := slices.BinarySearch(y, key)
		return !has
	}), nil
}

// comparedKeys holds the answers of every key.
type comparedKeys struct {
	namedCells
	quantum int // its binary logarithm
}

// openForComparison returns the held answers of every key, or of the keys among. ForKeys is refused afterwards.
func (k *forKeys) openForComparison(among []string) (out comparedKeys, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.answers == nil {
		return out, ErrSpent
	}
	if among, err = k.selectable(among); err != nil {
		return out, errors.Join(ErrKeys, err)
	}
	names, cells, quantum, err := k.answers.All(among)
	if err != nil {
		return out, errors.Join(ErrKeys, err)
	}
	if out.quantum, err = gauss.Log2(quantum); err != nil {
		return out, ErrQuantum
	}
	out.names, out.cells = names, cells
	k.compared = true
	return out, nil
}
