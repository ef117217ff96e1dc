package queries

import (
	"fmt"
	"math"

	"github.com/dprelease/dprelease/io/table"
	"github.com/dprelease/dprelease/mechanism"
	"github.com/dprelease/dprelease/mechanism/int128"
	"github.com/dprelease/dprelease/queries/domain"
	"github.com/dprelease/dprelease/queries/problem"
)

// sums are the exact answers of a sum or mean: of each group the sum of the values less the centre, as integers of 128 bits in
// units, and for means the number of rows. 2^48 rows of at most 2^41 units each leave room to spare.
type sums struct {
	query     *summing
	groups    *domain.Grouping
	values    *rowValues
	totals    int128.Slice // empty before the first batch
	rows      []int64      // nil: not a mean
	quantized []int64      // the value of a row
	square    *squares     // of variances
}

// open makes the sums, which may be many, when they are needed first.
func (a *sums) open() {
	if a.totals.High != nil {
		return
	}
	a.totals = int128.Make(a.query.Cells())
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
		a.totals.Add(at+i, int128.Product(x-a.query.quantizer.centre, times))
	}
	if a.rows != nil {
		a.rows[group] += int64(times)
	}
	if a.square != nil {
		a.square.add(group, a.quantized[0]-a.query.quantizer.centre, times)
	}
}

// merge adds another's sums and empties it.
func (a *sums) merge(o *sums) {
	if a.totals.High == nil {
		a.totals, a.rows = o.totals, o.rows
	} else {
		a.totals.AddSlice(o.totals)
		for i, n := range o.rows {
			a.rows[i] += n
		}
	}
	a.square = mergeSquares(a.square, o.square)
	o.totals, o.rows, o.square = int128.Slice{}, nil, nil
}

// seal hides the sums and, of a mean of two parts, the numbers of rows.
func (a *sums) seal() ([]mechanism.Exact, error) {
	a.open()
	if err := a.checkRows(); err != nil {
		return nil, err
	}
	sum, err := mechanism.SealWide(math.Ldexp(1, a.query.quantizer.unit), a.totals)
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
	a.totals, a.rows, a.square = int128.Slice{}, nil, nil
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
