package accumulate

// Sums in 64 bits
//
// Most queries sum one column of numbers in a moderate number of cells. Such sums are first computed in 64 bits. Every
// 2^21 rows, before they can overflow, they are added to the 128-bit sums (sums.go). Dropped rows are added to slot 0,
// so that the loops need no branch for them. The numbers of a dictionary are quantized once.
//
// For a variance, a row also has a second number: its value squared, less a constant ([aggregation.Second]). Its
// magnitude is up to 2^60, so that a few of them overflow 64 bits. So its lower 30 bits and its upper bits have
// separate sums in 64 bits each.

import (
	"math"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/aggregation"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/internal/columnar"
	"github.com/dprelease/dprelease/queries/quantize"
)

const (
	// maxRows64 is how many rows can be added in 64 bits without overflow: each value minus the centre is at most 2^41
	// quanta.
	maxRows64 = 1 << 21
	// maxCells64 is the largest number of cells with sums in 64 bits. With more cells, adding the sums to the 128-bit sums
	// would take longer than adding maxRows64 rows.
	maxCells64 = maxRows64
	// lowBits is the number of lower bits of a second number that have a sum of their own.
	lowBits = 30
)

// sums64 holds the sums since the last flush to the 128-bit sums. In each slice of slots, slot 0 is for dropped rows
// and slot c+1 for cell c.
type sums64 struct {
	quantize.Fast
	slots []int64 // by slot, the sum of the values
	rows  []int64 // by slot, the row count; nil if the query does not need row counts
	left  int     // how many rows can still be added without overflow
	// numbers are the quantized values of the dictionary dict; nil if some of its values are not numbers.
	dict    uint64
	numbers []int64
	// second describes the second number of each row. high and low are the sums of its upper and lower bits, by slot. All
	// are nil if there is no second number.
	second    *aggregation.Second
	high, low []int64
	seconds   []int64 // for each dictionary code, the second number of the value
}

// quantizeDictionary returns the quantized values of a column's dictionary, minus the centre, or nil if one of them is
// not a number.
func (p *sums64) quantizeDictionary(c *table.Column) []int64 {
	if p.dict == c.Dict {
		return p.numbers
	}
	p.dict, p.numbers, p.seconds = c.Dict, p.numbers[:0], p.seconds[:0]
	for i := range c.Values.Len(c.Type.Kind) {
		x := domain.Coordinate(&c.Values, i, c.Type.Kind)
		if math.IsNaN(x) {
			p.numbers = nil
			break
		}
		p.numbers = append(p.numbers, p.Quantize(x))
	}
	if p.second != nil {
		for _, x := range p.numbers {
			p.seconds = append(p.seconds, p.second.Of(x))
		}
	}
	return p.numbers
}

func (p *sums64) addCodes(cells, codes []int32, numbers []int64) error {
	slots, codes := p.slots, codes[:len(cells)]
	if p.rows != nil {
		return p.countCodes(cells, codes, numbers)
	}
	for i, c := range cells {
		code := uint(codes[i])
		if code >= uint(len(numbers)) {
			return columnar.ErrShape
		}
		slots[c+1] += numbers[code]
	}
	return nil
}

// countCodes adds numbers[code] of each row to its cell, and counts the rows.
func (p *sums64) countCodes(cells, codes []int32, numbers []int64) error {
	slots, rows, codes := p.slots, p.rows[:len(p.slots)], codes[:len(cells)]
	for i, c := range cells {
		code := uint(codes[i])
		if code >= uint(len(numbers)) {
			return columnar.ErrShape
		}
		slots[c+1] += numbers[code]
		rows[c+1]++
	}
	if p.second != nil { // countCodes has checked above that the codes are within the dictionary
		for i, c := range cells {
			p.addSecond(c, p.seconds[codes[i]])
		}
	}
	return nil
}

// addSecond adds x, the second number of a row, to a cell.
func (p *sums64) addSecond(cell int32, x int64) {
	p.high[cell+1] += x >> lowBits
	p.low[cell+1] += x & (1<<lowBits - 1)
}

// countSeconds does the same as countNumbers, and adds the second number of each row.
func (p *sums64) countSeconds(cells []int32, values []float64, all bool) {
	fast, second, slots, rows, values := p.Fast, *p.second, p.slots, p.rows[:len(p.slots)], values[:len(cells)]
	for i, c := range cells {
		x := values[i]
		switch {
		case !math.IsNaN(x):
			n := fast.Quantize(x)
			slots[c+1] += n
			rows[c+1]++
			p.addSecond(c, second.Of(n))
		case all:
			rows[c+1]++
		}
	}
}

func (p *sums64) addNumbers(cells []int32, values []float64) {
	fast, slots, values := p.Fast, p.slots, values[:len(cells)]
	for i, c := range cells {
		if x := values[i]; !math.IsNaN(x) {
			slots[c+1] += fast.Quantize(x)
		}
	}
}

// countNumbers adds the value of each row to its cell, and counts the rows. A row without a value (NaN) counts only if
// all is set.
func (p *sums64) countNumbers(cells []int32, values []float64, all bool) {
	fast, slots, rows, values := p.Fast, p.slots, p.rows[:len(p.slots)], values[:len(cells)]
	for i, c := range cells {
		x := values[i]
		switch {
		case !math.IsNaN(x):
			slots[c+1] += fast.Quantize(x)
			rows[c+1]++
		case all:
			rows[c+1]++
		}
	}
}
