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

// A database returns each total as a row: table, cell, number of rows, sums as decimal texts, and the values of the
// key.

// wideInteger parses an integer of 128 bits; NULL, the sum of no rows, is 0.
func wideInteger(text sql.NullString) (int128.Int, error) {
	if !text.Valid {
		return int128.Int{}, nil
	}
	x, ok := new(big.Int).SetString(text.String, 10)
	if !ok || x.BitLen() > 126 {
		return int128.Int{}, bounding.ErrMerge
	}
	high := new(big.Int).Rsh(x, 64) // rounds down
	low := new(big.Int).And(x, new(big.Int).SetUint64(1<<64-1))
	return int128.Int{High: high.Int64(), Low: low.Uint64()}, nil
}

// room implements bounding.Spill for totals of a database. All of them are held in memory, because keys that only one
// unit has are never sent.
type room struct{ bounding.Spill }

// Cells returns the largest domain whose totals are held as a vector; larger domains are held sparsely.
func (room) Cells() int64 { return 1 << 26 }

// Join does nothing: nothing is spilled.
func (room) Join() {}

// Workers returns 1: one goroutine reads the totals.
func (room) Workers() int { return 1 }

// Err returns nil: nothing is spilled.
func (room) Err() error { return nil }

// Share is unlimited: all totals are held in memory.
func (room) Share() int64 { return math.MaxInt64 }

// Room returns the memory for rows, of which there are none.
func (room) Room() int64 { return 1 << 20 }

// errNoSum means that the sum over existing rows is NULL. No value of a row can cause this: rows without a value add 0,
// and sums do not overflow.
var errNoSum = errors.New("a sum of rows is NULL")

// scanTotal reads one total with some sums. counts is false if its key is invalid, which happens if the database's
// texts are not characters.
func scanTotal(rows *sql.Rows, sums int, of *aggregation.Aggregation) (t aggregation.Total, counts bool, err error) {
	var n sql.NullInt64 // NULL in a sum over no row
	texts := make([]sql.NullString, sums)
	into := []any{&t.Table, &t.Cell, &n}
	for i := range texts {
		into = append(into, &texts[i])
	}
	key := newKeyReader(of.Keys)
	if err := rows.Scan(key.into(into)...); err != nil {
		return t, false, err
	}
	t.Key, counts = key.key()
	t.Rows = n.Int64
	numbers := make([]int128.Int, len(texts))
	for i, text := range texts {
		if t.Rows != 0 && !text.Valid {
			return t, false, errNoSum
		}
		if numbers[i], err = wideInteger(text); err != nil {
			return t, false, err
		}
	}
	if of.Second != nil {
		last := len(numbers) - 1
		t.Second, numbers = numbers[last], numbers[:last]
	}
	t.Sums = numbers
	return t, counts, nil
}
