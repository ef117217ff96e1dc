package bounding

import "github.com/dprelease/dprelease/queries/internal/columnar"

// knownUnits remembers, if the unit is one column of text with a dictionary, what was found for each of its values.
type knownUnits struct {
	generation uint32 // of the partitions' texts: they start anew when they are spilled
	dict       uint64
	values     []knownUnit
	places     []int32 // of rows among values; nil if nothing is remembered
	one        knownUnit
}

// knownUnit is the partition of a unit, and its number there in a generation. Neither is known if the generation is 0.
type knownUnit struct {
	id, generation uint32
	partition      uint8
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
		k.one = knownUnit{}
		return &k.one
	}
	return &k.values[k.places[row]]
}
