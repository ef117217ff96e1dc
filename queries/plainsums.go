package queries

import (
	"math"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/mechanism/int128"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/internal/columnar"
)

const (
	// plainRows is the most rows whose values, less the centre, fit a sum of 64 bits: each is at most 2^41 units.
	plainRows = 1 << 21
	// plainCells is the most cells whose sums are worth being kept apart, since they are added up every plainRows rows.
	plainCells = plainRows
)

// plainSums are the sums of single numbers since the last flush: slot 0 belongs to the rows that are dropped, slot c + 1 to
// cell c.
type plainSums struct {
	inverse, low, high float64 // of the quantity
	// offset is the centre and the bits of rounder.
	offset int64
	slots  []int64
	rows   []int64 // of means
	left   int     // rows that still fit
	// fixedDict is what a dictionary's values are; nil: some are no numbers.
	dict      uint64
	fixedDict []int64
}

// newPlainSums returns nil if a query needs the general way.
func newPlainSums(q *summing) *plainSums {
	v := q.quantizer
	if v.dims > 1 || v.clip || q.kind.extra().squares || q.spec.Value.List || q.cells > plainCells {
		return nil
	}
	p := &plainSums{inverse: v.inverse, low: float64(v.low), high: float64(v.high), left: plainRows}
	p.offset = v.centre + int64(math.Float64bits(rounder))
	return p
}

// rounder is 1.5·2^52: the doubles from 2^52 to 2^53 are the integers, so y + rounder is rounder plus y rounded to an
// integer, ties to even, for |y| <= 2^51, and its bits are rounder's plus that integer.
const rounder = 3 << 51

// addPlain adds rows by their cells.
func (a *rowSums) addPlain(cells []int32, values []float64) {
	p := a.plain
	a.pieces(len(cells), func(from, to int) {
		if p.rows == nil {
			p.add(cells[from:to], values[from:to])
		} else {
			p.addCounted(cells[from:to], values[from:to], a.query.quantizer.rows > 0)
		}
	})
}

// pieces calls add for pieces of n rows that cannot overflow.
func (a *rowSums) pieces(n int, add func(from, to int)) {
	p := a.plain
	if p.slots == nil {
		p.slots = make([]int64, a.query.cells+1)
		if a.rows != nil {
			p.rows = make([]int64, a.query.cells+1)
		}
	}
	for from := 0; from < n; {
		if p.left == 0 {
			a.flush()
		}
		to := min(n, from+p.left)
		add(from, to)
		p.left -= to - from
		from = to
	}
}

// addCoded adds the rows of a batch whose values are codes into a dictionary of numbers that is kept: those are brought into
// the range once. false: the batch is another's.
func (a *rowSums) addCoded(b *table.Batch) (bool, error) {
	if a.plain == nil {
		return false, nil
	}
	c, err := columnar.Of(b, a.values.columns[0].At, a.values.columns[0].Kind)
	if err != nil || c.Codes == nil || c.Dict == 0 || c.Valid != nil || c.Ends != nil {
		return false, err
	}
	dict := a.plain.numbers(c)
	if dict == nil {
		return false, nil
	}
	cells, err := a.groups.OfRows(b)
	if err != nil {
		return true, err
	}
	codes := c.Codes[:len(cells)]
	a.pieces(len(cells), func(from, to int) {
		if e := a.plain.addDictionary(cells[from:to], codes[from:to], dict); e != nil {
			err = e
		}
	})
	return true, err
}

// numbers returns the values of a column's dictionary as fixed does; nil: one of them is no number.
func (p *plainSums) numbers(c *table.Column) []int64 {
	if p.dict == c.Dict {
		return p.fixedDict
	}
	p.dict, p.fixedDict = c.Dict, p.fixedDict[:0]
	for i := range c.Values.Len(c.Type.Kind) {
		x := domain.Coordinate(&c.Values, i, c.Type.Kind)
		if math.IsNaN(x) {
			p.fixedDict = nil
			break
		}
		p.fixedDict = append(p.fixedDict, p.fixed(x))
	}
	return p.fixedDict
}

func (p *plainSums) addDictionary(cells, codes []int32, dict []int64) error {
	slots, codes := p.slots, codes[:len(cells)]
	if p.rows != nil {
		return p.countDictionary(cells, codes, dict)
	}
	for i, c := range cells {
		code := uint(codes[i])
		if code >= uint(len(dict)) {
			return columnar.ErrShape
		}
		slots[c+1] += dict[code]
	}
	return nil
}

func (p *plainSums) countDictionary(cells, codes []int32, dict []int64) error {
	slots, rows, codes := p.slots, p.rows[:len(p.slots)], codes[:len(cells)]
	for i, c := range cells {
		code := uint(codes[i])
		if code >= uint(len(dict)) {
			return columnar.ErrShape
		}
		slots[c+1] += dict[code]
		rows[c+1]++
	}
	return nil
}

// fixed is what quantity.clamped returns, less the centre: moving into the range, whose ends are integers, and rounding can
// change places.
func (p *plainSums) fixed(x float64) int64 {
	y := x * p.inverse
	if y < p.low {
		y = p.low
	}
	if y > p.high {
		y = p.high
	}
	y += rounder
	return int64(math.Float64bits(y)) - p.offset
}

func (p *plainSums) add(cells []int32, values []float64) {
	slots, values := p.slots, values[:len(cells)]
	for i, c := range cells {
		if x := values[i]; !math.IsNaN(x) {
			slots[c+1] += p.fixed(x)
		}
	}
}

// addCounted also counts the rows: those without a value if public says that all rows are terms.
func (p *plainSums) addCounted(cells []int32, values []float64, public bool) {
	slots, rows, values := p.slots, p.rows[:len(p.slots)], values[:len(cells)]
	for i, c := range cells {
		x := values[i]
		switch {
		case !math.IsNaN(x):
			slots[c+1] += p.fixed(x)
			rows[c+1]++
		case public:
			rows[c+1]++
		}
	}
}

// flush moves the sums if they can grow.
func (a *rowSums) flush() {
	p := a.plain
	if p == nil || p.slots == nil {
		return
	}
	for i, x := range p.slots[1:] {
		a.totals.Add(i, int128.Of(x))
	}
	clear(p.slots)
	if p.rows != nil {
		for i, n := range p.rows[1:] {
			a.rows[i] += n
		}
		clear(p.rows)
	}
	p.left = plainRows
}
