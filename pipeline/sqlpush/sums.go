package sqlpush

import (
	"database/sql"
	"errors"
	"math"
	"math/big"

	"github.com/dprelease/dprelease/internal/mechanism/int128"
	"github.com/dprelease/dprelease/queries/aggregation"
	"github.com/dprelease/dprelease/queries/bounding"
)

// A database returns each total as a row: table, cell, number of rows, sums as decimal texts, and the values of a
// discovered key.

// wideInteger parses a decimal integer of up to 126 bits. NULL, the sum over no row, is 0.
func wideInteger(text sql.NullString) (int128.Int, error) {
	if !text.Valid {
		return int128.Int{}, nil
	}
	x, ok := new(big.Int).SetString(text.String, 10)
	if !ok || x.BitLen() > 126 {
		return int128.Int{}, bounding.ErrMerge
	}
	high := new(big.Int).Rsh(x, 64) // Rsh rounds down
	low := new(big.Int).And(x, new(big.Int).SetUint64(1<<64-1))
	return int128.Int{High: high.Int64(), Low: low.Uint64()}, nil
}

// room implements bounding.Spill for accumulators that get only totals of a database: they hold no rows and spill
// nothing.
type room struct{ bounding.Spill }

// Cells returns the size of the largest domain whose totals are held as a vector; larger domains are held sparsely.
func (room) Cells() int64 { return 1 << 26 }

func (room) Join() {}

func (room) Workers() int { return 1 }

func (room) Err() error { return nil }

// Share is unlimited, because all totals are held in memory.
func (room) Share() int64 { return math.MaxInt64 }

// Room returns a number of bytes for rows. It does not matter, because there are no rows.
func (room) Room() int64 { return 1 << 20 }

// errNoSum means that the sum over one or more rows is NULL. No value of a row can cause this: rows without a value add
// 0, and sums do not overflow.
var errNoSum = errors.New("a sum of rows is NULL")

// scanTotals scans the totals of a cell, one for each query. counts is false if the totals are to be ignored because
// their key is invalid: the database returned a text that is not valid UTF-8.
func scanTotals(rows *sql.Rows, of []answer) (totals []aggregation.Total, counts bool, err error) {
	var at aggregation.Total
	n := make([]sql.NullInt64, len(of)) // NULL stands for 0: it is a count over no row
	texts := make([][]sql.NullString, len(of))
	into := []any{&at.Table, &at.Cell}
	for i, a := range of {
		into = append(into, &n[i])
		texts[i] = make([]sql.NullString, a.sums)
		for k := range texts[i] {
			into = append(into, &texts[i][k])
		}
	}
	key := newKeyReader(of[0].aggregation.Keys)
	if err := rows.Scan(key.into(into)...); err != nil {
		return nil, false, err
	}
	at.Key, counts = key.key()
	for i, a := range of {
		t, err := total(at, n[i].Int64, texts[i], a.aggregation.Second != nil)
		if err != nil {
			return nil, false, err
		}
		totals = append(totals, t)
	}
	return totals, counts, nil
}

// total returns t with the number of rows and the parsed sums. If second is set, the last sum is t.Second.
func total(t aggregation.Total, rows int64, texts []sql.NullString, second bool) (aggregation.Total, error) {
	t.Rows = rows
	numbers := make([]int128.Int, len(texts))
	for i, text := range texts {
		if t.Rows != 0 && !text.Valid {
			return t, errNoSum
		}
		var err error
		if numbers[i], err = wideInteger(text); err != nil {
			return t, err
		}
	}
	if second {
		last := len(numbers) - 1
		t.Second, numbers = numbers[last], numbers[:last]
	}
	t.Sums = numbers
	return t, nil
}
