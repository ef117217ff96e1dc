package queries

import (
	"crypto/sha256"
	"maps"
	"slices"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/mechanism"
	"github.com/dprelease/dprelease/queries/bounding"
)

// keyCounts is what both accumulators of keys share.
type keyCounts struct {
	query *discovering
	keys  *keying
}

// sealKeys hides the counts by key, in the order of the keys.
func sealKeys(counts map[string]int64) ([]mechanism.Exact, error) {
	keys := slices.Sorted(maps.Keys(counts))
	numbers := make([]int64, len(keys))
	for i, k := range keys {
		numbers[i] = min(counts[k], rowCapacity)
	}
	e, err := mechanism.SealKeyed(keys, numbers)
	if err != nil {
		return nil, err
	}
	return []mechanism.Exact{e}, nil
}

// rowKeys counts the rows of each key, if each row is a privacy unit.
type rowKeys struct {
	keyCounts
	rows   []int64          // by the number of the key
	merged map[string]int64 // of the accumulators that were merged
	spent  bool
}

// Add counts the rows of a batch that have a key.
func (a *rowKeys) Add(b *table.Batch) error {
	if a.spent {
		return bounding.ErrSpent
	}
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
func (a *rowKeys) fold() {
	if a.merged == nil {
		a.merged = map[string]int64{}
	}
	for id, n := range a.rows {
		if n > 0 {
			a.merged[a.keys.text(int32(id))] += n
		}
	}
	a.rows = nil
}

// Merge adds another's counts.
func (a *rowKeys) Merge(other Accumulator) error {
	o, ok := other.(*rowKeys)
	switch {
	case !ok || o == a || o.query != a.query:
		return bounding.ErrMerge
	case a.spent || o.spent:
		return bounding.ErrSpent
	}
	a.fold()
	o.fold()
	for k, n := range o.merged {
		a.merged[k] += n
	}
	o.merged, o.spent = nil, true
	return nil
}

// Seal returns the counts and their keys.
func (a *rowKeys) Seal() ([]mechanism.Exact, error) {
	if a.spent {
		return nil, bounding.ErrSpent
	}
	a.fold()
	a.spent = true
	return sealKeys(a.merged)
}

// A key stands in the records of units as its SHA-256, which is the same for every accumulator.
const keyDigest = sha256.Size

// unitKeys counts the units of each key.
type unitKeys struct {
	keyCounts
	digests [][keyDigest]byte          // by the number of the key
	names   map[[keyDigest]byte]string // the keys of all digests
	rows    *bounding.Rows             // nil: spent
	boundCount
}

// Add keeps the rows of a batch that have a key and a unit.
func (a *unitKeys) Add(b *table.Batch) error {
	if a.rows == nil {
		return bounding.ErrSpent
	}
	ids, err := a.keys.OfRows(b)
	if err != nil {
		return err
	}
	if err := a.rows.Start(b, ids); err != nil {
		return err
	}
	for row, id := range ids {
		if id >= 0 {
			digest := a.digest(id)
			content := a.rows.Record(row)
			clear(content[:bounding.CellBytes])
			copy(content[bounding.CellBytes:], digest[:])
		}
	}
	return a.rows.Failure()
}

// digest returns that of a key, whose name is kept if it is new. Numbers are given in order, but not every row with a new one has a unit.
func (a *unitKeys) digest(id int32) *[keyDigest]byte {
	for n := len(a.digests); n <= int(id); n++ {
		key := a.keys.text(int32(n))
		a.digests = append(a.digests, sha256.Sum256([]byte(key)))
		a.names[a.digests[n]] = key
	}
	return &a.digests[id]
}

// Merge takes in another's rows and keys.
func (a *unitKeys) Merge(other Accumulator) error {
	o, ok := other.(*unitKeys)
	if !ok || o == a || o.query != a.query {
		return bounding.ErrMerge
	}
	if err := a.rows.Merge(o.rows); err != nil {
		return err
	}
	maps.Copy(a.names, o.names)
	o.rows, o.names, o.digests = nil, nil, nil
	return nil
}

// Seal keeps of each unit as many keys as it may count in, and returns the counts and their keys.
func (a *unitKeys) Seal() ([]mechanism.Exact, error) {
	if a.rows == nil {
		return nil, bounding.ErrSpent
	}
	counts := map[[keyDigest]byte]int64{}
	var err error
	a.tally, err = a.rows.Bound(a.query.limits, func(content []byte, _ uint64) { counts[[keyDigest]byte(content[bounding.CellBytes:])]++ })
	if a.rows = nil; err != nil {
		return nil, err
	}
	byKey := make(map[string]int64, len(counts))
	for digest, n := range counts {
		byKey[a.names[digest]] = n
	}
	a.names = nil
	return sealKeys(byKey)
}
