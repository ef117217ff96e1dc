package bounding

import (
	"github.com/dprelease/dprelease/queries/internal/columnar"
	"github.com/dprelease/dprelease/queries/internal/units"
)

// unitCache caches the hash and the number of each value of a dictionary, if the unit is one column of texts. A batch
// with another dictionary empties it.
type unitCache struct {
	generation uint32       // counts how often texts were numbered anew, after a spill
	dict       uint64       // identifies the dictionary
	values     []cachedUnit // by dictionary value
	entries    []int32      // for each row of the batch, its index in values; nil if the column has no dictionary
}

// cachedUnit caches a unit's hash, whose first bits are the partition, and its number in the partition. The number is
// valid in one generation; it is unknown if generation is 0. The hash is unknown if hash and generation are 0.
type cachedUnit struct {
	hash           uint64
	id, generation uint32
}

const cachedUnitBytes = 16 // the size of a cachedUnit

// startBatch prepares for the rows of the batch that u has opened. The cache is not used if it would take more than an
// eighth of share, the store's share of the memory.
func (k *unitCache) startBatch(u *units.Reader, share int64) {
	entries, n, dict := u.Dictionary()
	if int64(n) > share/8/cachedUnitBytes {
		entries, k.values, k.dict = nil, nil, 0
	}
	k.entries = entries
	if entries != nil && (dict == 0 || dict != k.dict || len(k.values) != n) {
		k.dict, k.values = dict, columnar.Resize(k.values, n)
		clear(k.values)
	}
}

// ofRow returns the cache entry of a row's unit. The caller computes and stores unknown fields.
func (k *unitCache) ofRow(row int) *cachedUnit { return &k.values[k.entries[row]] }
