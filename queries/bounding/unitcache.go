package bounding

import (
	"github.com/dprelease/dprelease/queries/internal/columnar"
	"github.com/dprelease/dprelease/queries/internal/units"
)

// knownUnits caches the hash and number of units of text, for each value of the dictionary of the one unit column,
// until a batch has another dictionary.
type knownUnits struct {
	generation uint32 // counts how often the partitions' texts were spilled: they start anew then
	dict       uint64
	values     []knownUnit
	places     []int32 // the place of each row among values; nil if there is no dictionary
}

// knownUnit caches the hash of a unit and the unit's number in its partition, in a generation. The first bits of the
// hash are the partition. If the generation is 0, the number is unknown; if the hash is 0 too, so is the hash.
type knownUnit struct {
	hash           uint64
	id, generation uint32
}

// openBatch prepares for the batch that u has read.
func (k *knownUnits) openBatch(u *units.Reader) {
	places, n, dict := u.Dictionary()
	k.places = places
	if places != nil && (dict == 0 || dict != k.dict || len(k.values) != n) {
		k.dict, k.values = dict, columnar.Resize(k.values, n)
		clear(k.values)
	}
}

// ofRow returns the cache entry of a row's unit, to be completed.
func (k *knownUnits) ofRow(row int) *knownUnit { return &k.values[k.places[row]] }
