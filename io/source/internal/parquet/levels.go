package parquet

import (
	"bytes"
	"math/bits"

	"github.com/parquet-go/parquet-go/encoding/rle"

	"github.com/dprelease/dprelease/io/source/internal/scan"
)

// Levels say which rows have a value. Of a column with nulls, a definition level is 1 if there is a value; of one within structs, the level is
// how many of the structs and the column that may be null are not (leaf.highest if there is a value). Of a column of lists there is a
// level for each element and for each list without elements: the repetition level is 0 if a row begins there, and the definition level says
// whether there is a list, an element and a value (listShape).

// maxLevel is the highest definition level of a column that is read.
const maxLevel = 31

// levelCounts is how many levels there are of each height.
type levelCounts [maxLevel + 1]int

// decodeLevels decodes the first n levels in src, in the memory of dst, and counts them. None may be above highest.
func decodeLevels(dst, src []byte, n int, highest byte) (levels []byte, counts levelCounts, err error) {
	width := bits.Len8(highest)
	held, err := countRuns(src, uint(width), n)
	if err != nil {
		return dst, counts, err
	}
	if held < n {
		return dst, counts, short()
	}
	levels, err = (&rle.Encoding{BitWidth: width}).DecodeLevels(dst, src)
	if err != nil || len(levels) < n {
		return dst, counts, undecodable()
	}
	levels = levels[:n]
	for l := range highest + 1 {
		counts[l] = bytes.Count(levels, []byte{l})
		n -= counts[l]
	}
	if n > 0 {
		return dst, counts, scan.Fault(scan.CodeDamaged, "a page has a level that its column cannot have")
	}
	return levels, counts, nil
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
