package derived

import (
	"errors"
	"math"

	"github.com/dprelease/dprelease/io/table"
)

// errShape means that a batch does not have the columns of its schema.
var errShape = errors.New("derived: a batch does not fit its schema")

// load copies n rows of a column, starting at row from, to the input's vector.
func (in *input) load(c *table.Column, from, n int) {
	in.resize(n, c.Type.Kind)
	for i := range n {
		at := from + i
		if in.valid[i] = !c.IsNull(at); !in.valid[i] {
			continue
		}
		at = c.Index(at)
		switch c.Type.Kind {
		case table.Float:
			in.floats[i] = c.Values.Floats[at]
			in.valid[i] = !math.IsNaN(in.floats[i])
		case table.String:
			in.texts[i] = c.Values.Bytes(at)
			in.valid[i] = len(in.texts[i]) <= maxInput
		default:
			in.ints[i] = c.Values.Ints[at]
			in.valid[i] = c.Type.Kind != table.Uint || in.ints[i] >= 0
		}
	}
}
