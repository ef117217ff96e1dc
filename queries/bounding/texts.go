package bounding

import (
	"encoding/binary"
	"hash/maphash"

	"github.com/dprelease/dprelease/queries/internal/columnar"
	"github.com/dprelease/dprelease/queries/internal/intern"
)

// numberTexts numbers the units of the rows that are not dropped.
func (r *Rows) numberTexts(cells []int32) {
	r.known.rows = columnar.Resize(r.known.rows, len(cells))
	for from := 0; from < len(cells); from += lookedUp {
		r.numberSome(cells, from, min(from+lookedUp, len(cells)))
	}
}

func (r *Rows) numberSome(cells []int32, from, to int) {
	known := r.known.rows
	var found [lookedUp]uint32 // number + 1 of the text in the first slot, or 0
	for row := from; row < to; row++ {
		known[row] = knownUnit{}
		if cells[row] >= 0 {
			known[row].hash = maphash.Bytes(textSeed, r.units.bytesOf(row))
		}
	}
	for row := from; row < to; row++ {
		if t := r.partitions[known[row].hash>>(64-partitionBits)].texts; t != nil && cells[row] >= 0 {
			found[row-from] = t.Slot(known[row].hash)
		}
	}
	for row := from; row < to; row++ {
		if id := found[row-from]; id > 0 {
			if text := r.partitions[known[row].hash>>(64-partitionBits)].texts.At(int32(id - 1)); len(text) > 0 {
				r.known.touched ^= text[0] ^ text[len(text)-1]
			}
		}
	}
	for row := from; row < to; row++ {
		if k := &known[row]; cells[row] >= 0 {
			k.id, k.generation = r.numberText(k.hash, r.units.bytesOf(row)), r.known.generation
		}
	}
}

// lookedUp is how many texts are looked up in steps.
const lookedUp = 128

// textRecord is record if the unit has text: its number among the partition's texts stands for it.
func (r *Rows) textRecord(row int) []byte {
	k := r.known.ofRow(row)
	if k.generation == 0 && k.hash == 0 {
		k.hash = maphash.Bytes(textSeed, r.units.bytesOf(row))
	}
	record := r.appendRecord(k.hash >> (64 - partitionBits)) // this may spill the partition's texts
	if k.generation != r.known.generation {
		k.id, k.generation = r.numberText(k.hash, r.units.bytesOf(row)), r.known.generation
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
	if id < 0 {
		r.fail(errUnits)
		return 0
	}
	if p.texts.Len() > before {
		r.held += int64(len(unit)) + intern.TextBytes
	}
	return uint32(id)
}
