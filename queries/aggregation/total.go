package aggregation

import "github.com/dprelease/dprelease/internal/mechanism/int128"

// Total is one result of an aggregation: the numbers that an engine has added up in one cell, from rows that it has
// bounded.
type Total struct {
	// Table is the index of the table, with these meanings. Crosstabs: the index of the largest table. Steps: the step
	// of the rows' ranks; the table after the last step holds, in cell s, the number of units whose last row is in step
	// s. Bins: the bin; the table after the last bin holds the rows without a value. Units: 1 for the number of units,
	// in cell 0. All other aggregations: 0.
	Table int
	// Cell is the number of the cell, Rows the number of its rows.
	Cell int64
	Rows int64
	// Key is the key if keys are discovered, and else "".
	Key string
	// Sums holds the sum of each component of the quantized values less the centre, and Second the sum of the second
	// numbers, in their quanta.
	Sums   []int128.Int
	Second int128.Int
}

// KeyValue is the value of one [KeyPart] in the key of a group of rows. Text is the value of a part whose column holds
// texts. Number is any other value, or the code if the dimension is listed.
type KeyValue struct {
	Text   []byte
	Number int64
}
