package parquet

import (
	"bytes"
	"math/bits"

	"github.com/dprelease/dprelease/io/source/fault"
)

// Small numbers in a page, its levels, tell which rows have a value. If a column has nulls, the definition level of a
// row is 1 if it has a value. If the column is within structs, the level counts the optional structs and columns on its
// path that are not null; leaf.highest means that there is a value. If the column holds lists, there is a level for
// each element and for each list without elements: the repetition level is 0 if a row begins there, and the definition
// level tells whether there is a list, an element and a value (listShape).

// maxLevel is the highest definition level that is read.
const maxLevel = 31

// levelRuns returns a decoder of n levels in b. It fails if a level is above highest.
func levelRuns(b []byte, n int, highest byte) (runs, error) {
	r := newRuns(b, uint(bits.Len8(highest)))
	held, err := countRuns(b, uint(bits.Len8(highest)), n)
	if err == nil && held < n {
		err = short()
	}
	return r, err
}

// loadLevels decodes the next n levels into the memory of dst, and returns that memory too. It fails if a level is
// above highest.
func loadLevels(r *runs, dst []byte, n int, all bool, highest byte) (memory, levels []byte, err error) {
	memory, levels, err = r.decodeOctets(dst, n, all)
	if err != nil {
		return dst, nil, err
	}
	for l := range highest + 1 {
		n -= bytes.Count(levels, []byte{l})
	}
	if n > 0 {
		return memory, nil, fault.New(fault.CodeDamaged, "a page has a level that its column cannot have")
	}
	return memory, levels, nil
}

// onlyHighest sets each level to 1 if it is highest, which marks a value, and to 0 otherwise.
func onlyHighest(levels []byte, highest byte) {
	if highest == 1 {
		return
	}
	for i, l := range levels {
		levels[i] = 0
		if l == highest {
			levels[i] = 1
		}
	}
}
