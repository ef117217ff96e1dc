package queries

// tally counts rows by unit and cell: an open-addressing table of 16-byte slots.
type tally struct {
	seed  hashSeed
	slots []tallySlot
	used  int
}

// tallySlot is the rows of a unit in a cell, of which the key is the pair; no rows: the slot is empty.
type tallySlot struct{ key, rows uint64 }

func newTally() *tally { return &tally{seed: newHashSeed(), slots: make([]tallySlot, 16)} }

// add counts n > 0 rows.
func (t *tally) add(key uint64, n uint64) {
	s := t.find(key)
	if s.rows > 0 {
		s.rows += n
		return
	}
	*s = tallySlot{key, n}
	if t.used++; 4*t.used > 3*len(t.slots) {
		t.grow()
	}
}

// find returns the slot that holds a key, or the empty one where it belongs.
func (t *tally) find(key uint64) *tallySlot {
	mask := uint64(len(t.slots) - 1)
	i := t.seed.of(key) & mask
	for t.slots[i].rows != 0 && t.slots[i].key != key {
		i = (i + 1) & mask
	}
	return &t.slots[i]
}

func (t *tally) grow() {
	old := t.slots
	t.slots = make([]tallySlot, 2*len(old))
	for _, s := range old {
		if s.rows != 0 {
			*t.find(s.key) = s
		}
	}
}
