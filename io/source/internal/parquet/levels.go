package parquet

import (
	"encoding/binary"
	"math/bits"

	"github.com/parquet-go/parquet-go/format"

	"github.com/dprelease/dprelease/io/source/internal/scan"
)

// checkLevels checks the definition levels and returns what follows them and how many values are present.
func (p *dataPage) checkLevels() (data []byte, present int, err error) {
	switch {
	case p.v2 != nil:
		return p.checkLevelsV2()
	case !p.leaf.optional:
		return p.body, p.values, nil
	case p.levels != format.RLE: // bit-packed by writers of 2013
		return nil, 0, unknownEncoding()
	}
	n, err := p.prefix(p.body)
	if err != nil {
		return nil, 0, err
	}
	present, err = p.ones(p.body[4 : 4+n])
	return p.body[4+n:], present, err
}

func (p *dataPage) checkLevelsV2() (data []byte, present int, err error) {
	repeated, defined := int(p.v2.RepetitionLevelsByteLength), int(p.v2.DefinitionLevelsByteLength)
	if repeated < 0 || defined < 0 || repeated+defined > len(p.body) || int(p.v2.NumRows) != p.values {
		return nil, 0, scan.Fault(scan.CodeDamaged, "a page is shorter than its levels")
	}
	present = p.values
	if p.leaf.optional {
		present, err = p.ones(p.body[repeated : repeated+defined])
	}
	return p.body[repeated+defined:], present, err
}

// ones counts the ones among the page's levels, which are runs of one bit.
func (p *dataPage) ones(b []byte) (int, error) {
	held, err := p.runs(b, 1)
	if err != nil {
		return 0, err
	}
	if held < p.values {
		return 0, short()
	}
	ones := 0
	for left := p.values; left > 0; {
		head, n := binary.Uvarint(b)
		count := int(head >> 1) // runs has seen that it is small
		b = b[n:]
		switch {
		case count == 0:
		case head&1 == 1:
			ones += onesIn(b[:count], left)
			b, left = b[count:], left-8*count
		case b[0] > 1:
			return 0, scan.Fault(scan.CodeDamaged, "a page has a level that its column cannot have")
		default:
			ones += int(b[0]) * min(count, left)
			b, left = b[1:], left-count
		}
	}
	return ones, nil
}

// onesIn counts the ones in the first n bits.
func onesIn(b []byte, n int) int {
	ones := 0
	for i, x := range b {
		if 8*i >= n {
			break
		}
		if rest := n - 8*i; rest < 8 {
			x &= 1<<rest - 1
		}
		ones += bits.OnesCount8(x)
	}
	return ones
}
