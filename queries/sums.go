package queries

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/mechanism"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/problem"
)

// sums are the exact answers of a sum or mean: of each group the sum of the values less the centre, as integers of 128 bits in
// units, and for means the number of rows. 2^48 rows of at most 2^41 units each leave room to spare.
type sums struct {
	query     *summing
	groups    *domain.Grouping
	values    *rowValues
	high      []int64 // nil before the first batch; high·2^64 + low
	low       []uint64
	rows      []int64  // nil: not a mean
	quantized []int64  // the value of a row
	square    *squares // of variances
}

// open makes the sums, which may be many, when they are needed first.
func (a *sums) open() {
	if a.high != nil {
		return
	}
	a.high, a.low = make([]int64, a.query.Cells()), make([]uint64, a.query.Cells())
	if a.query.quantizer.centred {
		a.rows = make([]int64, a.query.cells)
	}
	if a.query.kind.extra().squares {
		a.square = newSquares(a.query.quantizer, a.query.cells)
	}
}

// read returns the groups of the rows of a batch, and makes their values ready.
func (a *sums) read(b *table.Batch) ([]int32, error) {
	cells, err := a.groups.OfRows(b)
	if err != nil {
		return nil, err
	}
	return cells, a.values.open(b)
}

// quantize bounds the value of a row into fixed; false: it has none.
func (a *sums) quantize(row int) bool {
	return a.query.quantizer.quantize(a.quantized, a.values.row(row))
}

// add adds times the value in fixed to a group.
func (a *sums) add(group int32, times uint64) {
	at := int(group) * len(a.quantized)
	for i, x := range a.quantized {
		high, low := product128(x-a.query.quantizer.centre, times)
		a.plus(at+i, high, low)
	}
	if a.rows != nil {
		a.rows[group] += int64(times)
	}
	if a.square != nil {
		a.square.add(group, a.quantized[0]-a.query.quantizer.centre, times)
	}
}

func (a *sums) plus(i int, high int64, low uint64) {
	var carry uint64
	a.low[i], carry = bits.Add64(a.low[i], low, 0)
	a.high[i] += high + int64(carry)
}

// product128 returns x·n in 128 bits.
func product128(x int64, n uint64) (high int64, low uint64) {
	h, l := bits.Mul64(magnitude(x), n)
	if x >= 0 {
		return int64(h), l
	}
	low, borrow := bits.Sub64(0, l, 0)
	h, _ = bits.Sub64(0, h, borrow)
	return int64(h), low
}

// merge adds another's sums and empties it.
func (a *sums) merge(o *sums) {
	if a.high == nil {
		a.high, a.low, a.rows = o.high, o.low, o.rows
	} else {
		for i, h := range o.high {
			a.plus(i, h, o.low[i])
		}
		for i, n := range o.rows {
			a.rows[i] += n
		}
	}
	a.square = mergeSquares(a.square, o.square)
	o.high, o.low, o.rows, o.square = nil, nil, nil, nil
}

// seal hides the sums and, of a mean of two parts, the numbers of rows.
func (a *sums) seal() ([]mechanism.Exact, error) {
	a.open()
	if err := a.checkRows(); err != nil {
		return nil, err
	}
	sum, err := mechanism.SealWide(math.Ldexp(1, a.query.quantizer.unit), a.high, a.low)
	if err != nil {
		return nil, err
	}
	exacts, beside := []mechanism.Exact{sum}, a.query.kind.extra()
	if beside.squares {
		square, err := a.square.seal(a.query.quantizer)
		if err != nil {
			return nil, err
		}
		exacts = append(exacts, square)
	}
	if beside.rows {
		count, err := seal(a.rows)
		if err != nil {
			return nil, err
		}
		exacts = append(exacts, count...)
	}
	a.high, a.low, a.rows, a.square = nil, nil, nil, nil
	return exacts, nil
}

// checkRows says whether there are as many rows as were declared. That is public, under the adjacency that is needed for it.
func (a *sums) checkRows() error {
	want := a.query.quantizer.rows
	if want == 0 || a.rows[0] == want {
		return nil
	}
	return &problem.Error{
		Query: a.query.spec.Name, Field: a.query.quantizer.field + ".rows", Code: problem.CodeRows,
		Message: fmt.Sprintf("the input has %s, not %d", plural(a.rows[0], "row"), want), Hint: "rows is the number of all rows of the input, also of those without a value",
	}
}
