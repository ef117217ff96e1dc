package aggregation

import "github.com/dprelease/dprelease/internal/mechanism/int128"

// Total holds the numbers of one cell, which an engine has added up from rows that it has bounded.
type Total struct {
	// Table is the index of the table that the cell is in. It depends on the aggregation:
	//  - crosstabs: the index of the largest table
	//  - Steps: the step of the rows' ranks; the table after the last step holds in cell s the number of units whose last
	//    row is in step s
	//  - Bins: the bin of the rows' values; the table after the last bin holds rows without a value
	//  - Units: 1 for the number of units, in cell 0
	//  - all others: 0
	Table int
	// Cell is the number of the cell in its table. Rows is how many rows were added up.
	Cell int64
	Rows int64
	// Key is the discovered key of the rows; "" if no keys are discovered.
	Key string
	// Sums[i] is the sum of component i of the quantized values minus the centre. Second is the sum of the rows' second
	// numbers ([Second]). Both are in multiples of their quantum.
	Sums   []int128.Int
	Second int128.Int
}

// KeyValue is the value of one [KeyPart] in a key. Text holds it if the part's column holds texts. Otherwise Number
// holds the value, or the code of a listed label.
type KeyValue struct {
	Text   []byte
	Number int64
}
