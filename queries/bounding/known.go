package bounding

import (
	"github.com/dprelease/dprelease/queries/internal/columnar"
)

// Numbers of texts
//
// A record of a unit of text has the text's number among those of its partition. If the column has a dictionary, a text is looked up once
// a dictionary. Else each row's text is looked up, in tables that are far larger than the processor's caches if there are many units: in the
// time of one access to memory a hundred texts are hashed. So the rows of a batch are looked up a hundred at a time and in steps: all
// hashes, then all first slots of the tables, then the texts that stand there. The accesses of a step do not wait for each other, and what the
// last step, the lookup itself, needs is in the cache.

// knownUnits remembers what was found for the units of text of a batch: for each row or, if the unit is one column with a dictionary, for
// each value of the dictionary, as long as it is the same.
type knownUnits struct {
	generation uint32 // of the partitions' texts: they start anew when they are spilled
	dict       uint64
	values     []knownUnit
	places     []int32     // of rows among values; nil if there is no dictionary
	rows       []knownUnit // if there is no dictionary
	touched    byte        // of the texts that were brought to the cache, so that they are read
}

// knownUnit is the hash of a unit, of which the first bits are its partition, and its number there in a generation. The number is not known
// if the generation is 0, nor the hash if it is 0 too.
type knownUnit struct {
	hash           uint64
	id, generation uint32
}

// openBatch prepares for the batch that u has read.
func (k *knownUnits) openBatch(u *Units) {
	k.places = nil
	c := &u.columns[0]
	if len(u.columns) > 1 || !u.text || !c.coded {
		return
	}
	k.places = c.places
	if n := c.values.Len(c.kind.Kind); c.dict == 0 || c.dict != k.dict || len(k.values) != n {
		k.dict, k.values = c.dict, columnar.Resize(k.values, n)
		clear(k.values)
	}
}

// ofRow returns what is known of a row's unit, to be completed.
func (k *knownUnits) ofRow(row int) *knownUnit {
	if k.places == nil {
		return &k.rows[row]
	}
	return &k.values[k.places[row]]
}
