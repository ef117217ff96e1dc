package keyselection

import (
	"crypto/sha256"
	"maps"
	"slices"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/mechanism"
	"github.com/dprelease/dprelease/queries/bounding"
	"github.com/dprelease/dprelease/queries/internal/accumulate"
	"github.com/dprelease/dprelease/queries/internal/state"
)

// ContentBytes is the length of what stands for a key in the records of units: its SHA-256, which is the same for every accumulator, after
// a cell that is 0.
const ContentBytes = bounding.CellBytes + sha256.Size

type digest [sha256.Size]byte

// Counts counts the rows of each key. If the unit is made of columns, the bounds let a unit have one row a key, so that they are units.
type Counts struct {
	keys    *Keying
	rows    []int64          // by the number of the key, if each row is a unit
	byKey   map[string]int64 // of the numbers that were folded, and of the answers that were merged
	digests []digest         // by the number of the key
	names   map[digest]string
	units   map[digest]int64
}

// NewCounts returns counts without rows.
func NewCounts(k *Keying) *Counts {
	return &Counts{keys: k, byKey: map[string]int64{}, names: map[digest]string{}, units: map[digest]int64{}}
}

// AddRows counts the rows of a batch that have a key.
func (a *Counts) AddRows(b *table.Batch) error {
	ids, err := a.keys.OfRows(b)
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

// fold moves the counts under their keys.
func (a *Counts) fold() {
	for d, n := range a.units {
		a.byKey[a.names[d]] += n
	}
	clear(a.units)
	a.foldRows()
}

// foldRows moves the counts of rows under their keys.
func (a *Counts) foldRows() {
	for id, n := range a.rows {
		if n > 0 {
			a.byKey[a.keys.text(int32(id))] += n
		}
	}
	a.rows = nil
}

// WriteRows writes the digests of the keys of the rows of a batch.
func (a *Counts) WriteRows(b *table.Batch, to bounding.Writer) error {
	ids, err := a.keys.OfRows(b)
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

// digestOf returns the digest of a key, whose name is kept if it is new. Numbers are given in order, but not every row with a new one has a
// unit.
func (a *Counts) digestOf(id int32) *digest {
	for n := len(a.digests); n <= int(id); n++ {
		key := a.keys.text(int32(n))
		a.digests = append(a.digests, sha256.Sum256([]byte(key)))
		a.names[a.digests[n]] = key
	}
	return &a.digests[id]
}

// AddRecords returns what counts the units of each key.
func (a *Counts) AddRecords() func(content []byte, rows uint64) {
	return func(content []byte, _ uint64) { a.units[digest(content[bounding.CellBytes:])]++ }
}

// Merge adds another's counts, and the names of its keys.
func (a *Counts) Merge(other accumulate.Answer) error {
	o, ok := other.(*Counts)
	if !ok {
		return bounding.ErrMerge
	}
	a.fold()
	o.fold()
	for k, n := range o.byKey {
		a.byKey[k] += n
	}
	maps.Copy(a.names, o.names)
	return nil
}

// Seal hides the counts by key, in the order of the keys.
func (a *Counts) Seal() ([]mechanism.Exact, error) {
	for d := range a.units {
		if _, named := a.names[d]; !named {
			return nil, state.ErrState // the records came from elsewhere, without their keys
		}
	}
	a.fold()
	keys := slices.Sorted(maps.Keys(a.byKey))
	numbers := make([]int64, len(keys))
	for i, k := range keys {
		numbers[i] = min(a.byKey[k], accumulate.MaxRows)
	}
	e, err := mechanism.SealKeyed(keys, numbers)
	if err != nil {
		return nil, err
	}
	return []mechanism.Exact{e}, nil
}
