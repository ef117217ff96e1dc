package keyselection

import (
	"crypto/sha256"
	"slices"
	"strings"

	"github.com/dprelease/dprelease/internal/mechanism"
	"github.com/dprelease/dprelease/internal/mechanism/int128"
	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/bounding"
	"github.com/dprelease/dprelease/queries/internal/accumulate"
	"github.com/dprelease/dprelease/queries/internal/state"
)

// Counts counts the privacy units of each key. If columns name the unit, the bounds keep at most one row of a unit for
// each key, so that the number of kept rows is the number of units.
type Counts struct {
	keys    *Keying
	rows    []int64 // by key number: the row counts since the last foldRows, if each row is a unit
	units   *totals // by digest: all other counts
	names   *names
	share   share
	options mechanism.KeyCounts
	// weights[d-1] is what a unit with d keys adds to the count of each of its keys; nil if it adds 1.
	weights []int64
	failed  error // the first error of the spill
}

// NewCounts returns counts without rows. The selection of keys will drop keys with fewer than minUnits units. A unit
// with d keys adds weights[d-1] to the count of each of its keys ([calibrate.KeySelection.Weights]), or 1 if weights is
// nil. Counts that do not fit in memory are written to the spill, which may be nil.
func NewCounts(k *Keying, minUnits int64, weights []int64, s bounding.Spill) *Counts {
	bounding.JoinNow(s)
	options := mechanism.KeyCounts{Least: minUnits, Weighted: weights != nil}
	return &Counts{keys: k, options: options, weights: weights, units: newTotals(1, s), names: newNames(s),
		share: share{spill: s}}
}

// AddRows implements [accumulate.Partial].
func (a *Counts) AddRows(b *table.Batch) error {
	ids, err := a.keysOfRows(b)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if id < 0 {
			continue
		}
		for int(id) >= len(a.rows) {
			a.rows = append(a.rows, 0)
		}
		a.rows[id]++
	}
	return nil
}

// keysOfRows returns the key number of each row. If the tables of key numbers take too much memory, it empties them,
// after it has moved the counts from key numbers to digests of keys.
func (a *Counts) keysOfRows(b *table.Batch) ([]int32, error) {
	if a.keys.outgrown(a.share.limit()/4 - 8*int64(len(a.rows))) {
		a.foldRows()
		a.keys.forget()
	}
	if a.makeRoom(); a.failed != nil {
		return nil, a.failed
	}
	return a.keys.OfRows(b)
}

// makeRoom writes counts and keys to the spill if they take more than their share of memory.
func (a *Counts) makeRoom() {
	if a.failed == nil && (a.units.bytes()+a.names.bytes() > a.share.limit() || a.units.full()) {
		if a.failed = a.units.write(); a.failed == nil {
			a.failed = a.names.write()
		}
	}
}

// foldRows moves the counts from a.rows, which is indexed by key number, to a.units, which is indexed by digest.
func (a *Counts) foldRows() {
	for id, n := range a.rows {
		if n > 0 {
			a.add(a.digestOf(int32(id)), n)
		}
	}
	a.rows = nil
}

// add adds n to the count of the key with a digest.
func (a *Counts) add(d *digest, n int64) {
	var e entry
	copy(e[bounding.CellBytes:], d[:])
	a.units.numbers.Add(a.units.at(&e), int128.Of(n))
}

// WriteRows implements [accumulate.Partial]. For each row it writes the row's content: a cell, which is 0, and the
// digest of the key.
func (a *Counts) WriteRows(b *table.Batch, to bounding.Writer) error {
	ids, err := a.keysOfRows(b)
	if err != nil {
		return err
	}
	if err := to.Start(b, ids); err != nil {
		return err
	}
	for row, id := range ids {
		if id >= 0 {
			d := a.digestOf(id)
			content := to.Record(row)
			clear(content[:bounding.CellBytes])
			copy(content[bounding.CellBytes:], d[:])
		}
	}
	return to.Failure()
}

// digestOf returns the digest of the key with number id, and stores the key in a.names.
func (a *Counts) digestOf(id int32) *digest { return a.keys.digestOf(id, a.names.add) }

// Content implements [accumulate.Partial].
func (a *Counts) Content() []bounding.Field {
	return []bounding.Field{bounding.CellField(1), {Bytes: sha256.Size}}
}

// AddRecords implements [accumulate.Partial]. The bounds call the returned function once for each unit and key.
func (a *Counts) AddRecords() func(content []byte, rows uint64) {
	return func(content []byte, _ uint64) { a.addUnit(content, 1) }
}

// AddWeighted returns a function that adds a unit's weight to the count of a key, given how many keys the unit has, or
// nil if units have no weights. The bounds call the returned function once for each unit and key.
func (a *Counts) AddWeighted() func(content []byte, contents int) {
	if a.weights == nil {
		return nil
	}
	return func(content []byte, keys int) { a.addUnit(content, a.weights[keys-1]) }
}

