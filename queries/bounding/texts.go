package bounding

import (
	"encoding/binary"

	"github.com/dprelease/dprelease/queries/internal/intern"
)

// textRecord stores a row whose unit has text, and returns the bytes for its content. If the unit's column has a
// dictionary, a cache holds the number of each dictionary value, and textRecord appends a record at once. Otherwise it
// stages the row.
func (r *Rows) textRecord(row int) []byte {
	if r.unitCache.entries == nil {
		return r.stageRow(row)
	}
	k := r.unitCache.ofRow(row)
	if k.generation == 0 && k.hash == 0 {
		k.hash = r.units.Hash(textSeed, r.units.Bytes(row))
	}
	record := r.appendRecord(r.partitionOf(k.hash)) // this may spill the partition's texts
	if k.generation != r.unitCache.generation {
		k.id, k.generation = r.numberText(k.hash, r.units.Bytes(row)), r.unitCache.generation
	}
	binary.LittleEndian.PutUint32(record, k.id)
	return record[r.key:]
}

// numberText returns the number of a unit with this hash among the texts of its partition.
func (r *Rows) numberText(hash uint64, unit []byte) uint32 {
	p := &r.partitions[r.partitionOf(hash)]
	if p.texts == nil {
		p.texts = intern.NewTexts()
	}
	before := p.texts.Len()
	id := p.texts.IDOf(unit, hash)
	if p.texts.Len() > before {
		r.held += int64(len(unit)) + intern.TextBytes
	}
	return uint32(id)
}
