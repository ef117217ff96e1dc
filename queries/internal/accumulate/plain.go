package accumulate

// Sums of single numbers
//
// Most queries sum one column of numbers in a moderate number of cells. Such sums are added up in 64 bits. Every 2^21
// rows, before they can overflow, they are added to the 128-bit sums (sums.go). Dropped rows are added to slot 0, so
// that the loops need no branch for them. The numbers of a dictionary are quantized once.
//
// A second number of a row has a magnitude of up to 2^60, of which few fit in 64 bits. So its bits above and below 2^30
// are added up separately, in 64 bits each.

import (
	"math"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/queries/aggregation"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/internal/columnar"
	"github.com/dprelease/dprelease/queries/quantize"
)

const (
	// plainRows is how many rows can be added up in 64 bits without overflow: each value minus the centre is at most 2^41
	// quanta.
	plainRows = 1 << 21
	// plainCells is the largest number of cells whose sums are held in 64 bits: moving more cells would take longer than
	// adding plainRows rows.
	plainCells = plainRows
	// lowBits is the number of low bits of a second number that are added up separately.
	lowBits = 30
)

// plainSums holds 64-bit sums since they were last moved: slots[0] belongs to dropped rows, slots[c+1] to cell c.
type plainSums struct {
	quantize.Fast
	slots []int64
	rows  []int64 // row counts by slot; nil if values are not centred
	left  int     // how many rows can still be added without overflow
	// numbers are the quantized values of the dictionary dict; nil if some of its values are not numbers.
	dict    uint64
	numbers []int64
	// second describes a second number of each row; high and low are the sums of its upper and lower bits, by slot. All
	// are nil if there is none.
	second    *aggregation.Second
	high, low []int64
	seconds   []int64 // by dictionary code, the second number of the value
}

// quantizeDictionary returns the quantized values of a column's dictionary, minus the centre, or nil if one of them is
// not a number.
func (p *plainSums) quantizeDictionary(c *table.Column) []int64 {
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

func (p *plainSums) addCodes(cells, codes []int32, numbers []int64) error {
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

// countCodes adds numbers[code] for each row, and counts the rows.
func (p *plainSums) countCodes(cells, codes []int32, numbers []int64) error {
	slots, rows, codes := p.slots, p.rows[:len(p.slots)], codes[:len(cells)]
	for i, c := range cells {
		code := uint(codes[i])
		if code >= uint(len(numbers)) {
			return columnar.ErrShape
		}
		slots[c+1] += numbers[code]
		rows[c+1]++
	}
	if p.second != nil { // the codes are within the dictionary
		for i, c := range cells {
			p.addSecond(c, p.seconds[codes[i]])
		}
	}
	return nil
}

// addSecond adds the second number of a row with value x to a cell.
func (p *plainSums) addSecond(cell int32, x int64) {
	p.high[cell+1] += x >> lowBits
	p.low[cell+1] += x & (1<<lowBits - 1)
}

// countSeconds does the work of countNumbers and adds up second numbers, too.
func (p *plainSums) countSeconds(cells []int32, values []float64, all bool) {
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

func (p *plainSums) addNumbers(cells []int32, values []float64) {
	fast, slots, values := p.Fast, p.slots, values[:len(cells)]
	for i, c := range cells {
		if x := values[i]; !math.IsNaN(x) {
			slots[c+1] += fast.Quantize(x)
		}
	}
}

// countNumbers adds the value of each row, and counts the rows. If all is set, a row without a value counts, too.
func (p *plainSums) countNumbers(cells []int32, values []float64, all bool) {
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