func (a *Counts) addUnit(content []byte, n int64) {
	a.units.numbers.Add(a.units.at((*entry)(content)), int128.Of(n))
	a.makeRoom()
}

// Merge implements [accumulate.Partial].
func (a *Counts) Merge(other accumulate.Partial) error {
	o, ok := other.(*Counts)
	if !ok {
		return bounding.ErrMerge
	}
	o.foldRows()
	a.units.merge(o.units)
	a.names.merge(o.names)
	if a.failed == nil {
		a.failed = o.failed
	}
	a.makeRoom()
	return a.failed
}

// Totals implements [accumulate.Partial]. Nobody can read the counts before keys are selected.
func (a *Counts) Totals() accumulate.Totals { return accumulate.Totals{Keyed: a} }

// Hide implements [accumulate.Keyed]: it returns one exact answer, the counts by key.
func (a *Counts) Hide() ([]mechanism.Exact, error) {
	a.foldRows()
	switch {
	case a.failed != nil:
		return nil, a.failed
	case a.units.outside.records+a.names.outside.records > 0:
		return a.hideWritten()
	}
	counts, err := a.named(a.units.index, a.units.numbers, a.names.held)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(counts, func(a, b keyCount) int { return strings.Compare(a.key, b.key) })
	keys, numbers := split(counts)
	e, err := mechanism.HideKeyed(a.options, keys, numbers)
	if err != nil {
		return nil, err
	}
	return []mechanism.Exact{e}, nil
}

// named returns the keys with their counts. index maps the digest of a key to its index in numbers, and held maps the
// digest to the key. If a key is missing, rows were loaded without their keys, which is an error.
func (a *Counts) named(index map[entry]int32, numbers int128.Slice, held map[digest]string) ([]keyCount, error) {
	counts := make([]keyCount, 0, len(index))
	for e, slot := range index {
		key, ok := held[e.digest()]
		if !ok {
			return nil, state.ErrState
		}
		counts = append(counts, keyCount{key, rowsOf(numbers.At(int(slot)))})
	}
	return counts, nil
}

type keyCount struct {
	key   string
	count int64
}

func split(counts []keyCount) (keys []string, numbers []int64) {
	keys, numbers = make([]string, len(counts)), make([]int64, len(counts))
	for i, x := range counts {
		keys[i], numbers[i] = x.key, x.count
	}
	return keys, numbers
}

// rowsOf converts a count to int64. A larger count than MaxRows becomes MaxRows.
func rowsOf(n int128.Int) int64 {
	if n.Cmp(int128.Of(accumulate.MaxRows)) > 0 {
		return accumulate.MaxRows
	}
	return int64(n.Low)
}

// hideWritten does the same as Hide if some counts are in the spill. The answer reads them when keys are selected.
func (a *Counts) hideWritten() ([]mechanism.Exact, error) {
	if err := a.units.write(); err != nil {
		return nil, err
	}
	if err := a.names.write(); err != nil {
		return nil, err
	}
	a.keys.forget()
	return []mechanism.Exact{mechanism.HideKeyBlocks(a.options,
		func(take func(keys []string, counts []int64) error) error {
			for i := range partitions {
				for _, in := range a.passes(i) {
					if err := a.block(i, in, take); err != nil {
						return err
					}
				}
			}
			return nil
		})}, nil
}

// pass selects the keys of a partition that are in memory at the same time, by the second byte b of their digests:
// b & mask == bits.
type pass struct{ mask, bits byte }

func (p pass) has(d []byte) bool { return d[1]&p.mask == p.bits }

// passes divides a partition into as many passes as are needed so that each fits in memory, but at most 256.
func (a *Counts) passes(partition int) []pass {
	const times = 4 // counts in memory take this many times their space in the spill
	size, n := times*(a.units.outside.size(partition)+a.names.outside.size(partition)), int64(1)
	for n < 256 && size/n > a.share.spill.Room() {
		n *= 2
	}
	parts := make([]pass, n)
	for i := range parts {
		parts[i] = pass{byte(n - 1), byte(i)}
	}
	return parts
}

// block reads one pass of a partition from the spill and calls take with its keys and counts.
func (a *Counts) block(partition int, in pass, take func(keys []string, counts []int64) error) error {
	units, held := newTotals(1, nil), map[digest]string{}
	err := a.units.eachWritten(partition, func(e *entry, numbers int128.Slice) {
		if in.has(e[bounding.CellBytes:]) {
			units.add(e, numbers)
		}
	})
	if err != nil {
		return err
	}
	err = a.names.eachWritten(partition, func(key []byte) {
		if d := digest(sha256.Sum256(key)); in.has(d[:]) {
			held[d] = string(key)
		}
	})
	if err != nil {
		return err
	}
	counts, err := a.named(units.index, units.numbers, held)
	if err != nil || len(counts) == 0 {
		return err
	}
	return take(split(counts))
}
