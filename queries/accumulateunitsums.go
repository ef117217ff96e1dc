package queries

import (
	"encoding/binary"
	"errors"
	"slices"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/mechanism"
)

// errContents is an error of size: one accumulator has met 2^31 - 1 different pairs of a group and a value.
var errContents = errors.New("queries: more than 2^31 - 1 different values")

// unitSums counts the rows of each unit by content, all of them: bounds are enforced when it is sealed, on the whole of a
// unit's rows. A content is a group and a value: see [sampler].
type unitSums struct {
	sums
	units    *units
	tally    *tally // by unit and content; nil: spent
	contents *texts
	buf      []byte
}

// Add counts the rows of a batch that have a group, a value and a unit.
func (a *unitSums) Add(b *table.Batch) error {
	if a.tally == nil {
		return errSpent
	}
	groups, err := a.read(b)
	if err != nil {
		return err
	}
	ids, err := a.units.ofRows(b, groups)
	if err != nil {
		return err
	}
	for row, id := range ids {
		if id < 0 || !a.fix(row) {
			continue
		}
		content := a.contents.id(a.content(groups[row]))
		if content < 0 {
			return errContents
		}
		a.tally.add(pair(id, content), 1)
	}
	return nil
}

// content writes a group and the value in fixed as big-endian integers of eight bytes.
func (a *unitSums) content(group int32) []byte {
	a.buf = binary.BigEndian.AppendUint64(a.buf[:0], uint64(group))
	for _, x := range a.fixed {
		a.buf = binary.BigEndian.AppendUint64(a.buf, uint64(x))
	}
	return a.buf
}

// restore reads a content: it returns the group and sets fixed.
func (a *unitSums) restore(content []byte) (group int32) {
	for i := range a.fixed {
		a.fixed[i] = int64(binary.BigEndian.Uint64(content[8+8*i:]))
	}
	return cellOf(content)
}

// Merge adds another's counts, under this one's numbers of the units and contents.
func (a *unitSums) Merge(other Accumulator) error {
	o, ok := other.(*unitSums)
	switch {
	case !ok || o == a || o.query != a.query:
		return errMerge
	case a.tally == nil || o.tally == nil:
		return errSpent
	case !a.units.same(o.units):
		return errMerge
	}
	ids, err := a.units.adopt(o.units)
	if err != nil {
		return err
	}
	contents := make([]int32, o.contents.len())
	for i := range contents {
		if contents[i] = a.contents.id(o.contents.at(int32(i))); contents[i] < 0 {
			return errContents
		}
	}
	for _, s := range o.tally.slots {
		if s.rows > 0 {
			id, content := unpair(s.key)
			a.tally.add(pair(ids[id], contents[content]), s.rows)
		}
	}
	o.tally, o.units, o.contents = nil, nil, nil
	return nil
}

// Seal bounds what each unit contributes and returns the sums of the kept rows.
func (a *unitSums) Seal() ([]mechanism.Exact, error) {
	if a.tally == nil {
		return nil, errSpent
	}
	a.open()
	slots, ends := a.byUnit()
	a.tally = nil
	s := sampler{limits: a.query.limits, contents: a.contents}
	start := 0
	for id, end := range ends {
		a.addUnit(&s, int32(id), slots[start:end])
		start = end
	}
	a.units, a.contents = nil, nil
	return a.seal()
}

// byUnit returns the counts with those of each unit together, and where each unit's end.
func (a *unitSums) byUnit() (slots []tallySlot, ends []int) {
	ends = make([]int, a.units.len())
	total := 0
	for _, s := range a.tally.slots {
		if s.rows > 0 {
			id, _ := unpair(s.key)
			ends[id]++
			total++
		}
	}
	start := 0
	for id, n := range ends {
		ends[id] = start
		start += n
	}
	slots = make([]tallySlot, total)
	for _, s := range a.tally.slots {
		if s.rows > 0 {
			id, _ := unpair(s.key)
			slots[ends[id]] = s
			ends[id]++
		}
	}
	return slots, ends
}

// addUnit adds what the bounds keep of a unit's rows.
func (a *unitSums) addUnit(s *sampler, id int32, slots []tallySlot) {
	slices.SortFunc(slots, func(x, y tallySlot) int { return int(s.cell(x)) - int(s.cell(y)) })
	s.start(a.units, id)
	for _, x := range s.keep(slots) {
		if x.rows > 0 {
			_, content := unpair(x.key)
			a.add(a.restore(a.contents.at(content)), x.rows)
		}
	}
}
