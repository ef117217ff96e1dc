package parquet

import (
	"bytes"
	"math/bits"

	"github.com/dprelease/dprelease/io/source/internal/scan"
)

// Levels say which rows have a value. Of a column with nulls, a definition level is 1 if there is a value; of one
// within structs, the level is how many of the structs and the column that may be null are not (leaf.highest if there
// is a value). Of a column of lists there is a level for each element and for each list without elements: the
// repetition level is 0 if a row begins there, and the definition level says whether there is a list, an element and a
// value (listShape).

// maxLevel is the highest definition level of a column that is read.
const maxLevel = 31

// levelRuns returns runs that hold n levels, none of which may be above highest.
func levelRuns(b []byte, n int, highest byte) (runs, error) {
	r := newRuns(b, uint(bits.Len8(highest)))
	held, err := countRuns(b, uint(bits.Len8(highest)), n)
	if err == nil && held < n {
		err = short()
	}
	return r, err
}

// loadLevels decodes the next n levels, in the memory of dst, which it returns too. None may be above highest.
func loadLevels(r *runs, dst []byte, n int, all bool, highest byte) (memory, levels []byte, err error) {
	memory, levels, err = r.Octets(dst, n, all)
	if err != nil {
		return dst, nil, err
	}
	for l := range highest + 1 {
		n -= bytes.Count(levels, []byte{l})
	}
	if n > 0 {
		return memory, nil, scan.Fault(scan.CodeDamaged, "a page has a level that its column cannot have")
	}
	return memory, levels, nil
}

// onlyHighest replaces levels: the highest one, which says that there is a value, by 1 and all others by 0.
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
