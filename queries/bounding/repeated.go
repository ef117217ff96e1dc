package bounding

import "encoding/binary"

// Rows of a unit with the same content are many if a table has few units, or a query few cells. They are counted, one record
// instead of many, when memory becomes short or there is much to gain. An accumulator looks whether records repeat at firstLook
// bytes, and then whenever what it holds has doubled. A look counts one of 256 partitions, and the others if that halves its records:
// looking early costs little, and keeps a table that repeats small.

// firstLook is how many bytes an accumulator holds before it looks for the first time.
const firstLook = 8 << 20

// density is when to look next whether records repeat.
type density struct {
	next    int64     // bytes held
	scratch *gatherer // for one partition after the other
}

// makeRoom counts repeated records, or spills, if a chunk more would be too much. partition is one that has rows.
func (r *Rows) makeRoom(partition uint64, chunk int64) error {
	share := r.spill.Share()
	full := r.held+chunk > share
	if !full && r.held+chunk <= r.dense.next {
		return nil
	}
	counted, err := r.countRepeated(int(partition))
	if err != nil {
		return err
	}
	used := r.held - int64(len(r.free)*r.chunk())
	if full && (!counted || used > share/2) {
		return r.spillAll()
	}
	r.dense.next = max(firstLook, 2*used)
	return nil
}

// countRepeated counts the records of one partition and, if that halves them, those of all partitions.
func (r *Rows) countRepeated(partition int) (bool, error) {
	before := r.partitions[partition].single.size() + int64(len(r.open[partition]))
	if before == 0 {
		return false, nil
	}
	counts := r.partitions[partition].counted.size()
	if err := r.countPartition(partition); err != nil {
		return false, err
	}
	if 2*(r.partitions[partition].counted.size()-counts) > before {
		return false, nil
	}
	for i := range r.partitions {
		if i == partition {
			continue
		}
		if err := r.countPartition(i); err != nil {
			return false, err
		}
	}
	return true, nil
}

// countPartition puts one counted record in the place of all records of a unit with the same content, of a partition's segment in memory.
func (r *Rows) countPartition(partition int) error {
	p := &r.partitions[partition]
	if o := r.open[partition]; len(o) > 0 {
		p.single.chunks = append(p.single.chunks, o)
		r.open[partition] = nil
	}
	if len(p.single.chunks) == 0 {
		return nil
	}
	if r.dense.scratch == nil {
		r.dense.scratch = newGatherer(r)
	}
	g := r.dense.scratch
	if err := g.gather([]segment{p.segment}, pass{}); err != nil {
		return err
	}
	var counted [][]byte
	start := uint32(0)
	for id, end := range g.ends {
		for _, x := range g.slotsOf(int32(id), g.order[start:end]) {
			counted = r.appendCounted(counted, g.appendKey, x)
		}
		start = end
	}
	for _, c := range counted {
		r.held += int64(cap(c))
	}
	for _, c := range p.counted.chunks {
		r.held -= int64(cap(c))
	}
	r.release(p.single.chunks)
	p.single.chunks, p.counted.chunks = nil, counted
	return nil
}

// appendCounted appends a record with its number to chunks.
func (r *Rows) appendCounted(chunks [][]byte, key func([]byte) []byte, x slot) [][]byte {
	last := len(chunks) - 1
	if last < 0 || len(chunks[last])+r.width+countBytes > cap(chunks[last]) {
		size := firstRows * (r.width + countBytes)
		if last >= 0 {
			size = max(r.chunk()/r.width, firstRows) * (r.width + countBytes)
		}
		chunks = append(chunks, make([]byte, 0, size))
		last++
	}
	c := key(chunks[last])
	c = append(c, r.dense.scratch.content(x.ref)...)
	chunks[last] = binary.LittleEndian.AppendUint64(c, x.rows)
	return chunks
}
