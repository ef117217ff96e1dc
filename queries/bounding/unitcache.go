package bounding

import (
	"github.com/dprelease/dprelease/queries/internal/columnar"
	"github.com/dprelease/dprelease/queries/internal/units"
)

// knownUnits caches the hash and number of each value of a dictionary, if the unit is one column of texts. It is valid
// until a batch has another dictionary.
type knownUnits struct {
	generation uint32 // current generation of text numbers; texts are numbered anew after they were spilled
	dict       uint64
	values     []knownUnit
	places     []int32 // for each row, its index in values; nil if the column has no dictionary
}

// knownUnit caches a unit's hash, whose first bits are the partition, and its number in the partition. The number is
// valid in one generation. If generation is 0, the number is unknown; if hash is 0 too, so is the hash.
type knownUnit struct {
	hash           uint64
	id, generation uint32
}

// openBatch prepares for the rows of the batch that u has read.
func (k *knownUnits) openBatch(u *units.Reader) {
	places, n, dict := u.Dictionary()
	k.places = places
	if places != nil && (dict == 0 || dict != k.dict || len(k.values) != n) {
		k.dict, k.values = dict, columnar.Resize(k.values, n)
		clear(k.values)
	}
}

// ofRow returns the cache entry of a row's unit. The caller fills in what is unknown.
func (k *knownUnits) ofRow(row int) *knownUnit { return &k.values[k.places[row]] }
