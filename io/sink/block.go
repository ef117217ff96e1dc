package sink

import (
	"context"
	"iter"
	"slices"
)

const (
	// chunkCells is the number of cells of a query's answer that are read at a time.
	chunkCells = 1 << 14
	// blockRows is the number of rows that fill a block, which becomes a Parquet row group. A Parquet file has at most
	// 2^15 row groups, so a table has at most 4.2e9 rows.
	blockRows = 1 << 17
)

// block holds consecutive rows of a table: cells[i] is the number of row i's cell, and values[c][i] is the row's value
// in column c.
type block struct {
	cells  []int
	values [][]float64
}

func newBlock(t *table) *block { return &block{values: make([][]float64, len(t.values))} }

// blocks yields the rows in order, in the same blocks each time. Every block except the last has blockRows rows; in a
// sparse table it may have up to chunkCells more. A block is valid until the next one. blocks yields an error and stops
// if ctx ends.
func (t *table) blocks(ctx context.Context) iter.Seq2[*block, error] {
	return func(yield func(*block, error) bool) {
		b := newBlock(t)
		for start := 0; start < t.cells; start += chunkCells {
			if err := ctx.Err(); err != nil {
				yield(nil, err)
				return
			}
			b.addCells(t, start, min(chunkCells, t.cells-start))
			if len(b.cells) < blockRows {
				continue
			}
			if !yield(b, nil) {
				return
			}
			b.reset()
		}
		if len(b.cells) > 0 {
			yield(b, nil)
		}
	}
}

// addCells appends the rows of the cells start to start + n - 1.
func (b *block) addCells(t *table, start, n int) {
	at := len(b.cells)
	estimate := b.fill(t, t.estimate, start, n)
	if t.sparse && !slices.ContainsFunc(estimate, nonZero) {
		b.values[t.estimate] = b.values[t.estimate][:at]
		return
	}
	for i := range b.values {
		if i != t.estimate {
			b.fill(t, i, start, n)
		}
	}
	for c := range n {
		b.cells = append(b.cells, start+c)
	}
	if t.sparse {
		b.dropZeros(at, t.estimate)
	}
}

// fill reads the values of cells start to start+n-1 into one column of the block and returns them.
func (b *block) fill(t *table, column, start, n int) []float64 {
	at := len(b.values[column])
	b.values[column] = slices.Grow(b.values[column], n)[:at+n]
	t.values[column].series(start, b.values[column][at:])
	return b.values[column][at:]
}

// dropZeros removes the rows from row at on whose estimate is zero.
func (b *block) dropZeros(at, estimate int) {
	kept := at
	for i := at; i < len(b.cells); i++ {
		if !nonZero(b.values[estimate][i]) {
			continue
		}
		b.cells[kept] = b.cells[i]
		for _, v := range b.values {
			v[kept] = v[i]
		}
		kept++
	}
	b.truncate(kept)
}

func (b *block) reset() { b.truncate(0) }

func (b *block) truncate(n int) {
	b.cells = b.cells[:n]
	for i := range b.values {
		b.values[i] = b.values[i][:n]
	}
}

func nonZero(v float64) bool { return v != 0 }
