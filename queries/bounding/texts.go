package bounding

import (
	"encoding/binary"

	"github.com/dprelease/dprelease/queries/internal/intern"
)

// textRecord makes a record for a row whose unit has text. If the column has a dictionary, the text's number in its
// partition is cached for each dictionary value, and the record is made at once; otherwise the row is staged.
func (r *Rows) textRecord(row int) []byte {
	if r.known.places == nil {
		return r.stageRow(row)
	}
	k := r.known.ofRow(row)
	if k.generation == 0 && k.hash == 0 {
		k.hash = r.units.Hash(textSeed, r.units.Bytes(row))
	}
	record := r.appendRecord(k.hash >> (64 - partitionBits)) // this may spill the partition's texts
	if k.generation != r.known.generation {
		k.id, k.generation = r.numberText(k.hash, r.units.Bytes(row)), r.known.generation
	}
	binary.LittleEndian.PutUint32(record, k.id)
	return record[r.key:]
}

// numberText returns the number of a unit with some hash among the texts of its partition.
func (r *Rows) numberText(hash uint64, unit []byte) uint32 {
	p := &r.partitions[hash>>(64-partitionBits)]
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
